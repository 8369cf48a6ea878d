{#
Deletes from a log what no view needs any more, as the protocol reads (docs/log.md). Batches, each
a commit of its own with the lock taken again; whatever ends it, the log still holds all changes
after the start that it names.

Args: log_ (mapping mlog_id, name, coverage), job (see _purge_job). Sets job.rows, job.batches,
    job.stopped.
Errors: another run is purging the log; a row of state is missing; the engine's own.
#}
{% macro _purge(log_, job) %}
    {%- do job.update({"safe": dbt_mview._safe_version(log_)}) -%}
    {%- do job.update({"row": dbt_mview._read_log_row(log_.mlog_id)}) -%}
    {%- set last = job.row.last_purged_version -%}
    {%- if last is not none and last >= job.safe.version -%}
        {%- do dbt_mview._record_nothing(log_, job) -%} {{ return(none) }}
    {%- endif -%}
    {%- do dbt_mview._acquire_log(log_, job) -%}
    {%- do dbt_mview._open_purge(log_, job) -%}
    {%- do dbt_mview._note_purge(log_, job) -%}
    {%- for _ in range(100000) if not job.ended -%}
        {%- do dbt_mview._purge_batch(log_, job) -%}
    {%- endfor -%}
    {%- do dbt_mview._close_purge(log_, job) -%}
    {%- if job.stopped -%}
        {%- do exceptions.warn(
            "dbt_mview: "
            ~ log_.mlog_id
            ~ ": purge stopped before deleting all eligible rows due to lock conflict; "
            ~ "retry later"
        ) -%}
    {%- endif -%}
{% endmacro %}
