{# Step purge_batch: whole versions go, one commit for each batch. #}
{#
Step purge_batch: deletes the next versions of a log, whole ones, so that no row is rewritten. What
a commit costs on Delta are files, and that is what a batch counts.

The statement is tried first: Jinja cannot catch its error, and the history row must say how the
purge ended. Then it is run again, for its error to reach the user.

Args: log_, job (upto, rows, batches). Sets these, and job.ended or job.stopped.
Errors: the engine's own.
#}
{% macro _purge_batch(log_, job) %}
    {%- set next = dbt_mview._next_batch(log_, job) -%}
    {%- if next.files == 0 -%}
        {%- do job.update({"ended": true}) -%} {{ return(none) }}
    {%- endif -%}
    {%- set ours = job.batches == 0 or dbt_mview._keep_lock(log_, job) -%}
    {%- if not (ours and dbt_mview._is_same_log(log_)) -%}
        {%- do job.update({"ended": true, "stopped": true}) -%} {{ return(none) }}
    {%- endif -%}
    {%- set sql = dbt_mview._purge_batch_sql(log_, job, next.upto) -%}
    {%- set outcome = dbt_mview._run("purge_batch", dbt_mview._try_sql(sql), job) -%}
    {%- set failed = not job.dry_run and outcome[0][0] != "done" -%}
    {%- set gone = next if job.dry_run else dbt_mview._deleted(log_, job) -%}
    {%- do job.update(
        {
            "rows": job.rows + gone.rows,
            "batches": job.batches + 1,
            "upto": next.upto,
            "ended": next.files < job.batch_size,
        }
    ) -%}
    {%- if failed -%} {%- do dbt_mview._fail_purge(log_, job, sql) -%}
    {%- elif not job.dry_run -%}
        {%- do log(
            "dbt_mview: "
            ~ log_.mlog_id
            ~ ": batch "
            ~ job.batches
            ~ ", "
            ~ gone.rows
            ~ " rows in "
            ~ gone.files
            ~ " files, up to v"
            ~ next.upto
            ~ " of v"
            ~ job.safe.version,
            info=true,
        ) -%}
    {%- endif -%}
{% endmacro %}


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


{#
What the next batch deletes. A log that has fewer files than a batch may remove takes one batch, and
its rows are not counted; a dry run counts them, to print them.

Args: log_, job. Returns: mapping upto (version), files (at most so many), rows (none: not counted).
#}
{% macro _next_batch(log_, job) %}
    {#- No change has version 0, which a view that was never built has read. -#}
    {%- if job.batches == 0 and not job.dry_run -%}
        {%- set all = 0 -%}
        {%- if job.safe.version > 0 -%}
            {%- set all = dbt_mview._delta_detail(log_.name)["numFiles"] | int -%}
        {%- endif -%}
        {%- if all < job.batch_size -%}
            {{ return({"upto": job.safe.version, "files": all, "rows": none}) }}
        {%- endif -%}
    {%- endif -%}
    {%- set row = dbt_mview._read("next_batch", dbt_mview._next_batch_sql(log_, job)).rows[0] -%}
    {{
        return(
            {
                "upto": none if row[0] is none else row[0] | int,
                "files": (row[1] or 0) | int,
                "rows": (row[2] or 0) | int,
            }
        )
    }}
{% endmacro %}


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


{#
What the last batch of this purge deleted, as its own commit says: nothing, if another purge was
first.

Args: log_, job. Returns: mapping rows, files (ints).
#}
{% macro _deleted(log_, job) %}
    {%- set mark = dbt_mview._batch_mark(job) -%}
    {%- for commit in dbt_mview._delta_history(log_.name, 20) -%}
        {%- if mark in commit.parameters.get("predicate", "") -%}
            {%- set metrics = commit.metrics -%}
            {{
                return(
                    {
                        "rows": metrics.get("numDeletedRows", 0) | int,
                        "files": metrics.get("numRemovedFiles", 0) | int,
                    }
                )
            }}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"rows": 0, "files": 0}) }}
{% endmacro %}


{# What makes a batch known in the history of the log. Args: job. Returns: string. #}
{% macro _batch_mark(job) %} {{ return(job.id ~ "-" ~ job.batches) }} {% endmacro %}
