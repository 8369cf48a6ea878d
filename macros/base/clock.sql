{# The engine's clock, read once for each invocation, and the time zones of client and session. #}
{#
The engine's clock, read once per invocation.

Returns: mapping of now (microseconds since the epoch), zone (the session's time zone), ansi
    (bool, whether it is in ANSI mode), client (the client's clock at that moment) and shown_in (see
    _shown_in).
#}
{% macro _clock() %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if not memory.clock -%}
        {%- set known = dbt_mview._known_times(dbt_mview._now_micros()) -%}
        {%- set row = dbt_mview._read(
            "clock",
            "select unix_micros(current_timestamp()) as micros, current_timezone() as zone,"
            ~ " typeof(coalesce(1, '1')) as common_type, current_timestamp() as now,"
            ~ (
                " timestamp_micros(%d) as winter, timestamp_micros(%d) as summer"
                % known
            ),
        ).rows[0] -%}
        {%- set now, zone = row[0] | int, row[1] | string -%}
        {%- set shown = [[now, row[3]], [known[0], row[4]], [known[1], row[5]]] -%}
        {#- ANSI mode makes a number of both. -#}
        {%- do memory.clock.update(
            {
                "now": now,
                "zone": zone,
                "ansi": row[2] != "string",
                "client": dbt_mview._now_micros(),
                "shown_in": dbt_mview._shown_in(zone, shown),
            }
        ) -%}
    {%- endif -%}
    {{ return(memory.clock) }}
{% endmacro %}


{# Args: client (int, its clock). Returns: pair of ints, the noons of 1 January and 1 July. #}
{% macro _known_times(client) %}
    {%- set times = [] -%}
    {%- set utc = modules.pytz.utc -%}
    {%- set year = modules.datetime.datetime.fromtimestamp(client / 1000000, utc).year -%}
    {%- for month in [1, 7] -%}
        {%- set noon = modules.datetime.datetime(year, month, 1, 12, 0, 0, 0, utc) -%}
        {%- do times.append((noon.timestamp() * 1000000) | int) -%}
    {%- endfor -%}
    {{ return((times[0], times[1])) }}
{% endmacro %}


{#
In which zone times without one come: PySpark gives them by the client's, thrift servers by the
session's, and what dbt's adapter uses it does not say. So known times are asked for, and the zone
is the one that they are shown in.

Args: zone (string, the session's), shown (list of pairs: microseconds, the value that came).
Returns: "client", a zone's name, or none: they come with their zones.
Errors: no zone shows them so.
#}
{% macro _shown_in(zone, shown) %}
    {%- set naive = [] -%}
    {%- for micros, value in shown -%}
        {%- set at = dbt_mview._as_datetime(value) -%}
        {%- if at.tzinfo is none -%} {%- do naive.append([micros, at]) -%} {%- endif -%}
    {%- endfor -%}
    {%- if not naive -%} {{ return(none) }}{%- endif -%}
    {%- for candidate in ["client", zone, "UTC"] -%}
        {%- set others = [] -%}
        {%- for micros, at in naive -%}
            {%- set apart = dbt_mview._local(micros, candidate) - at -%}
            {#- Some drivers drop fractions; zones are a quarter of an hour apart at least. -#}
            {%- if apart.total_seconds() | abs >= 60 -%} {%- do others.append(at) -%} {%- endif -%}
        {%- endfor -%}
        {%- if not others -%} {{ return(candidate) }}{%- endif -%}
    {%- endfor -%}
    {%- do dbt_mview._raise(
        "time zones",
        "the engine shows "
        ~ dbt_mview._iso(naive[0][0])
        ~ " as "
        ~ naive[0][1]
        ~ ", which is neither by the client's time zone, nor by the session's ("
        ~ zone
        ~ "), nor UTC.",
        "Give the session the time zone UTC (spark.sql.session.timeZone), or that of the driver.",
    ) -%}
{% endmacro %}


{# Args: micros (int), zone ("client", or a zone's name). Returns: datetime without a zone. #}
{% macro _local(micros, zone) %}
    {%- if zone == "client" -%}
        {{ return(modules.datetime.datetime.fromtimestamp(micros / 1000000)) }}
    {%- endif -%}
    {%- set tz = dbt_mview._zone(zone) -%}
    {%- set at = modules.datetime.datetime.fromtimestamp(micros / 1000000, tz) -%}
    {{ return(at.replace(tzinfo=none)) }}
{% endmacro %}


{#
A moment by the engine's clock.

Args: client (int, microseconds by the client's). Returns: int, microseconds.
#}
{% macro _engine_time(client) %}
    {%- set clock = dbt_mview._clock() -%} {{ return(clock.now + client - clock.client) }}
{% endmacro %}


{# The session's time zone. Returns: string. #}
{% macro _time_zone() %} {{ return(dbt_mview._zone_name(dbt_mview._clock().zone)) }} {% endmacro %}


{# One name for all names of UTC. Args: zone (string). Returns: string. #}
{% macro _zone_name(zone) %}
    {%- set names = (
        "utc etc/utc uct etc/uct gmt etc/gmt greenwich etc/greenwich zulu etc/zulu z"
    ) -%}
    {{ return("UTC" if zone | lower in names.split() else zone) }}
{% endmacro %}
