{#
How many keys the view would hold more than once after FAST. Groups by their own key cannot; rows
that come can, and rows that are computed again, all those of one unique_key together.

Args: spec, job. Returns: SQL text, one row with one count.
#}
{% macro _audit_changes_sql(spec, job) -%}
    {%- set key = dbt_mview._quote_all(spec.unique_key) -%}
    {%- if job.fast.strategy == "keyed" and not job.fast.one_row -%}
        {{ return(dbt_mview._audit_again_sql(spec, job)) }}
    {%- elif job.fast.strategy != "append" -%} {{ return("select 0 as unique_key") }}
    {%- endif -%}
select count(*) as unique_key
from (
    select {{ key }}, sum(_mview_n) as _mview_change
    from {{ dbt_mview._stage_name(job.id) }}
    group by {{ key }}
    having max(_mview_n) > 0
) as s
left join (
    select {{ key }}, count(*) as _mview_had
    from {{ dbt_mview._view_as_seen(spec, job) }}
    group by {{ key }}
) as v
    on {{ dbt_mview._same_keys("s", "v", spec.unique_key) }}
where coalesce(v._mview_had, 0) + s._mview_change > 1
{%- endmacro %}


{# As _audit_changes_sql, of the rows that are computed again. #}
{% macro _audit_again_sql(spec, job) -%}
select count(*) as unique_key
from (
    select 1
    from (
{{ dbt_mview._again_sql(spec, job) }}
    )
    group by {{ dbt_mview._quote_all(spec.unique_key) }}
    having count(*) > 1
)
{%- endmacro %}


{#
How many values of a unique_key that is only a part of the group's key two groups may share.
Groups that vanish are counted, too.

Args: spec, job. Returns: SQL text, one row with one count.
#}
{% macro _shared_keys_sql(spec, job) -%}
    {%- set names = dbt_mview._quote_all(job.fast["keys"]) -%}
select count(*)
from (
    select 1
    from (
        select {{ names }}
        from {{ dbt_mview._view_as_seen(spec, job) }}
        union
        select {{ names }}
        from {{ dbt_mview._stage_name(job.id) }}
    )
    group by {{ dbt_mview._quote_all(spec.unique_key) }}
    having count(*) > 1
)
{%- endmacro %}
