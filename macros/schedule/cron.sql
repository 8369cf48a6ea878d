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
    {%- for field in fields if not bad -%}
        {%- set low, high = ranges[loop.index0] -%}
        {%- if not dbt_mview._fits_cron(field, low, high, loop.index0) -%}
            {%- do bad.append("'" ~ field ~ "' is not within " ~ low ~ " to " ~ high) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if bad -%}
        {%- do dbt_mview._raise(
            id,
            "cron is '" ~ given.cron ~ "': " ~ bad[0] ~ ".",
            "Give minute, hour, day of month, month and day of week, such as '0 3 * * 1-5'.",
        ) -%}
    {%- endif -%}
    {{ return({"cron": fields | join(" "), "time_zone_value": zone}) }}
{% endmacro %}


{#
Whether a field is a list of *, values, ranges and steps within its range, or one of cron's words
(names of months and days, L for the last one, # for the nth).

Args: field (string), low, high (ints), index (int, 0: minute). Returns: bool.
#}
{% macro _fits_cron(field, low, high, index) %}
    {%- set names = {
        3: "jan feb mar apr may jun jul aug sep oct nov dec".split(),
        4: "sun mon tue wed thu fri sat".split(),
    }.get(index, []) -%}
    {%- set one = "\\d+" ~ ("|" if names else "") ~ names | join("|") -%}
    {%- set step = "(?:(?:\\*|(" ~ one ~ ")(?:-(" ~ one ~ "))?)(?:/([1-9]\\d*))?)" -%}
    {%- set extra = {2: "|l|lw", 4: "|(?:" ~ one ~ ")(?:#[1-5]|l)"}.get(index, "") -%}
    {%- for part in (field | lower).split(",") -%}
        {%- set found = modules.re.fullmatch(step ~ extra, part) -%}
        {%- if not found -%} {{ return(false) }}{%- endif -%}
        {%- set ends = found.groups()[:2] | select | list -%}
        {%- for end in ends if end not in names -%}
            {%- if not low <= end | int <= high -%} {{ return(false) }}{%- endif -%}
        {%- endfor -%}
        {%- if ends | length == 2 and ends[0] not in names and ends[1] not in names -%}
            {%- if ends[0] | int > ends[1] | int -%} {{ return(false) }}{%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}
