{#
Before a run with views in it: state is there and usable, and its rows are read once for all.
A run without views does nothing here, unless flashback is on: threads that make its state at one
moment hinder each other.

Errors: a var of flashback is out of its range: before anything is done.
#}
{% macro _on_run_start() %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- if dbt_mview._flashback_settings().enable -%}
        {#- Before anything is looked at: the run's track point is of then. -#}
        {%- do dbt_mview._clock() -%} {%- do dbt_mview._ensure_flashback_state() -%}
    {%- endif -%}
    {%- if dbt_mview._selected_ids("materialized_view_log") and flags.WHICH in ["run", "build"] -%}
        {%- do dbt_mview._ensure_state(logs=true) -%}
    {%- endif -%}
    {%- if dbt_mview._selected_ids("mview") and flags.WHICH in ["run", "build"] -%}
        {%- do dbt_mview._ensure_state() -%}
        {%- do dbt_mview._clock() -%}
        {%- do dbt_mview._begin_run_as_of() -%}
        {%- set memory = dbt_mview._memory() -%}
        {%- set states = dbt_mview._read_states() -%}
        {%- do memory.states.update(states) -%}
        {%- for mview_id in dbt_mview._selected_ids("mview") if mview_id not in states -%}
            {%- do memory.states.update({mview_id: none}) -%}
        {%- endfor -%}
        {#- dbt has created those. -#}
        {%- for unique_id in selected_resources if unique_id in graph.nodes -%}
            {%- set node = graph.nodes[unique_id] -%}
            {%- set name = dbt_mview._schema_in(node.database, node.schema) -%}
            {%- do memory.schemas.append(name | lower) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return("") }}
{% endmacro %}
