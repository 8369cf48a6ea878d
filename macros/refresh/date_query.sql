{#
Queries that ask for the day: a refresh takes current_date() as the literal of the day on which its
run began, in the session's time zone. So a view is as of one day, and FAST within it.
#}
{#
Puts the day into the query of a view, where that leaves its columns as they are called.

Args: spec (definition; stored: today of an earlier call, or of state), state (row, or none).
Returns: mapping day (string, 2026-11-28), places (see _dated), which state keeps as `today` of the
    view's spec; or none. Sets spec.definition.
#}
{% macro _date_query(spec, state) %}
    {%- set was = (spec.stored or {}).get("today") -%}
    {%- set built = (state.spec or {}).get("today") if state else none -%}
    {%- if was -%}
        {%- set day = dbt_mview._day_from(state) -%}
        {%- set sql = dbt_mview._redated(spec.definition, was.places, day) -%}
        {%- if sql is none -%} {{ return(none) }}{%- endif -%}
        {%- do spec.update({"definition": sql}) -%}
        {{ return({"day": day, "places": was.places}) }}
    {%- endif -%}
    {%- set known = [state.definition, built.day] if built else none -%}
    {%- set dated = dbt_mview._dated_where_safe(spec.definition, known, state) -%}
    {%- do spec.update({"definition": dated.sql}) -%}
    {{ return({"day": dated.day, "places": dated.places} if dated.places else none) }}
{% endmacro %}


{#
A query with its day, unless a column of its result would be called by it (`select current_date()`
without an alias), current_date without brackets may be a column, or the engine refuses it then, as
where a name stands in its place.

Args: sql (string), known (pair of a query that was found safe and its day, or none), state (row, or
    none).
Returns: mapping sql, day, places (empty: it is as it was).
#}
{% macro _dated_where_safe(sql, known=none, state=none) %}
    {%- set same = {"sql": sql, "day": none, "places": []} -%}
    {#- The clock is a statement, which only such a query needs here. -#}
    {%- if not dbt_mview._dated(sql, "2000-01-01").places -%} {{ return(same) }}{%- endif -%}
    {%- set day = dbt_mview._day_from(state) -%}
    {%- set dated = dict(dbt_mview._dated(sql, day), day=day) -%}
    {%- if known and dbt_mview._redated(dated.sql, dated.places, known[1]) == known[0] -%}
        {{ return(dated) }}
    {%- endif -%}
    {%- if dated.bare and dbt_mview._has_column(dbt_mview._reads(sql), "current_date") -%}
        {{ return(same) }}
    {%- endif -%}
    {%- set analyzes = "select 1 from (\n" ~ dated.sql ~ "\n) where false" -%}
    {%- if not dbt_mview._succeeds("is_there", analyzes) -%} {{ return(same) }}{%- endif -%}
    {%- for column in dbt_mview._describe_query(dated.sql) if day in column.name -%}
        {{ return(same) }}
    {%- endfor -%}
    {{ return(dated) }}
{% endmacro %}


{# The day on which the run began, in the session's time zone. Returns: string, 2026-11-28. #}
{% macro _today() %}
    {%- set clock = dbt_mview._clock() -%}
    {{ return(dbt_mview._local(clock.now, dbt_mview._time_zone()).strftime("%Y-%m-%d")) }}
{% endmacro %}


{#
The day that a refresh reads as of: that of its run, or a later one that the view is as of already:
this run began before midnight, and another one has refreshed the view since.

Args: state (row, or none). Returns: string.
#}
{% macro _day_from(state) %}
    {%- set stored = (state.spec or {}) if state else {} -%}
    {%- set built = stored.get("today") -%}
    {%- if not built or stored.get("time_zone") != dbt_mview._time_zone() -%}
        {{ return(dbt_mview._today()) }}
    {%- endif -%}
    {{ return([dbt_mview._today(), built.day] | max) }}
{% endmacro %}


{#
Whether a view's query is what it was but for the day.

Args: today (see _date_query, or none), state (row, or none), bound (see _bindings).
Returns: mapping then, now (strings, 2026-11-28); or none.
#}
{% macro _date_change(today, state, bound) %}
    {%- set was = (state.spec or {}).get("today") if state else none -%}
    {%- if not (today and was) or was.day == today.day -%} {{ return(none) }}{%- endif -%}
    {%- set now, then = dbt_mview._literal(today.day), dbt_mview._literal(was.day) -%}
    {%- set parts = [] -%}
    {%- for part in dbt_mview._tokens(bound.sql) -%}
        {%- do parts.append(then if part == now else part) -%}
    {%- endfor -%}
    {%- set hash = dbt_mview._definition_hash(dict(bound, sql=parts | join)) -%}
    {%- set days = {"then": was.day, "now": today.day} -%}
    {{ return(days if hash == state.definition_hash else none) }}
{% endmacro %}
