{#
Rows without a key, for a FAST publish: MERGE cannot take away some of several equal rows, so all
copies go and those that are left come back.

Args: spec, job. Returns: SQL text, a query, see _merge_source_sql.
#}
{% macro _merge_rows_sql(spec, job) -%}
    {%- set names = dbt_mview._quote_all(job.columns | map(attribute="name") | list) -%}
select {{ names }}, 'delete' as _mview_op
from {{ dbt_mview._stage_name(job.id) }}
where _mview_n < 0
union all
select {{ names }}, 'insert'
from (
{{ dbt_mview._copies_sql(spec, job) }}
)
lateral view explode(sequence(1L, _mview_copies)) _mview_e as _mview_i
{%- endmacro %}


{# How many copies come: of a row that became more, and of one that became less, but some stay. #}
{% macro _copies_sql(spec, job) -%}
    {%- set keys = job.fast["keys"] -%}
    {%- set names = dbt_mview._quote_all(keys) -%}
    {%- set stage = dbt_mview._stage_name(job.id) -%}
select {{ names }}, _mview_n as _mview_copies
from {{ stage }}
where _mview_n > 0
union all
select {{ dbt_mview._prefixed("s", keys) }}, s._mview_n + v._mview_had
from {{ stage }} as s
join (
    select {{ names }}, count(*) as _mview_had
    from {{ dbt_mview._view_as_seen(spec, job) }}
    group by {{ names }}
) as v
    on {{ dbt_mview._same_keys("s", "v", keys) }}
where s._mview_n < 0 and s._mview_n + v._mview_had > 0
{%- endmacro %}
