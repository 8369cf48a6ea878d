{#
Records a failure of views, or of the purges of logs, whose process died before it could record one:
it counts, is in history, and is tried again later like any other. Called again for the same run, it
does nothing.

Args: failures (mapping id -> reason), run (string: what failed, by a name that nothing else has;
    history shows it as the invocation), dry_run (bool: print the statements).
Errors: one is missing; failures is no mapping. An id that state does not know, or whose lock is
    held, is skipped.
Example: dbt run-operation mview_note_failures --args '{failures: {c.s.orders: died}, run: r1}'
#}
{% macro mview_note_failures(failures, run, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- set example = "{failures: {spark_catalog.shop.orders: it died}, run: night 7}" -%}
    {%- for name, value in [["failures", failures], ["run", run]] -%}
        {%- do dbt_mview._check_given(name, value, example) -%}
    {%- endfor -%}
    {%- if failures is not mapping -%}
        {%- do dbt_mview._raise(
            "mview_note_failures",
            "failures is " ~ tojson(failures) ~ ".",
            "Give a reason for each mview_id or mlog_id.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set jobs = {} -%}
    {%- for id in failures -%} {%- do jobs.update({id: local_md5(run ~ id)}) -%} {%- endfor -%}
    {%- set states = dbt_mview._read_states(jobs.keys() | list) if jobs else {} -%}
    {%- do dbt_mview._record_failed_views(states, jobs, failures, run, dry_run) -%}
    {%- set rest = jobs.keys() | reject("in", states) | list -%}
    {%- if rest and dbt_mview._has_log_state() -%}
        {%- do dbt_mview._ensure_state(dry_run, logs=true) -%}
        {%- do dbt_mview._record_failed_purges(rest, jobs, failures, dry_run) -%}
    {%- endif -%}
{% endmacro %}


{# Args: states (rows by id), jobs (job ids by id), others as mview_note_failures. #}
{% macro _record_failed_views(states, jobs, failures, run, dry_run) %}
    {%- set noted = dbt_mview._recorded_refreshes(states.keys() | list, jobs) -%}
    {%- set outcomes = [] -%}
    {%- for id, state in states.items() if not state.lock_owner -%}
        {#- History comes first: who died between has left a row that knows of nothing since. -#}
        {%- set told = noted.get(jobs[id]) -%}
        {%- if told is none or (state.last_refresh_time or 0) < told -%}
            {%- do outcomes.append(
                dbt_mview._outcome(
                    id,
                    jobs[id],
                    run,
                    none,
                    "failed",
                    none,
                    method="complete",
                    failed_reason=dbt_mview._failed_reason("not_finished", failures[id]),
                    started=dbt_mview._now_micros(),
                    seen=state.last_refresh_time,
                    refresh_group=(state.spec or {}).get("refresh_group"),
                )
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do dbt_mview._write_outcomes(outcomes, dbt_mview._bare_job(dry_run)) -%}
{% endmacro %}


{# Args: ids (of what is no view), jobs (job ids by id), others as mview_note_failures. #}
{% macro _record_failed_purges(ids, jobs, failures, dry_run) %}
    {%- set noted = dbt_mview._recorded_purges(ids, jobs) -%}
    {%- for id in ids if jobs[id] not in noted -%}
        {%- set row = dbt_mview._find_log_row(id) -%}
        {%- if row and not row.lock_owner -%}
            {%- set job = dbt_mview._purge_record(
                {"id": jobs[id], "method": "automatic", "dry_run": dry_run}
            ) -%}
            {%- set reason = "the purge did not finish: " ~ failures[id] -%}
            {%- for sql in [
                dbt_mview._insert_purge_sql({"mlog_id": id}, job, "failed", reason),
                dbt_mview._charge_log_sql(id),
            ] -%}
                {%- do dbt_mview._run("close_purge", dbt_mview._retry_on_conflict_sql(sql), job) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}
