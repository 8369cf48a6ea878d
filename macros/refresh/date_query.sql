{#
Queries that ask for the time: a refresh takes current_date() as the literal of the day on which its
run began, in the session's time zone, and current_timestamp() in a WHERE as that of the moment. So
a view is as of one time, and FAST within the day and from one to another.
#}
{#
Puts the times into the query of a view, where that leaves its columns as they are called.

Args: spec (definition; stored: today of an earlier call, or of state), state (row, or none).
Returns: mapping day (string, 2026-11-28), places, and where it asks for the moment as well moment
    (string, 2026-11-28 09:30:00.000000Z), moments (see _dated), which state keeps as `today` of the
    view's spec; or none. Sets spec.definition.
#}
{% macro _date_query(spec, state) %}
    {%- set was = (spec.stored or {}).get("today") -%}
    {%- set built = (state.spec or {}).get("today") if state else none -%}
    {%- if was -%}
        {%- set today = dict(was, **dbt_mview._times_from(state, was.get("moments"))) -%}
        {%- set sql = dbt_mview._redated(spec.definition, was, today) -%}
        {%- if sql is none -%} {{ return(none) }}{%- endif -%}
        {%- do spec.update({"definition": sql}) -%} {{ return(today) }}
    {%- endif -%}
    {%- set known = [state.definition, built] if built else none -%}
    {%- set dated = dbt_mview._dated_where_safe(spec.definition, known, state) -%}
    {%- do spec.update({"definition": dated.sql}) -%}
    {{ return(dated.today) }}
{% endmacro %}


{#
A query with its times, unless a column of its result would be called by them (`select
current_date()` without an alias), a word without brackets may be a column, or the engine refuses it
then, as where a name stands in its place. The moment is another one in each run: it is put in where
filters alone ask for it.

Args: sql (string), known (pair of a query that was found safe and its `today`, or none), state
    (row, or none).
Returns: mapping sql, today (see _date_query, or none: it is as it was).
#}
{% macro _dated_where_safe(sql, known=none, state=none) %}
    {%- set same = {"sql": sql, "today": none} -%}
    {#- The clock is a statement, which only such a query needs here. -#}
    {%- set tried = dbt_mview._dated(sql, "2000-01-01", "2000-01-01 00:00:00Z") -%}
    {%- if not tried.moments -%}
        {%- set tried = dbt_mview._dated(sql, "2000-01-01") -%}
    {%- endif -%}
    {%- set moment = dbt_mview._literal("2000-01-01 00:00:00Z") -%}
    {%- set filters = dbt_mview._conditions_with(tried.sql, [moment]) if tried.moments else [] -%}
    {%- if not (tried.places or filters) -%} {{ return(same) }}{%- endif -%}
    {%- set times = dbt_mview._times_from(state, filters) -%}
    {%- set dated = dbt_mview._dated(sql, times.day, times.get("moment")) -%}
    {%- if not dated.places + dated.moments -%} {{ return(same) }}{%- endif -%}
    {%- set today = dict(times, places=dated.places) -%}
    {%- if dated.moments -%} {%- do today.update({"moments": dated.moments}) -%} {%- endif -%}
    {%- set found = {"sql": dated.sql, "today": today} -%}
    {%- if known and dbt_mview._redated(dated.sql, today, known[1]) == known[0] -%}
        {{ return(found) }}
    {%- endif -%}
    {%- for word in dated.bare if dbt_mview._has_column(dbt_mview._reads(sql), word) -%}
        {{ return(same) }}
    {%- endfor -%}
    {%- set analyzes = "select 1 from (\n" ~ dated.sql ~ "\n) where false" -%}
    {%- if not dbt_mview._succeeds("is_there", analyzes) -%} {{ return(same) }}{%- endif -%}
    {%- for column in dbt_mview._describe_query(dated.sql) if times.day in column.name -%}
        {{ return(same) }}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# The day on which the run began, in the session's time zone. Returns: string, 2026-11-28. #}
{% macro _today() %}
    {%- set clock = dbt_mview._clock() -%}
    {{ return(dbt_mview._local(clock.now, dbt_mview._time_zone()).strftime("%Y-%m-%d")) }}
{% endmacro %}


{# The moment at which the run began. Returns: string, 2026-11-28 09:30:00.000000Z. #}
{% macro _moment_of_run() %}
    {%- set clock = dbt_mview._clock() -%}
    {{ return(dbt_mview._local(clock.now, "UTC").strftime("%Y-%m-%d %H:%M:%S.%fZ")) }}
{% endmacro %}


{#
The times that a refresh reads as of: those of its run, or later ones that the view is as of
already: this run began before midnight, and another one has refreshed the view since.

Args: state (row, or none), moments (what asks for the moment; none or empty: nothing does).
Returns: mapping day, moment (lacks if nothing asks for it).
#}
{% macro _times_from(state, moments) %}
    {%- set stored = (state.spec or {}) if state else {} -%}
    {%- set built = stored.get("today") or {} -%}
    {%- if stored.get("time_zone") != dbt_mview._time_zone() -%}
        {%- set built = {} -%}
    {%- endif -%}
    {%- set times = {"day": [dbt_mview._today(), built.get("day") or ""] | max} -%}
    {%- if moments -%}
        {%- set latest = [dbt_mview._moment_of_run(), built.get("moment") or ""] | max -%}
        {%- do times.update({"moment": latest}) -%}
    {%- endif -%}
    {{ return(times) }}
{% endmacro %}


{#
Whether a view's query is what it was but for its times.

Args: spec (definition, of this time), today (see _date_query, or none), state (row, or none), bound
    (see _bindings).
Returns: mapping then, now (strings, 2026-11-28, or moments), literals (mapping now -> then, as the
    query has them; empty where it has the same one of its own: no filter tells them apart); or
    none.
#}
{% macro _date_change(spec, today, state, bound) %}
    {%- set was = (state.spec or {}).get("today") if state else none -%}
    {%- if not (today and was) -%} {{ return(none) }}{%- endif -%}
    {%- set literals, shown = {}, {} -%}
    {%- for time in ["day", "moment"] if was.get(time) and today.get(time) -%}
        {%- if was[time] != today[time] -%}
            {%- set then = dbt_mview._literal(was[time]) -%}
            {%- do literals.update({dbt_mview._literal(today[time]): then}) -%}
            {%- do shown.update({"then": was[time], "now": today[time]}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not literals -%} {{ return(none) }}{%- endif -%}
    {#- By their places: the user may have written the same literal. -#}
    {%- set before = dbt_mview._redated(spec.definition, today, was) -%}
    {%- if before is none -%} {{ return(none) }}{%- endif -%}
    {%- set sql = dbt_mview._bind(before, bound.bindings, spec.namespace).sql -%}
    {%- set hash = dbt_mview._definition_hash(dict(bound, sql=sql)) -%}
    {%- if hash != state.definition_hash -%} {{ return(none) }}{%- endif -%}
    {%- set ours = today.places + (today.get("moments") or []) -%}
    {%- for word in dbt_mview._tokens(spec.definition)[1::3] -%}
        {%- if word in literals and loop.index0 not in ours -%}
            {{ return(dict(shown, literals={})) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(dict(shown, literals=literals)) }}
{% endmacro %}
