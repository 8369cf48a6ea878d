{#
Refreshes a view from its stored definition, without its model.

Args: view (model name, schema.identifier or mview_id), method (auto|complete|fast; complete
    also when nothing changed), dry_run (bool: print the statements).
Errors: as the refresh; the view has no stored definition.
Example: dbt run-operation mview_refresh --args '{view: orders_daily, method: complete}'
#}
{% macro mview_refresh(view, method="auto", dry_run=false) %}
    {%- do dbt_mview._ensure_state(dry_run) -%}
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
    {%- set asked = dbt_mview._refresh_method(spec, method) -%}
    {%- do spec.update({"asked": asked == "complete"}) -%}
    {%- if asked != "auto" -%} {%- do spec.update({"refresh": asked}) -%} {%- endif -%}
    {%- do dbt_mview._memory().states.update({spec.mview_id: state}) -%}
    {%- set job = dbt_mview._job(spec, spec.mview_id, dry_run=dry_run, record_now=true) -%}
    {%- do dbt_mview._look(spec, job) -%}
    {%- if not job.skip -%} {%- do dbt_mview._refresh(spec, job) -%} {%- endif -%}
    {%- if job.skip -%}
        {%- do dbt_mview._record_skip(spec, job) -%}
        {%- do print(spec.mview_id ~ ": SKIP " ~ job.skip) -%}
    {%- elif not dry_run -%}
        {%- do print(
            spec.mview_id ~ ": " ~ job.method
            | upper
            ~ " v"
            ~ job.commit.version
            ~ ", "
            ~ job.commit.rows
            ~ " rows: "
            ~ job.reason
        ) -%}
    {%- endif -%}
{% endmacro %}
