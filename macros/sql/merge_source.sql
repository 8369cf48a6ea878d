{#
The rows that a FAST publish takes away (_mview_op 'delete', by their keys), those that it puts in
('insert'), and those that it puts in the place of the row with their keys, if there is one ('put').

Args: spec, job. Returns: SQL text, a query.
#}
{% macro _merge_source_sql(spec, job) %}
    {%- set strategy = job.fast.strategy -%}
    {%- if strategy == "append" -%} {{ return(dbt_mview._merge_rows_sql(spec, job)) }}{%- endif -%}
    {%- set parts = [
        dbt_mview._added_up_sql(spec, job)
        if strategy == "aggregate"
        else dbt_mview._touched_groups_sql(spec, job)
    ] -%}
    {%- if strategy == "keyed" or job.doubts > 0 -%}
        {%- do parts.append(dbt_mview._again_sql(spec, job)) -%}
    {%- endif -%}
    {{ return(parts | join("\nunion all\n")) }}
{% endmacro %}


{#
The groups whose values the changes decide; the others go, as those that vanish. Where nobody has
looked at the changes before, one in doubt is an error.
#}
{% macro _added_up_sql(spec, job) -%}
select
    {{ dbt_mview._quote_all(job.columns | map(attribute="name") | list) }},
    case
        {%- if not job.staged %}
        when _mview_doubt then raise_error('dbt_mview: a group is in doubt')
        {%- endif %}
        when _mview_alive and not _mview_doubt then 'put'
        else 'delete'
    end as _mview_op
from (
{{ dbt_mview._combined_sql(spec, job) }}
)
{%- endmacro %}


{# Every touched group goes. What is no key gets its type from the groups beside, see _again_sql. #}
{% macro _touched_groups_sql(spec, job) -%}
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


{#
The groups or partitions that are computed again, from the new versions of the sources. The bounds
are texts: a CHAR(n) would be compared by its blanks. Within the subquery a column of the stage goes
before a table around it, so these have names that no column has.
#}
{% macro _again_sql(spec, job) -%}
    {%- set added_up = job.fast.strategy == "aggregate" -%}
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
        where {{ dbt_mview._same_keys("_mview_a", "_mview_q", job.fast["keys"]) }}
            {{- " and _mview_a._mview_doubt" if added_up }}
    )
{%- endmacro %}
