{# Cleaning: what is older than the window or too much for the limit goes, in two steps. #}
{#
First says from where on tables can be read, so that nobody begins to read what goes; then deletes.
Both honour readers who are alive. Files go later, by VACUUM. With flashback off all goes that is
not in use, and so do the properties that are still ours.

Args: job (see _bare_job).
Returns: see _cleaning_plan; none where flashback was never used.
#}
{% macro _clean_trackpoints(job) %}
    {%- if not dbt_mview._has_flashback_state() -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._ensure_flashback_state(job.dry_run) -%}
    {%- set settings = dbt_mview._flashback_settings() -%}
    {%- set window = settings.window if settings.enable else none -%}
    {%- set plan = dbt_mview._cleaning_plan(window, settings.history_limit) -%}
    {%- if plan.rows -%}
        {%- for sql in [
            dbt_mview._raise_low_time_sql(plan.cutoff),
            dbt_mview._delete_trackpoints_sql(window, settings.history_limit),
        ] -%}
            {%- do dbt_mview._run("clean", dbt_mview._retry_on_conflict_sql(sql), job) -%}
        {%- endfor -%}
    {%- endif -%}
    {%- if not settings.enable and not plan.readers -%}
        {%- set infos = dbt_mview._flashback_infos() -%}
        {%- do dbt_mview._take_back(infos, infos | list, job) -%}
    {%- endif -%}
    {{ return(plan) }}
{% endmacro %}
