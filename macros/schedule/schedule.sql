{# The configs schedule, purge and target_lag, checked and brought to one form. #}
{#
When a view is refreshed, or a log purged, from its config, in one form whatever the config says:

    cron, time_zone_value     when the expression fires; five fields as of Debian's cron, UTC
    every                     seconds
    on_update, at_most_every  once a source has changed; at_most_every in seconds or none
    start_with, next          SQL expressions, as of Oracle and TiDB
    target_lag                seconds that the view may be behind its sources

Args: id (string), config (mapping or none), key (schedule|purge), lag (target_lag's value or none).
Returns: mapping of one form, or none.
Errors: an unknown key, two forms at once, a value that is none of its kind.
#}
{% macro _schedule(id, config, key, lag=none) %}
    {%- set forms = {
        "cron": ["time_zone_value"],
        "every": [],
        "on_update": ["at_most_every"],
        "start_with": ["next"],
        "next": ["start_with"],
    } -%}
    {#- A model may switch off what its folder has set. -#}
    {%- set config = config or none -%}
    {%- set given = {} -%}
    {%- set is_other = config is not none and config is not mapping -%}
    {%- for name, value in ({} if is_other else config or {}).items() if value is not none -%}
        {%- do given.update({name: value}) -%}
    {%- endfor -%}
    {%- if lag is not none and not given and not is_other -%}
        {{ return({"target_lag": dbt_mview._seconds(id, "target_lag", lag)}) }}
    {%- endif -%}
    {%- set form = ((given.keys() | select("in", forms.keys()) | list) + [none])[0] -%}
    {%- set rest = given.keys() | reject("in", [form] + forms.get(form, [])) | list -%}
    {%- if is_other or (given and not form) or rest or (lag is not none) -%}
        {%- do dbt_mview._raise(
            id,
            key
            ~ " is "
            ~ tojson(config)
            ~ (" beside target_lag." if lag is not none else "."),
            "Give one of {cron, time_zone_value}, {every}, {start_with, next}"
            ~ (
                ", {on_update, at_most_every} or target_lag."
                if key == "schedule"
                else "."
            ),
        ) -%}
    {%- endif -%}
    {{ return(dbt_mview._schedule_form(id, key, form, given) if form else none) }}
{% endmacro %}


{# Args: id, key, form (the first key), given (mapping). Returns: mapping. #}
{% macro _schedule_form(id, key, form, given) %}
    {%- if form == "cron" -%} {{ return(dbt_mview._cron(id, given)) }}
    {%- elif form == "every" -%}
        {{ return({"every": dbt_mview._seconds(id, "every", given.every)}) }}
    {%- elif form == "on_update" -%}
        {%- set pause = given.get("at_most_every") -%}
        {%- if key == "purge" or given.on_update is not true -%}
            {%- do dbt_mview._raise(
                id,
                key ~ " says on_update: " ~ given.on_update ~ ".",
                "on_update is for the schedule of a view, and true.",
            ) -%}
        {%- endif -%}
        {%- if pause is not none -%}
            {%- set pause = dbt_mview._seconds(id, "at_most_every", pause) -%}
        {%- endif -%}
        {{ return({"on_update": true, "at_most_every": pause}) }}
    {%- endif -%}
    {%- set schedule = {} -%}
    {%- for name in ["start_with", "next"] -%}
        {%- set text = given.get(name) -%}
        {%- do schedule.update({name: none if text is none else text | string | trim}) -%}
    {%- endfor -%}
    {{ return(schedule) }}
{% endmacro %}


{#
A duration as Databricks and Snowflake write it: '1 hour', '90 minutes', '1 day 12 hours', or a
number of seconds. Less than a second is taken as one, with a warning, so that nothing runs
without end (TiDB clamps the same way).

Args: id (string), key (of the config), value. Returns: int, seconds.
Errors: no duration.
#}
{% macro _seconds(id, key, value) %}
    {%- set units = dbt_mview._unit_seconds() -%}
    {%- set part = "(-?\\d+)\\s*(second|minute|hour|day|week)s?" -%}
    {%- set text = value | string | trim | lower -%}
    {%- if modules.re.fullmatch("-?\\d+", text) -%}
        {%- set text = text ~ " seconds" -%}
    {%- endif -%}
    {%- if not modules.re.fullmatch("(?:interval\\s+)?" ~ part ~ "(?:\\s+" ~ part ~ ")*", text) -%}
        {%- do dbt_mview._raise(
            id,
            key ~ " is '" ~ value ~ "'.",
            "Give a duration such as '10 minutes', '1 hour' or '1 day 12 hours'.",
        ) -%}
    {%- endif -%}
    {%- set sum = namespace(seconds=0) -%}
    {%- for count, unit in modules.re.findall(part, text) -%}
        {%- set sum.seconds = sum.seconds + (count | int) * units[unit] -%}
    {%- endfor -%}
    {%- if sum.seconds < 1 -%}
        {%- do exceptions.warn(
            "dbt_mview: " ~ id ~ ": " ~ key ~ " is '" ~ value ~ "', taken as 1 second"
        ) -%}
    {%- endif -%}
    {{ return([sum.seconds, 1] | max) }}
{% endmacro %}


{#
Expressions that are none are refused before anything is built. Only new ones are asked about.

Args: schedule (or none), was (the one in state, or none). Errors: the engine's own.
#}
{% macro _check_schedule(schedule, was) %}
    {%- if schedule and schedule != was and "next" in schedule -%}
        {%- do dbt_mview._times(schedule) -%}
    {%- endif -%}
{% endmacro %}


{# Whether a change of a source makes it due. Args: schedule. Returns: bool. #}
{% macro _waits_for_sources(schedule) %}
    {{ return("on_update" in schedule or "target_lag" in schedule) }}
{% endmacro %}
