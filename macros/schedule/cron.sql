{# Cron expressions, checked. Python evaluates them (`dbt-mview due`). #}
{#
A cron expression, checked but not evaluated: that takes a calendar with time zones, which the
Python part brings (`dbt-mview due`).

Args: id, given (mapping cron, time_zone_value). Returns: mapping of these.
Errors: an unknown time zone; no five fields; a value out of a field's range.
#}
{% macro _cron(id, given) %}
    {%- set zone = given.get("time_zone_value", "UTC") -%}
    {%- if zone not in modules.pytz.all_timezones -%}
        {%- do dbt_mview._raise(
            id,
            "time_zone_value is '" ~ zone ~ "'.",
            "Give a name of the tz database, such as Europe/Berlin.",
        ) -%}
    {%- endif -%}
    {%- set fields = (given.cron | string).split() -%}
    {%- set bad = ["five fields are needed"] if fields | length != 5 else [] -%}
    {%- set ranges = [[0, 59], [0, 23], [1, 31], [1, 12], [0, 7]] -%}
    {%- set values = [] -%}
    {%- for field in fields if not bad -%}
        {%- set low, high = ranges[loop.index0] -%}
        {%- do values.append(dbt_mview._cron_values(field, low, high, loop.index0)) -%}
        {%- if values[-1] is none -%}
            {%- do bad.append("'" ~ field ~ "' is not within " ~ low ~ " to " ~ high) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not bad and fields[4].startswith("*") -%}
        {%- set days = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30} -%}
        {%- set longest = [] -%}
        {%- for month in values[3] -%} {%- do longest.append(days.get(month, 31)) -%} {%- endfor -%}
        {%- if values[2] | min > longest | max -%}
            {%- do bad.append("no month of '" ~ fields[3] ~ "' has day '" ~ fields[2] ~ "'") -%}
        {%- endif -%}
    {%- endif -%}
    {%- if bad -%}
        {%- do dbt_mview._raise(
            id,
            "cron is '" ~ given.cron ~ "': " ~ bad[0] ~ ".",
            "Give minute, hour, day of month, month and day of week, such as '0 3 * * 1-5'.",
        ) -%}
    {%- endif -%}
    {#- To cronsim `5-5/2` is all from 5 on; to Debian's cron it is 5. -#}
    {%- set text = modules.re.sub("\\b(\\w+)-\\1/\\d+", "\\1", fields | join(" ")) -%}
    {{ return({"cron": text, "time_zone_value": zone}) }}
{% endmacro %}


{#
The values of a field: a list of *, values, ranges and steps within its range, or one of cron's
words (names of months and days, L for the last one, # for the nth).

Args: field (string), low, high (ints), index (int, 0: minute).
Returns: list of ints (a last day is any day), or none: it is no such list.
#}
{% macro _cron_values(field, low, high, index) %}
    {%- set names = {
        3: "jan feb mar apr may jun jul aug sep oct nov dec".split(),
        4: "sun mon tue wed thu fri sat".split(),
    }.get(index, []) -%}
    {%- set one = "\\d+" ~ ("|" if names else "") ~ names | join("|") -%}
    {%- set step = "(?:(?:\\*|(" ~ one ~ ")(?:-(" ~ one ~ "))?)(?:/([1-9]\\d*))?)" -%}
    {%- set extra = {2: "|l|lw", 4: "|(" ~ one ~ ")#[1-5]|(\\d+)l"}.get(index, "") -%}
    {%- set values = [] -%}
    {%- for part in (field | lower).split(",") -%}
        {%- set found = modules.re.fullmatch(step ~ extra, part) -%}
        {%- if not found -%} {{ return(none) }}{%- endif -%}
        {%- set ends = [] -%}
        {%- for end in found.groups()[:2] + found.groups()[3:] if end -%}
            {%- do ends.append(names.index(end) + low if end in names else end | int) -%}
        {%- endfor -%}
        {%- if ends != ends | sort or ends | reject("in", range(low, high + 1)) | list -%}
            {{ return(none) }}
        {%- endif -%}
        {%- set pace = found.group(3) -%}
        {%- set first = ends[0] if ends else low -%}
        {%- set last = ends[-1] if ends and (ends | length == 2 or not pace) else high -%}
        {%- do values.extend(range(first, last + 1, (pace or 1) | int)) -%}
    {%- endfor -%}
    {{ return(values) }}
{% endmacro %}
