{#
After a run: the outcomes of all its views are recorded together, two commits however many they
are. Jinja cannot catch a database error, so this is also where a failed refresh is written
down and its lock freed; the user has seen the original error.

Args: results (list of dbt's run results).
#}
{% macro _on_run_end(results) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- set memory = dbt_mview._memory() -%}
    {%- set outcomes = [] -%}
    {%- for result in results -%}
        {%- set unique_id = result.node.unique_id -%}
        {#- A project may give the materialization another name: what began a job is a view. -#}
        {%- set is_view = result.node.config.materialized == "mview" or unique_id in memory.jobs -%}
        {%- set outcome = memory.outcomes.get(unique_id) -%}
        {%- if is_view and result.status | string in ["error", "fail", "runtime error"] -%}
            {%- set outcome = dbt_mview._failed_outcome(
                result, memory.jobs.get(unique_id), outcome
            ) -%}
        {%- endif -%}
        {%- if outcome -%} {%- do outcomes.append(outcome) -%} {%- endif -%}
    {%- endfor -%}
    {%- if outcomes -%}
        {%- do dbt_mview._write_outcomes(outcomes, {"id": invocation_id, "dry_run": false}) -%}
    {%- endif -%}
    {{ return("") }}
{% endmacro %}
