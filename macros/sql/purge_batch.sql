{#
Whole versions and nothing else: Delta takes their files out of the log's table without reading
one. The second condition always holds; it makes the commit known in its history, where a constant
would be folded away.

Args: log_, job, upto (version). Returns: SQL text.
#}
{% macro _purge_batch_sql(log_, job, upto) -%}
delete from {{ log_.name }}
where _commit_version <= {{ upto }}
    and cast(_commit_version as string) <> '{{ dbt_mview._batch_mark(job) }}'
{%- endmacro %}
