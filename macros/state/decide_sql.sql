{#
The decision to publish a group of views, in their own rows: all of them or, where one lock was
lost, none.

Args: jobs (list). Returns: SQL text.
#}
{% macro _decide_sql(jobs) %}
    {%- set ids = jobs | map(attribute="spec.mview_id") | list -%}
    {%- set rows = [] -%}
    {%- for job in jobs -%}
        {%- set intent = dict(dbt_mview._intent(job.spec, job), redo=dbt_mview._redo(job)) -%}
        {%- set row = [
            dbt_mview._literal(job.spec.mview_id), job.token, dbt_mview._literal(job.id),
            dbt_mview._json_literal(intent),
        ] -%}
        {%- do rows.append("        (" ~ row | join(", ") ~ ")") -%}
    {%- endfor -%}
    {%- set lost = "raise_error('dbt_mview: lock lost: another run took over the refresh of ' || "
        ~ "s.mview_id || ', nothing of its refresh_group was published by this one')" -%}
merge into {{ dbt_mview._info_table() }} as t
using (
    select *
    from values
{{ rows | join(",\n") }}
        as decided (mview_id, token, job_id, intent)
) as s
on t.mview_id = s.mview_id and t.mview_id in ({{ dbt_mview._literals(ids) }})
when matched then update set
    intent = case
        when t.lock_token = s.token and t.refresh_job_id = s.job_id then s.intent
        else {{ lost }}
    end
when not matched then insert (mview_id) values ({{ lost }})
{%- endmacro %}
