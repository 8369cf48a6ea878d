{#
A materialized view log: every change of a base table, kept after VACUUM took the table's own change
files. docs/log.md explains it and its configs.
#}
{% materialization materialized_view_log, adapter = "spark" %}
    {%- set spec = dbt_mview._log_spec_from_model() -%}
    {%- set job = dbt_mview._log_job(spec) -%}
    {%- set mlog = this.incorporate(type="table") -%}

    {{ run_hooks(pre_hooks) }}
    {%- do dbt_mview._inspect_base(spec, job) -%}
    {%- do dbt_mview._inspect_log(spec, job) -%}
    {%- do dbt_mview._switch_feed_on(spec, job) -%}
    {%- if job.gap -%} {%- do dbt_mview._start_log(spec, job) -%}
    {%- else -%} {%- do dbt_mview._capture(spec, job) -%}
    {%- endif -%}
    {%- set row = dbt_mview._register_log(spec, job) -%}
    {%- do dbt_mview._alter_log(spec, job) -%}
    {%- do apply_grants(mlog, config.get("grants"), should_revoke=true) -%}
    {%- do dbt_mview._persist_docs(spec, job, job.comment or "") -%}
    {%- do dbt_mview._purge_when_due(spec, row) -%}
    {{ run_hooks(post_hooks) }}
    {%- do dbt_mview._report_capture(job) -%}

    {{ return({"relations": [mlog]}) }}
{% endmaterialization %}
