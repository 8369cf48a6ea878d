{#
Rows that are computed again from the new versions: those of affected keys, and groups that are
undecided.
#}
{#
The groups or partitions that are computed again, from the new versions of the sources. The bounds
are texts: a CHAR(n) would be compared by its blanks. Within the subquery a column of the stage goes
before a table around it, so these have names that no column has.
#}
{% macro _recompute_keys_sql(spec, job) -%}
    {%- set added_up = job.fast.strategy == "aggregate delta" -%}
select {{ dbt_mview._prefixed("_mview_q", job.columns | map(attribute="name") | list) }}, 'insert'
from (
select {{ dbt_mview._select_list(dbt_mview._without_lengths(job.columns)) }}
from (
{{ job.query }}
)
) as _mview_q
where {{ dbt_mview._bounds_sql("_mview_q", job.bounds) }}
    and exists (
        select 1
        from {{ "(\n" ~ dbt_mview._combined_sql(spec, job) ~ "\n)" if added_up
            else dbt_mview._stage_name(job.id) }} as _mview_a
        where {{ dbt_mview._same_keys("_mview_a", "_mview_q", job.fast["keys"], job.columns) }}
            {{- " and _mview_a._mview_undecided" if added_up }}
    )
{%- endmacro %}


{#
Every touched group goes. What is no key gets its type from the groups beside, see
_recompute_keys_sql.
#}
{% macro _affected_keys_sql(spec, job) -%}
    {%- set items = [] -%}
    {%- for column in job.columns -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- set key = column.name in job.fast["keys"] -%}
        {%- do items.append(
            name if key else "null as " ~ name
        ) -%}
    {%- endfor -%}
select {{ items | join(", ") }}, 'delete' as _mview_op
from {{ dbt_mview._stage_name(job.id) }}
{%- endmacro %}


{# As _audit_changes_sql, of the rows that are computed again. #}
{% macro _audit_recomputed_sql(spec, job) -%}
select count(*) as unique_key
from (
    select 1
    from (
{{ dbt_mview._recompute_keys_sql(spec, job) }}
    )
    group by {{ dbt_mview._quote_all(spec.unique_key) }}
    having count(*) > 1
)
{%- endmacro %}
