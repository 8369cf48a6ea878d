{#
What the next refresh of a view would do, and why: nothing is locked or written.

Args: view (as mview_refresh), dry_run (bool: as without, this operation only reads).
Errors: the view has no stored definition.
Example: dbt run-operation mview_explain --args '{view: orders_daily}'
#}
{% macro mview_explain(view, dry_run=false) %}
    {%- do dbt_mview._ensure_state() -%}
    {%- set relation = dbt_mview._resolve(view) -%}
    {%- set state = dbt_mview._read_state(dbt_mview._mview_id(relation)) -%}
    {%- if not state or not state.definition -%}
        {%- do dbt_mview._raise(
            dbt_mview._mview_id(relation),
            "state has no definition of it.",
            "Build the view once with `dbt run --select " ~ relation.identifier ~ "`.",
        ) -%}
    {%- endif -%}
    {%- set spec = dbt_mview._spec_from_state(relation, state) -%}
    {%- do spec.update({"refresh": "auto" if spec.refresh == "fast" else spec.refresh}) -%}
    {%- do dbt_mview._memory().states.update({spec.mview_id: state}) -%}
    {%- set job = dbt_mview._job(spec, spec.mview_id, dry_run=true) -%}
    {%- do job.update({"force": true}) -%}
    {%- do dbt_mview._look(spec, job) -%}
    {%- if job.skip -%} {%- do print(spec.mview_id ~ ": SKIP " ~ job.skip) -%}
    {%- else -%}
        {%- do dbt_mview._pin(spec, job) -%}
        {%- do dbt_mview._plan(spec, job) -%}
        {%- do print(spec.mview_id ~ ": " ~ job.method | upper ~ " " ~ job.reason) -%}
        {%- if job.fast is none -%} {%- do print("  " ~ dbt_mview._way_to_fast(job)) -%}
        {%- else -%} {%- do dbt_mview._explain_values(job.fast) -%}
        {%- endif -%}
    {%- endif -%}
    {%- do dbt_mview._explain_sources(job) -%}
{% endmacro %}


{# Prints each source, what was read of it, where it is now, what changed. Args: job. #}
{% macro _explain_sources(job) %}
    {%- set was = {} -%}
    {%- for source in job.state.sources or [] -%}
        {%- do was.update({source.relation: source.version}) -%}
    {%- endfor -%}
    {%- set rows = {} -%}
    {%- for change in job.get("changes") or [] -%}
        {%- do rows.update({change.relation: change.rows}) -%}
    {%- endfor -%}
    {%- set lines = [] -%}
    {%- for source in job.sources -%}
        {%- do lines.append(
            [
                source.relation.split(".")[1:] | join("."),
                "v" ~ was.get(source.relation, "-"),
                "v" ~ source.version,
                rows.get(source.relation, "-"),
            ]
        ) -%}
    {%- endfor -%}
    {%- do dbt_mview._print_table(["source", "read", "now", "changed rows"], lines) -%}
{% endmacro %}


{# Prints how each value of a group follows changes. Args: shape (see _shape). #}
{% macro _explain_values(shape) %}
    {%- do print("  strategy " ~ shape.strategy ~ ", keys: " ~ shape["keys"] | join(", ")) -%}
    {%- for column, kind in shape["values"].items() if kind == "other" -%}
        {%- do print(
            "  "
            ~ column
            ~ ": touched groups are computed again; sums of whole numbers and"
            " decimals, counts and extremes are not"
        ) -%}
    {%- endfor -%}
{% endmacro %}


{# Args: job. Returns: string, what would make the refresh FAST. #}
{% macro _way_to_fast(job) %}
    {%- set ways = {
        "CHANGE_DATA_UNAVAILABLE": "Switch the source's change data feed on: ALTER TABLE ... SET "
        ~ "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true').",
        "TOO_MANY_CHANGES": "Refresh more often, or insist with refresh: fast.",
        "FAST_IS_SLOWER": "Nothing to do: FAST is tried again after a while.",
        "AGGREGATE_NOT_TOP_NODE": "Put what stands over the aggregate into a view of its own.",
        "OPERATOR_NOT_INCREMENTAL": "Keep the operator out of the view, or in a view over it.",
        "SUBQUERY_NOT_INCREMENTAL": "Write the subquery as a join.",
        "WINDOW_WITHOUT_PARTITION_BY": "Give the window a PARTITION BY that the result shows.",
        "EXPRESSION_NOT_DETERMINISTIC": "Leave the function out; it gives other results each time.",
        "AUDIT_OVER_ALL_ROWS": "An audit looks at all rows; use constraints for single rows.",
        "UNIQUE_KEY_OVER_ALL_ROWS": "Let unique_key hold the keys that the rows are grouped by.",
    } -%}
    {%- for word, way in ways.items() if word in job.reason -%} {{ return(way) }}{%- endfor -%}
    {{ return("The next refresh with changes of the sources alone may be.") }}
{% endmacro %}
