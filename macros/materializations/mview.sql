{#
A materialized view: one table that is refreshed as a transaction. docs/protocol.md explains the
steps, docs/configs.md the configs.
#}
{% materialization mview, adapter = "spark" %}
    {%- set spec = dbt_mview._spec_from_model() -%}
    {%- set job = dbt_mview._job(spec, model.unique_id) -%}
    {%- set view = this.incorporate(type="table") -%}

    {%- do dbt_mview._look(spec, job) -%}
    {%- if job.skip -%} {%- do dbt_mview._record_skip(spec, job) -%}
    {%- else -%} {{ run_hooks(pre_hooks) }} {%- do dbt_mview._refresh(spec, job) -%}
    {%- endif -%}
    {%- if not job.skip or dbt_mview._settings(spec, job) -%}
        {%- do apply_grants(view, config.get("grants"), should_revoke=true) -%}
        {%- if job.skip -%}
            {%- do dbt_mview._persist_docs(spec, job, dbt_mview._known_comment(spec, job)) -%}
        {%- endif -%}
    {%- endif -%}
    {%- if not job.skip or dbt_mview._is_post_publish_pending(job) -%}
        {{ run_hooks(post_hooks) }}
    {%- endif -%}
    {%- if job.publish == "swap" -%} {%- do adapter.cache_dropped(view) -%} {%- endif -%}
    {%- do dbt_mview._group_barrier(spec, job) -%}
    {%- do dbt_mview._report_result(job) -%}

    {{ return({"relations": [view]}) }}
{% endmaterialization %}
