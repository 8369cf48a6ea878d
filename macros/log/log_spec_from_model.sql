{# What a log is, from its model; the record of one capture, and dbt's line of it. #}
{#
What the log is, from the model that is being run.

Returns: see _log_spec_record.
Errors: a mistyped config; a layout of the user's own; a body that is more than columns of one
    table; a purge that is no schedule.
#}
{% macro _log_spec_from_model() %}
    {%- set spec = dbt_mview._log_spec_record(dbt_mview._names_of(this)) -%}
    {%- do dbt_mview._check_config_names(spec.mview_id) -%}
    {%- for name in ["partition_by", "liquid_clustered_by", "contract"] -%}
        {%- set given = dbt_mview._config(name) -%}
        {%- if (given.enforced if name == "contract" else given) -%}
            {%- do dbt_mview._raise(
                spec.mview_id,
                "a materialized view log takes no " ~ name ~ ".",
                "Leave it out: the log is partitioned by _commit_version, for its purge.",
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do spec.update(
        {
            "mlog_id": spec.mview_id,
            "definition": dbt_mview._strip_end(sql),
            "schedule": dbt_mview._schedule(
                spec.mview_id, dbt_mview._config("purge"), "purge"
            ),
            "full_refresh": should_full_refresh(),
            "documented": model.columns if config.persist_column_docs() else {},
            "description": model.description if config.persist_relation_docs() else none,
            "layout": dbt_mview._layout_from_model(spec),
        }
    ) -%}
    {#- It takes the names of a log's columns; projects and sessions switch it on for tables. -#}
    {%- do spec.layout.tblproperties.update({"delta.enableChangeDataFeed": "false"}) -%}
    {%- do dbt_mview._check_schedule(spec.schedule, none) -%}
    {%- if not dbt_mview._is_partial_run() -%}
        {%- do dbt_mview._check_log_body(spec) -%}
    {%- endif -%}
    {{ return(spec) }}
{% endmacro %}


{#
What a log is.

    named by its relation, see _names_of
      mlog_id, mview_id        see _mview_id; the latter for what views have as well
      name, rendered, schema, identifier, database, namespace
    said by its model
      definition               the compiled query
      schedule                 of its purge, see _schedule
      full_refresh             rebuild it
      documented, description, layout  see _spec_record
    found by _inspect_base
      base                     name of the base table, as an mlog_id

Args: values (mapping, some of these). Returns: mapping with all of them.
Errors: a key that is none of them.
#}
{% macro _log_spec_record(values) %}
    {%- set all = {
        "mlog_id": none,
        "mview_id": none,
        "name": none,
        "rendered": none,
        "schema": none,
        "identifier": none,
        "database": none,
        "namespace": none,
        "definition": none,
        "schedule": none,
        "full_refresh": false,
        "documented": {},
        "description": none,
        "layout": none,
        "base": none,
    } -%}
    {{ return(dbt_mview._new_record("log", all, values)) }}
{% endmacro %}


{#
A log's rows stand in for those of its base in any query, so its body may leave out columns, and
nothing else.

Args: spec. Errors: the body is no plain list of columns of one table.
#}
{% macro _check_log_body(spec) %}
    {%- set words = dbt_mview._words(spec.definition) | select | list -%}
    {%- set column = "(?:`(?:[^`]|``)*`|\\w+)(?:\\.(?:`(?:[^`]|``)*`|\\w+))*" -%}
    {%- set columns = "(?:\\*|" ~ column ~ "(?:\n,\n" ~ column ~ ")*)" -%}
    {%- set body = (
        "(?i)select\n"
        ~ columns
        ~ "\nfrom\n"
        ~ column
        ~ "(?:\n(?:as\n)?"
        ~ column
        ~ ")?"
    ) -%}
    {%- if not modules.re.compile(body).fullmatch(words | join("\n")) -%}
        {%- do dbt_mview._raise(
            spec.mlog_id,
            "a materialized view log is `select <columns> from <table>`, without expressions, "
            ~ "names of your own, filters or joins.",
            "Leave them to the views that read the table.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{# A capture that begins. Args: spec. Returns: see _capture_record. #}
{% macro _log_job(spec) %}
    {%- do dbt_mview._ensure_state(logs=true) -%}
    {%- set id = local_md5(invocation_id ~ spec.mlog_id) -%}
    {{ return(dbt_mview._capture_record({"id": id, "unique_id": model.unique_id})) }}
{% endmacro %}


{#
One capture of one log.

    begun by _log_job
      id, dry_run, unique_id, run_text  see _bare_job
    found by _inspect_base
      base                     quoted name of the table that is logged
      now                      its newest version, see _pin_table
      columns                  of the base that are logged
      feed_is_on               whether its change data feed is on
    found by _inspect_log
      gap                      why the log is rebuilt, or none; _capture: its feed is gone
      coverage                 what the log holds, see _coverage; none: there is no log yet
      comment                  of the log's table; none: not looked at
      change                   of the base since the last capture, see _feed_change
      added                    columns that are new in the base
    noted by _capture
      was                      up to where the log went before
      rows                     how many changes were captured
      empty                    --empty or --sample, which captures nothing; or none

Args: values (mapping, some of these). Returns: mapping with all of them.
Errors: a key that is none of them.
#}
{% macro _capture_record(values) %}
    {%- set own = {
        "base": none,
        "now": none,
        "columns": [],
        "feed_is_on": false,
        "gap": none,
        "coverage": none,
        "comment": none,
        "change": none,
        "added": [],
        "was": none,
        "rows": 0,
        "empty": none,
    } -%}
    {{ return(dbt_mview._new_record("capture", dict(dbt_mview._bare_job(), **own), values)) }}
{% endmacro %}


{# dbt's own line of the log: how many changes were captured, of which versions. Args: job. #}
{% macro _report_capture(job) %}
    {%- set at = job.coverage.captured.version -%}
    {%- if job.gap -%} {%- set code, text = "START", "START v" ~ at ~ ": " ~ job.gap -%}
    {%- elif job.empty -%}
        {%- set code, text = "SKIP", "SKIP " ~ job.empty ~ " captures nothing" -%}
    {%- elif job.was.version == at -%}
        {%- set code, text = "SKIP", "SKIP nothing changed since v" ~ at -%}
    {%- else -%}
        {%- set code = "CAPTURE" -%}
        {%- set text = "CAPTURE v" ~ at ~ ", " ~ job.rows ~ " rows: v" ~ job.was.version -%}
        {%- set text = text ~ " -> v" ~ at -%}
    {%- endif -%}
    {%- do store_raw_result("main", message=text, code=code, rows_affected=job.rows) -%}
{% endmacro %}
