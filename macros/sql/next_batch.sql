{#
The versions that the next batch deletes: as many whole ones, from the oldest on, as have no more
files together than a batch may remove; at least one. (Files are counted as groups: a distinct
count takes twice as long.)

Args: log_, job (upto: where the last batch ended, safe, batch_size).
Returns: SQL text, one row: last version (or null), files, rows.
#}
{% macro _next_batch_sql(log_, job) -%}
select max(version) as upto, max(files) as files, max(rows) as rows
from (
    select
        _commit_version as version,
        sum(files) over (order by _commit_version) as files,
        sum(rows) over (order by _commit_version) as rows,
        row_number() over (order by _commit_version) as nth
    from (
        select _commit_version, count(*) as files, sum(rows) as rows
        from (
            select _commit_version, count(*) as rows
            from {{ log_.name }}
            where _commit_version > {{ job.upto }} and _commit_version <= {{ job.safe.version }}
            group by _commit_version, _metadata.file_path
        )
        group by _commit_version
    )
)
where nth = 1 or files <= {{ job.batch_size }}
{%- endmacro %}
