{#
Step start_log: an empty log that begins at the base's present version, in one commit, in place of
any older one. What an older one held is of no use any more: it ends before the gap.

Args: spec, job (gap, now). Errors: the engine's own.
#}
{% macro _start_log(spec, job) %}
    {%- set at = {"version": job.now.version, "commit_time": job.now.commit_time} -%}
    {%- set coverage = {
        "base": spec.base,
        "began": at,
        "start": at,
        "captured": at,
        "gap": job.gap,
    } -%}
    {%- do dbt_mview._run("start_log", dbt_mview._create_log_sql(spec, job, coverage), job) -%}
    {%- if job.coverage -%}
        {%- do exceptions.warn(
            "dbt_mview: "
            ~ spec.mlog_id
            ~ " begins anew at v"
            ~ at.version
            ~ " of its base: "
            ~ job.gap
            ~ ". Views that have not read so far are refreshed in full."
        ) -%}
    {%- endif -%}
    {#- The statement has said it. -#}
    {%- do job.state.spec.update({"description": spec.description}) -%}
    {%- do job.update({"coverage": coverage, "rows": 0}) -%}
{% endmacro %}
