{#
VACUUM as the package sends it: never with a retention, which Delta ignores unless it is 0; the
properties that were changed for the guarantee, taken back; and track points that go.
#}
{#
Sends VACUUM and looks for its commit. LITE goes by the log alone, and Delta refuses it where the
log no longer begins at version 0: then it is a plain one, which lists the files.

Args: name (of a table that was looked at), full (bool: a plain one in any case), job.
Returns: string, why no commit of it is in the history; or none.
#}
{% macro _vacuum(name, full, job) %}
    {%- set quoted = dbt_mview._quoted_name(name) -%}
    {%- set before = dbt_mview._memory().tables[name].commits -%}
    {%- set oldest = before[-1].version -%}
    {%- if oldest > 0 and not full -%}
        {%- set oldest = dbt_mview._delta_history(quoted, none)[-1].version -%}
    {%- endif -%}
    {%- set lite = "" if full or oldest > 0 else " lite" -%}
    {%- do dbt_mview._run("vacuum", "vacuum " ~ quoted ~ lite, job) -%}
    {%- if job.dry_run -%} {{ return(none) }}{%- endif -%}
    {%- for commit in dbt_mview._inspect_table(name).commits -%}
        {%- if commit.operation == "VACUUM END" and commit.version > before[0].version -%}
            {{ return(none) }}
        {%- endif -%}
    {%- endfor -%}
    {{
        return(
            "VACUUM wrote no commit, as on s3a:"
            ~ " spark.databricks.delta.vacuum.logging.enabled has to be true before Spark starts"
        )
    }}
{% endmacro %}


{#
Gives tables back the properties that were changed, where they still have what was set, and forgets
the tables.

Args: infos (see _flashback_infos), names (of those), job.
#}
{% macro _take_back(infos, names, job) %}
    {%- if not names -%} {{ return(none) }}{%- endif -%}
    {%- set touched = [] -%}
    {%- for name in names if infos[name].properties_before -%}
        {%- do touched.append(name) -%}
    {%- endfor -%}
    {%- for name in dbt_mview._tables_there(touched | sort) -%}
        {%- set quoted = dbt_mview._quoted_name(name) -%}
        {%- set now = dbt_mview._delta_properties(quoted) or {} -%}
        {%- set ours = infos[name].properties_before -%}
        {#- Files first: Delta refuses a log that is shorter than what it serves. -#}
        {%- for key in [
            "delta.deletedFileRetentionDuration", "delta.logRetentionDuration"
        ] if key in ours.set and now.get(key) == ours.set[key] -%}
            {%- set was = ours.before.get(key) -%}
            {%- set clause = (
                "unset tblproperties if exists (" ~ dbt_mview._literal(key)
                if was is none
                else "set tblproperties (" ~ dbt_mview._properties_sql({key: was})
            ) -%}
            {%- do dbt_mview._run("protect", "alter table " ~ quoted ~ " " ~ clause ~ ")", job) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set sql = dbt_mview._delete_flashback_infos_sql(names) -%}
    {%- do dbt_mview._run("guarantee", dbt_mview._retry_on_conflict_sql(sql), job) -%}
{% endmacro %}


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
