{#
Appends what changed since the last capture. Rows of one version stay together: one file each, or
a few where they are many.

Delta drops an INSERT whose txnVersion is not above the last one, also where the log began anew in
between. The base's version could go back then, if the base was dropped and created; that of the
log's table never does.

Args: spec, job (columns, change, coverage), at (mapping version, commit_time: how far).
Returns: SQL text.
#}
{% macro _capture_sql(spec, job, at) -%}
{%- set names = dbt_mview._quote_all(job.columns | map(attribute="name") | list) -%}
{%- set names = names ~ ", " ~ dbt_mview._change_columns() | join(", ") -%}
insert into {{ spec.name }}
with (
    'userMetadata' = {{ dbt_mview._capture_meta(spec, job, at) }},
    'txnAppId' = {{ dbt_mview._literal("mlog:" ~ spec.mlog_id) }},
    'txnVersion' = '{{ job.coverage.version + 1 }}'
) ({{ names }})
select /*+ rebalance(_commit_version) */ {{ names }}
from {{ dbt_mview._feed_sql(job.change) }}
where
    not exists (
        select 1 from {{ spec.name }} as logged
        where logged._commit_version > {{ job.coverage.captured.version }}
    )
{%- endmacro %}


{# Args: spec, columns (that the base got). Returns: SQL text. #}
{% macro _add_columns_sql(spec, columns) -%}
{%- set items = [] -%}
{%- for column in columns -%}
{%- do items.append(dbt_mview._quote(column.name) ~ " " ~ column.type) -%}
{%- endfor -%}
alter table {{ spec.name }} add columns ({{ items | join(", ") }})
{%- endmacro %}
