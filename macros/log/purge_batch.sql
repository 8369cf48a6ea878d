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
    {%- if not (ours and dbt_mview._is_still(log_)) -%}
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
