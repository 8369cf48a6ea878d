{#
What the next refresh of a view would do, and why; without a view, which views of this project can
be FAST, by which strategy, and what keeps the others from it, also before their first build. It
takes no lock and writes nothing but missing state tables. What `refresh: fast` would refuse is
shown as its reason.

Args: view (as mview_refresh, or none for all), format (table|json; json: all as one line
    `explained: {...}`), dry_run (bool: print what would create state where there is none; else the
    same, as this operation only reads).
Errors: the view has no stored definition; an unknown format, or json of one view.
Example: dbt run-operation mview_explain --args '{view: orders_daily}'
#}
{% macro mview_explain(view=none, format="table", dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- if format not in (["table", "json"] if view is none else ["table"]) -%}
        {%- do dbt_mview._raise(
            "mview_explain",
            "format is '" ~ format ~ "'.",
            "Use table, or json without a view.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- if view is none -%} {{ return(dbt_mview._explain_all(format)) }}{%- endif -%}
    {%- set relation = dbt_mview._resolve(view) -%}
    {%- set state = dbt_mview._read_state(dbt_mview._mview_id(relation)) -%}
    {%- do dbt_mview._check_definition(relation, state) -%}
    {%- set spec = dbt_mview._spec_from_state(relation, state) -%}
    {%- do dbt_mview._memory().states.update({spec.mview_id: state}) -%}
    {%- set job = dbt_mview._job(spec, spec.mview_id, dry_run=true) -%}
    {%- do job.update({"force": true, "explain_only": true}) -%}
    {%- do dbt_mview._look(spec, job) -%}
    {%- if job.skip -%} {%- do print(spec.mview_id ~ ": SKIP " ~ job.skip) -%}
    {%- else -%}
        {%- do dbt_mview._pin(spec, job) -%}
        {%- do dbt_mview._plan(spec, job) -%}
        {%- do print(
            spec.mview_id ~ ": " ~ job.method
            | upper ~ " " ~ dbt_mview._reason_of_job(job)
        ) -%}
        {%- if job.method == "complete" -%} {%- do print("  " ~ dbt_mview._remedy(job)) -%}
        {%- else -%} {%- do dbt_mview._explain_values(job.fast) -%}
        {%- endif -%}
    {%- endif -%}
    {%- do dbt_mview._explain_cost(job) -%}
    {%- do dbt_mview._explain_sources(job) -%}
{% endmacro %}


{#
Prints what both methods are expected to take. Where no FAST refresh followed about as many changes,
the last one says how many it did.

Args: job (spec, state, changes).
#}
{% macro _explain_cost(job) %}
    {%- set rows = job.changes | map(attribute="rows") | reject("none") | sum -%}
    {%- set words = [] -%}
    {%- set took = (job.spec.stored or {}).get("took") -%}
    {%- set way = dbt_mview._way_of(job.changes, job.fast.dated if job.fast else []) -%}
    {%- set cost = dbt_mview._expected_cost(took, rows, way) -%}
    {%- set last = dbt_mview._last_fast(took) if cost.fast is none else none -%}
    {%- for method in ["fast", "complete"] -%}
        {%- set seconds = cost[method] -%}
        {%- set known = "unknown yet" if seconds is none else (seconds | round(1)) ~ " s" -%}
        {%- if last and method == "fast" -%}
            {%- set ways = {"compared": ", compared versions", "dated": ", another time"} -%}
            {%- set known = last.seconds | round(1) ~ " s for " ~ last.rows ~ " changed rows" -%}
            {%- set known = known ~ ways.get(last.way, "") -%}
        {%- endif -%}
        {%- do words.append(method | upper ~ " " ~ known) -%}
    {%- endfor -%}
    {%- if cost.guessed -%}
        {%- do words.append("1/" ~ cost.guessed ~ " of the first build") -%}
    {%- endif -%}
    {%- do print("  expected, from the last refreshes: " ~ words | join(", ")) -%}
{% endmacro %}


{# Prints how each value of a group follows changes. Args: plan (delta plan). #}
{% macro _explain_values(plan) %}
    {%- if plan.derived | selectattr("must_stay") | list -%}
        {%- do print("  while the value of its subquery stays, as it does now; else COMPLETE") -%}
    {%- endif -%}
    {%- set first = plan.first_rows -%}
    {%- if plan.strategy == "nothing" -%} {{ return(none) }}
    {%- elif first -%}
        {%- set by = first.order | join(", ") -%}
        {%- do print(
            "  strategy first rows: "
            ~ first.count
            ~ " by "
            ~ by
            ~ ", of "
            ~ first.strategy
            ~ "; COMPLETE where rows beyond them are needed"
        ) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- do print("  strategy " ~ plan.strategy ~ ", keys: " ~ plan["keys"] | join(", ")) -%}
    {%- if plan.lacks -%}
        {%- do print(
            "  with "
            ~ plan.lacks
            ~ " in the result its rows would be told apart, and sums and counts added up"
        ) -%}
    {%- endif -%}
    {%- for column, kind in plan["values"].items() if kind == "holistic" -%}
        {%- set wanted = plan.wanted.get(column) -%}
        {%- do print(
            "  "
            ~ column
            ~ ": touched groups are computed again; "
            ~ (
                "with " ~ wanted ~ " it would be added up"
                if wanted
                else "sums of whole numbers and decimals, counts and extremes are not"
            )
        ) -%}
    {%- endfor -%}
{% endmacro %}


{# Prints each source, what was read of it, where it is now, what changed. Args: job. #}
{% macro _explain_sources(job) %}
    {%- set was = {} -%}
    {%- for source in job.state.sources or [] -%}
        {%- do was.update({source.relation: source.version}) -%}
    {%- endfor -%}
    {%- set rows = {} -%}
    {%- for change in job.changes -%}
        {%- set known = "all" if change.rows is none else change.rows -%}
        {%- do rows.update({change.relation: known}) -%}
    {%- endfor -%}
    {%- set lines = [] -%}
    {%- for source in job.sources -%}
        {%- set read = was.get(source.relation) -%}
        {%- do lines.append(
            [
                dbt_mview._short_name(source.relation),
                "-" if read is none else "v" ~ read,
                "-" if source.version is none else "v" ~ source.version,
                (
                    "-"
                    if none in [read, source.version] or read > source.version
                    else source.version - read
                ),
                rows.get(source.relation, "-"),
            ]
        ) -%}
    {%- endfor -%}
    {%- do dbt_mview._print_table(["source", "read", "now", "behind", "changed rows"], lines) -%}
{% endmacro %}
