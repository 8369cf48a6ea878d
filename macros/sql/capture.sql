{#
Appends what changed since the last capture. Rows of one version stay together: one file each, or
a few where they are many. No txnVersion: versions of a base that was dropped and created begin
anew, and Delta would drop the captures of the new one without a word.

Args: spec, job (columns, change, coverage), at (mapping version, commit_time: how far).
Returns: SQL text.
#}
{% macro _capture_sql(spec, job, at) -%}
{%- set names = dbt_mview._quote_all(job.columns | map(attribute="name") | list) -%}
{%- set names = names ~ ", " ~ dbt_mview._change_columns() | join(", ") -%}
{%- set told = dict(job.coverage, captured=at) -%}
insert into {{ spec.name }}
with ('userMetadata' = {{ dbt_mview._capture_meta(spec, job, told) }}) ({{ names }})
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
