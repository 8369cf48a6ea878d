{#
Which version a table is read at, once for each time and invocation, so that a run agrees with
itself; and whether a time may be asked for.
#}
{#
Args: name (catalog.schema.identifier), moment (int, microseconds), shown (the time as written).
Returns: see _pin_table. Errors: see _pin_at.
#}
{% macro _travel(name, moment, shown) %}
    {%- set known = dbt_mview._memory().travelled -%}
    {%- if (name, moment) not in known -%}
        {%- set seen = dbt_mview._seen_after(name, moment) -%}
        {#- Track points know more than the newest commits, or that it was another table. -#}
        {%- set far = seen and seen.commits[-1].commit_time > moment -%}
        {%- set stored = dbt_mview._stored_version(name, moment) if far else none -%}
        {%- set pin = dbt_mview._pin_at(name, moment, "'" ~ shown ~ "'", stored) -%}
        {#- Two threads may have looked; both read what the first one found. -#}
        {{ return(known.setdefault((name, moment), pin)) }}
    {%- endif -%}
    {{ return(known[(name, moment)]) }}
{% endmacro %}


{#
Args: name, version (as written). Returns: see _pin_table. Errors: it is no whole number; see
_pin_this_version.
#}
{% macro _travel_to_version(name, version) %}
    {%- if not modules.re.fullmatch("[0-9]{1,18}", version | string) -%}
        {%- do dbt_mview._raise(
            name, "'" ~ version ~ "' is no version.", "Give a whole number, such as 5."
        ) -%}
    {%- endif -%}
    {%- set known = dbt_mview._memory().travelled -%}
    {%- set key = (name, "v" ~ version) -%}
    {%- if key not in known -%}
        {%- set pin = dbt_mview._pin_this_version(name, version | int) -%}
        {{ return(known.setdefault(key, pin)) }}
    {%- endif -%}
    {{ return(known[key]) }}
{% endmacro %}


{#
Whether a time may be asked for, and that it is in use from now on: before a version is chosen, so
that no cleaning comes between.

Args: object (what an error names), moment (int, microseconds; none: a version is asked for), shown
    (the time as written).
Errors: flashback is disabled; the time lies in the future, or outside of the window.
#}
{% macro _check_flashback(object, moment=none, shown=none) %}
    {%- set settings = dbt_mview._flashback_settings() -%}
    {%- set start = dbt_mview._clock().now -%}
    {%- set begins = start - settings.window * 1000000 -%}
    {%- set now = dbt_mview._engine_time(dbt_mview._now_micros()) -%}
    {%- if settings.enable and moment is not none and moment > now -%}
        {#- By the client's clock it is off by what an answer takes. -#}
        {%- set now = (
            dbt_mview._read(
                "now", "select unix_micros(current_timestamp()) as micros"
            ).rows[0][0]
            | int
        ) -%}
    {%- endif -%}
    {%- set rule, way_out = none, none -%}
    {%- if not settings.enable -%}
        {%- set rule = "flashback is disabled." -%}
        {%- set way_out = "Set the var dbt_mview:flashback_enable to true." -%}
    {%- elif moment is not none and moment > now -%}
        {%- set rule = "'" ~ shown ~ "' is in the future: it is " ~ dbt_mview._iso(now) ~ "." -%}
        {%- set way_out = "Give an earlier time." -%}
    {%- elif moment is not none and moment < begins -%}
        {%- set rule = (
            "'"
            ~ shown
            ~ "' is outside of the window, which begins at "
            ~ dbt_mview._iso(begins)
            ~ "."
        ) -%}
        {%- set way_out = (
            "Give a later time, or make the var dbt_mview:flashback_window longer than "
            ~ settings.window
            ~ " seconds."
        ) -%}
    {%- endif -%}
    {%- if rule -%} {%- do dbt_mview._raise(object, rule, way_out) -%}
    {%- elif moment is not none -%} {%- do dbt_mview._register_reader(moment, object) -%}
    {%- endif -%}
{% endmacro %}


{#
What track points say: a row is the last commit at or before its own time, so its version was there
from that commit on. Between two rows whose versions follow one another nothing else was. All this
is of the table that the rows were made of: whether it is still there, the caller sees.

Args: relation (catalog.schema.identifier), at (microseconds).
Returns: mapping version, commit_time of the last commit at or before that time; none where they do
    not say.
#}
{% macro _stored_version(relation, at) %}
    {%- if not dbt_mview._has_flashback_state() -%} {{ return(none) }}{%- endif -%}
    {%- set found = dbt_mview._trackpoints_around(relation, at) -%}
    {%- set before, after = found.before, found.after -%}
    {%- if after is none or after.table_id != found.last.table_id -%}
        {{ return(none) }}
    {%- endif -%}
    {#- Delta may show a commit some milliseconds later or earlier: history knows better there. -#}
    {%- set near = dbt_mview._commit_time_tolerance() -%}
    {%- if after.commit_time <= at - near -%}
        {{ return({"version": after.version, "commit_time": after.commit_time}) }}
    {%- elif before is none or before.table_id != after.table_id -%} {{ return(none) }}
    {%- elif before.version == after.version - 1 and after.commit_time > at + near -%}
        {{ return({"version": before.version, "commit_time": before.commit_time}) }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
