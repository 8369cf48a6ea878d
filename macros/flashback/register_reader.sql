{#
Who reads the past: an invocation says so before it chooses a version, so that a cleaning leaves it
what it needs; a crash frees itself when the lease is over.
#}
{#
Says that this invocation reads tables as of a time, before it chooses a version of any. Said once;
again where an earlier time is read, and when half of the lease is over.

Args: low_time (microseconds), object (what an error names).
Errors: what was then has been cleaned.
#}
{% macro _register_reader(low_time, object) %}
    {%- do dbt_mview._ensure_flashback_state() -%}
    {%- set reader = dbt_mview._memory().reader -%}
    {%- set now = dbt_mview._now_micros() -%}
    {%- set half = dbt_mview._lease_seconds() * 500000 -%}
    {%- set lowest = [low_time, reader.get("low_time", low_time)] | min -%}
    {%- if not reader or lowest < reader.low_time or now > reader.said + half -%}
        {%- do dbt_mview._run(
            "reader", dbt_mview._insert_reader_sql(lowest), dbt_mview._bare_job()
        ) -%}
        {%- do reader.update({"low_time": lowest, "said": now}) -%}
        {%- do reader.update({"cleaned": dbt_mview._cleaned_until()}) -%}
    {%- endif -%}
    {%- if low_time < (reader.cleaned or 0) -%}
        {%- do dbt_mview._raise(
            object,
            dbt_mview._moment_text(low_time)
            ~ " is outside of the window, which begins at "
            ~ dbt_mview._moment_text(reader.cleaned)
            ~ ": what was before has been cleaned.",
            "Give a later time; the vars dbt_mview:flashback_window and"
            ~ " dbt_mview:flashback_history_limit say how much is kept.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{# The end of an invocation that read the past. #}
{% macro _release_reader() %}
    {%- set reader = dbt_mview._memory().reader -%}
    {%- if reader -%}
        {%- do dbt_mview._run(
            "reader",
            dbt_mview._retry_on_conflict_sql(dbt_mview._delete_reader_sql()),
            dbt_mview._bare_job(),
        ) -%}
        {%- do reader.clear() -%}
    {%- endif -%}
{% endmacro %}


{# A moment to the millisecond, as Delta has it. Args: micros (int). Returns: string, UTC. #}
{% macro _moment_text(micros) %}
    {%- set seconds = dbt_mview._iso(micros)[:-1] -%}
    {{ return("%s.%03dZ" % (seconds, micros // 1000 % 1000)) }}
{% endmacro %}
