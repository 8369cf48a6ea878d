{#
Deletes from materialized view logs what no view needs any more.

Args: log (model name, schema.identifier or mlog_id), base (schema.identifier of a table: all logs
    of it); without either all logs that state knows. Without `log`, logs that are gone, or whose
    base is gone, or that another run is purging, are skipped with a warning. batch_size (int, 1 to
    1000000, by default the var dbt_mview:purge_batch_size or 100000: the most data files that one
    commit removes).
    dry_run (bool: print how far it would go, what holds it back, and the statements).
Errors: batch_size is none; no such log; another run is purging it; a row of state is missing; the
    engine's own.
Example: dbt run-operation mlog_purge --args '{log: orders_log}'
#}
{% macro mlog_purge(log=none, base=none, batch_size=none, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- if batch_size is not none and not dbt_mview._is_batch_size(batch_size) -%}
        {%- do dbt_mview._raise(
            "mlog_purge",
            "batch_size is '" ~ batch_size ~ "'.",
            "Give a whole number from 1 to 1000000, as in --args '{batch_size: 100000}'.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run, logs=true) -%}
    {%- set lines = [] -%}
    {%- set dependents = [] -%}
    {%- for mlog_id in dbt_mview._logs_to_purge(log, base) -%}
        {%- set job = dbt_mview._purge_job(mlog_id, "manual", batch_size, dry_run, log is none) -%}
        {%- do dbt_mview._purge(mlog_id, job) -%}
        {%- if job.log -%} {%- do dbt_mview._add_purge(job, lines, dependents) -%} {%- endif -%}
    {%- endfor -%}
    {%- do dbt_mview._print_table(
        ["log", "captured", "purged up to", "rows", "batches", "result"],
        lines,
        "mlog_purge: there is no materialized view log to purge",
    ) -%}
    {%- if lines -%}
        {%- do dbt_mview._print_table(["log", "view", "has read", "holds it back"], dependents) -%}
    {%- endif -%}
{% endmacro %}


{# What a purge did, and for which views. Args: job, lines, dependents (lists that grow). #}
{% macro _add_purge(job, lines, dependents) %}
    {%- set done = "dry run" if job.dry_run else "success" -%}
    {%- do lines.append(
        [
            job.log.short,
            "v" ~ job.log.coverage.captured.version,
            "v" ~ job.safe.version,
            job.rows,
            job.batches,
            "stopped: lock lost" if job.stopped else done,
        ]
    ) -%}
    {%- for view in job.safe.dependents -%}
        {%- do dependents.append(
            [
                job.log.short,
                dbt_mview._short_name(view.mview_id),
                "v" ~ view.version,
                "yes" if view.version == job.safe.version else "-",
            ]
        ) -%}
    {%- endfor -%}
{% endmacro %}


{# Args: log, base (as given). Returns: list of mlog_ids. Errors: none is meant. #}
{% macro _logs_to_purge(log, base) %}
    {%- set found = [] -%}
    {%- set table = none if base is none else base | string | lower -%}
    {%- if table and table.count(".") < 2 -%}
        {%- set table = dbt_mview._current_catalog() ~ "." ~ table -%}
    {%- endif -%}
    {%- for mlog_id in dbt_mview._logs_of(table) -%}
        {%- if log is none or dbt_mview._is_log_called(log, mlog_id) -%}
            {%- do found.append(mlog_id) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not found and log is not none -%} {%- do dbt_mview._raise_no_log(log) -%}
    {%- elif not found and base is not none -%} {%- do dbt_mview._raise_no_log(base, "has no") -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}


{# Args: name (of a log, or of a table without one), verb (what it is not). Errors: always. #}
{% macro _raise_no_log(name, verb="is no") %}
    {%- set wanted = name | string | lower -%}
    {%- set known = [] -%}
    {%- for id in dbt_mview._logs_of() -%}
        {%- do known.extend([dbt_mview._model_name(id), dbt_mview._short_name(id)]) -%}
    {%- endfor -%}
    {%- set other = dbt_mview._what_is_called(wanted, "log") if verb == "is no" else none -%}
    {%- do dbt_mview._raise(
        name,
        (
            "is " ~ other ~ " that state knows."
            if other
            else verb ~ " materialized view log that state knows."
        ),
        (dbt_mview._did_you_mean(wanted, known) if verb == "is no" else "")
        ~ "Build it once with dbt run; mlog_info lists all.",
    ) -%}
{% endmacro %}


{# Args: log (as a user names it), mlog_id. Returns: bool. #}
{% macro _is_log_called(log, mlog_id) %}
    {%- set wanted = log | string | lower -%}
    {%- if mlog_id == wanted or mlog_id.endswith("." ~ wanted) -%} {{ return(true) }}{%- endif -%}
    {%- for node in graph.nodes.values()
        if node.config.get("materialized") == "materialized_view_log" -%}
        {%- if wanted in [node.name | lower, dbt_mview._versioned_name(node) | lower] -%}
            {%- if dbt_mview._mview_id(dbt_mview._relation_of(node)) == mlog_id -%}
                {{ return(true) }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
