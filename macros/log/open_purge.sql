{#
Step open_purge: the purge has a row in history from here on. A dead one that left its row at
`running` is ended by the purge that takes its lock over.
#}
{% macro _open_purge(log_, job) %}
    {%- if job.took_over -%}
        {%- do dbt_mview._run(
            "open_purge",
            dbt_mview._retry_on_conflict_sql(dbt_mview._end_dead_purges_sql(log_)),
            job,
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._run(
        "open_purge",
        dbt_mview._retry_on_conflict_sql(
            dbt_mview._insert_purge_sql(log_, job, "running", none)
        ),
        job,
    ) -%}
{% endmacro %}
