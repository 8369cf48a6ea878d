{#
Records the ends of refreshes, many views in two commits: the history rows first, each at
most once by its refresh_job_id, then the info rows and their locks. A crash between the two
is repaired by whoever records the same job again.

Args: outcomes (list of mappings, see _outcome), job (mapping: id, dry_run).
#}
{% macro _write_outcomes(outcomes, job) %}
    {%- set ended = outcomes | rejectattr("type", "equalto", "skip") | list -%}
    {%- if ended -%}
        {%- do dbt_mview._run(
            "record", dbt_mview._retry_on_conflict_sql(dbt_mview._insert_history_sql(ended)), job
        ) -%}
    {%- endif -%}
    {%- if outcomes -%}
        {%- do dbt_mview._run(
            "record", dbt_mview._retry_on_conflict_sql(dbt_mview._note_outcomes_sql(outcomes)), job
        ) -%}
    {%- endif -%}
{% endmacro %}


{# Deletes the row of a view, if its lock is still this job's. Args: mview_id, job (token). #}
{% macro _delete_state(mview_id, job) %}
    {%- do dbt_mview._run(
        "forget",
        dbt_mview._retry_on_conflict_sql(
            "delete from " ~ dbt_mview._info_table()
            ~ " where mview_id = " ~ dbt_mview._literal(mview_id)
            ~ " and lock_token = " ~ job.token
        ),
        job,
    ) -%}
{% endmacro %}


{# Gives the lock back, if it is still this job's. Args: mview_id, job (token, owner). #}
{% macro _release(mview_id, job) %}
    {%- do dbt_mview._run(
        "release",
        dbt_mview._retry_on_conflict_sql(
            "update " ~ dbt_mview._info_table()
            ~ " set lock_owner = null, lock_time = null, lease_until = null, intent = null"
            ~ " where mview_id = " ~ dbt_mview._literal(mview_id)
            ~ " and lock_token = " ~ job.token
            ~ " and lock_owner = " ~ dbt_mview._literal(job.owner)
        ),
        job,
    ) -%}
{% endmacro %}
