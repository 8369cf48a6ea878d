{#
What of the planned is due now, and why, oldest first. What waits for its sources is due only if
one of them has changed, or its last refresh failed.

Args: rows (see _due_rows). Returns: mapping due (list of rows, with since and why) and unplanned
    (those whose cron expression has yet to be worked out).
#}
{% macro _what_is_due(rows) %}
    {%- set due = [] -%}
    {%- set unplanned = [] -%}
    {%- set pins = {} -%}
    {%- for row in rows -%}
        {%- set at = row.next_time if row.retry_time is none else row.retry_time -%}
        {%- if at is none -%}
            {%- if "cron" in row.schedule -%} {%- do unplanned.append(row) -%} {%- endif -%}
        {%- elif at <= dbt_mview._clock().now and row.lease_over -%}
            {%- set why = dbt_mview._why_due(row, pins) -%}
            {%- if why -%} {%- do due.append(dict(row, since=at, why=why)) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set due = due | sort(attribute="id") | sort(attribute="since") -%}
    {{ return({"due": due, "unplanned": unplanned}) }}
{% endmacro %}


{#
Why one is due. A source that is gone is told like a change: the run that it makes due says more.

Args: row, pins (mapping that is filled: name -> version now, or none if it is gone).
Returns: string or none.
#}
{% macro _why_due(row, pins) %}
    {%- if row.retry_time is not none -%} {{ return("retry after failure " ~ row.failures) }}
    {%- elif not dbt_mview._waits_for_sources(row.schedule) -%} {{ return("schedule") }}
    {%- elif row.result != "success" -%} {{ return("the last refresh failed") }}
    {%- elif not row.is_built -%} {{ return("first refresh of a deferred view") }}
    {%- endif -%}
    {%- set now = [] -%}
    {%- for source in row.sources or [] -%}
        {%- set name = source.relation -%}
        {%- if name not in pins -%}
            {%- set gone = dbt_mview._kind_at(name) == "missing" -%}
            {%- do pins.update({name: none if gone else dbt_mview._pin_table(name, none)}) -%}
        {%- endif -%}
        {%- if pins[name] is none -%}
            {{ return("SOURCE_MISSING: " ~ name.split(".")[1:] | join(".") ~ " is gone") }}
        {%- endif -%}
        {%- do now.append(pins[name]) -%}
    {%- endfor -%}
    {{ return(dbt_mview._what_is_new(row.sources, now, [])) }}
{% endmacro %}
