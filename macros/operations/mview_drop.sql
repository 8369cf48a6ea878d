{#
Drops a view: its table and its row in state; its history stays. Needs the view's lock. A table that
took its place, such as the one of a model that is no mview any more, stays.

Args: view (as mview_refresh), dry_run (bool: print the statements).
Errors: another run is refreshing the view.
Example: dbt run-operation mview_drop --args '{view: orders_daily}'
#}
{% macro mview_drop(view, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set relation = dbt_mview._resolve(view) -%}
    {%- set spec = dbt_mview._spec_of_relation(relation) -%}
    {%- set state = dbt_mview._read_state(spec.mview_id) -%}
    {%- if not state -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "state does not know it as a materialized view.",
            "Drop other tables with DROP TABLE.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._drop_view(spec, state, dry_run, dbt_mview._successor_of(spec.mview_id)) -%}
{% endmacro %}
