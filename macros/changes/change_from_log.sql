{#
The change of one table from a materialized view log of it, where the feed does not reach back.
#}
{#
The change of a source whose own feed does not reach back far enough: the rows of a log of it, and
the feed for what the log has not captured yet.

Args: relation (name), was, now (pins), reason (why the feed does not do).
Returns: see _change_record.
#}
{% macro _change_from_log(relation, was, now, reason) %}
    {%- set none_of_it = dbt_mview._change_record({"reason": reason}) -%}
    {%- if reason.code != "CHANGE_DATA_UNAVAILABLE" -%} {{ return(none_of_it) }}{%- endif -%}
    {#- Of several logs that reach back, the one that leaves out least. -#}
    {%- set best = namespace(found=none_of_it, columns=-1) -%}
    {%- for mlog_id in dbt_mview._logs_of(relation) -%}
        {%- set found = dbt_mview._change_in_log(mlog_id, relation, was, now) -%}
        {%- set columns = -1 if found.reason else found.log.columns | length -%}
        {%- if columns > best.columns or best.columns < 0 -%}
            {%- set best.found, best.columns = found, columns -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(best.found) }}
{% endmacro %}


{#
What one log knows of the change.

Args: mlog_id, relation (names), was, now (pins). Returns: as _change_from_log.
#}
{% macro _change_in_log(mlog_id, relation, was, now) %}
    {%- set found = dbt_mview._find_log(mlog_id) -%}
    {%- set log_ = found.coverage -%}
    {%- set reason = dbt_mview._why_not_in_log(found.short, log_, relation, was, now) -%}
    {%- if reason -%} {{ return(dbt_mview._change_record({"reason": reason})) }}{%- endif -%}
    {%- set end = [log_.captured.version, now.version] | min -%}
    {%- set change = dbt_mview._change_record(
        {
            "relation": relation,
            "start": was.version,
            "end": now.version,
            "log": {"name": found.name, "version": log_.version, "end": end},
        }
    ) -%}
    {%- if now.version > log_.captured.version -%}
        {%- set tail = dbt_mview._feed_change(relation, log_.captured, now) -%}
        {%- set reason = tail.reason or dbt_mview._why_repartitioned(tail) -%}
        {%- if reason -%} {{ return(dbt_mview._change_record({"reason": reason})) }}{%- endif -%}
        {%- if tail.inserts or tail.deletes -%}
            {%- do change.log.update({"next": tail.first}) -%}
        {%- endif -%}
        {%- do change.update(
            {
                "rows": tail.rows,
                "inserts": tail.inserts,
                "deletes": tail.deletes,
                "large_vectors": tail.large_vectors,
            }
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._add_logged_effect(change) -%}
    {%- set read = found.name ~ " version as of " ~ log_.version -%}
    {%- do change.log.update({"columns": dbt_mview._logged_columns(read)}) -%}
    {{ return(change) }}
{% endmacro %}


{#
Why a log does not hold the change. The versions of a table that was dropped and created start at 0
again, so both the version and the time of a commit must lie in the log, or after it.

Args: name (of the log, for people), log_ (see _coverage), relation, was, now.
Returns: see _reason, or none.
#}
{% macro _why_not_in_log(name, log_, relation, was, now) %}
    {%- set end = log_.captured -%}
    {%- set gone = "CHANGE_DATA_UNAVAILABLE" -%}
    {%- if log_.base != relation -%}
        {{ return(dbt_mview._reason(gone, name ~ " is no log of it any more")) }}
    {%- elif log_.changed -%}
        {%- set changed = name ~ " was changed: " ~ log_.changed -%}
        {{ return(dbt_mview._reason(gone, changed, ["log_was_changed"])) }}
    {%- elif dbt_mview._came_before(was, log_.start) -%}
        {%- set begins = " begins at v" ~ log_.start.version ~ ", " ~ log_.gap -%}
        {{ return(dbt_mview._reason(gone, name ~ begins)) }}
    {%- elif dbt_mview._came_before(end, was) -%}
        {{ return(dbt_mview._reason(gone, name ~ " ends at v" ~ end.version)) }}
    {%- endif -%}
    {%- set older, newer = (now, end) if now.version <= end.version else (end, now) -%}
    {%- set replaced = (
        older.commit_time > newer.commit_time + dbt_mview._commit_time_tolerance()
    ) -%}
    {{ return(dbt_mview._reason("SOURCE_REPLACED") if replaced else none) }}
{% endmacro %}


{# Adds what the log holds to a change: how many rows, of which kinds. Args: change. #}
{% macro _add_logged_effect(change) %}
    {%- set row = dbt_mview._read("logged_changes", dbt_mview._count_logged_sql(change)).rows[0] -%}
    {%- set came, went = row[0] | int, row[1] | int -%}
    {%- do change.update(
        {
            "rows": none if change.rows is none else change.rows + came + went,
            "inserts": change.inserts or came > 0,
            "deletes": change.deletes or went > 0,
        }
    ) -%}
{% endmacro %}


{# Args: log_ (SQL text, a log). Returns: list of mappings name, type: the columns of the base. #}
{% macro _logged_columns(log_) %}
    {%- set columns = [] -%}
    {%- for column in dbt_mview._describe_query("select * from " ~ log_) -%}
        {%- if column.name not in dbt_mview._change_columns() -%}
            {%- do columns.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(columns) }}
{% endmacro %}


{#
The rows of a log that belong to a change.

Args: change (see _change_from_log). Returns: SQL text, what comes after SELECT ... .
#}
{% macro _logged_sql(change) -%}
from {{ change.log.name }} version as of {{ change.log.version }}
    where _commit_version > {{ change.start }} and _commit_version <= {{ change.log.end }}
{%- endmacro %}


{# Args: change. Returns: SQL text, one row: how many rows came, how many went. #}
{% macro _count_logged_sql(change) -%}
select
    count_if(_change_type in ({{ dbt_mview._change_types(1) }})) as came,
    count_if(_change_type in ({{ dbt_mview._change_types(-1) }})) as went
{{ dbt_mview._logged_sql(change) }}
{%- endmacro %}
