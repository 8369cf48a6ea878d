{#
Deletes from a log what no view needs any more, as the protocol reads (docs/log.md). Batches, each
a commit of its own with the lock taken again; whatever ends it, the log still holds all changes
after the start that it names.

Args: mlog_id, job (see _purge_job). Sets job.log (see _find_log, or none: the log is gone, and
    passed over), job.rows, job.batches, job.stopped.
Errors: another run is purging the log; the log is gone; a row of state is missing; the engine's
    own.
#}
{% macro _purge(mlog_id, job) %}
    {%- if not job.row -%}
        {%- do job.update({"row": dbt_mview._read_log_row(mlog_id)}) -%}
    {%- endif -%}
    {%- do dbt_mview._look_at_purge(mlog_id, job) -%}
    {%- do dbt_mview._acquire_log(mlog_id, job) -%}
    {%- if job.token is none -%}
        {%- if job.log -%} {%- do dbt_mview._record_nothing(job.log, job) -%} {%- endif -%}
        {{ return(none) }}
    {%- endif -%}
    {%- do dbt_mview._open_purge(job.log, job) -%}
    {%- do dbt_mview._note_purge(job.log, job) -%}
    {%- for _ in range(100000) if not job.ended -%}
        {%- do dbt_mview._purge_batch(job.log, job) -%}
    {%- endfor -%}
    {%- do dbt_mview._close_purge(job.log, job) -%}
    {%- if job.stopped -%}
        {%- do exceptions.warn(
            "dbt_mview: "
            ~ mlog_id
            ~ ": purge stopped before deleting all eligible rows due to lock conflict; "
            ~ "retry later"
        ) -%}
    {%- endif -%}
{% endmacro %}
