{#
How each table and view that a query reads can be bound to a version, and which cannot. A name whose
occurrences in text and plan differ in number is not bound.
#}
{#
How each table and view that a query reads takes part in it, none at a version yet. A name that
the engine reads more or less often than the text names it is not bound; then no view is replaced by
its text either, because a name that was missed would mean another table there. Nor is any if one of
them is read by settings of its own.

Args: sql (string), reads (see _reads), namespace (string catalog.schema).
Returns: mapping with bindings (see _bind), unbound (list of names, and of what has none),
    made_elsewhere (bool: among them is a view with settings of its own), sql (the query with the
    texts of views in place), travelled (mapping name -> version, of tables that are read at one
    version that the text says) and at_two_times (mapping name -> bool, whether it is also read
    without a version, of tables that are read at several).
#}
{% macro _bindings(sql, reads, namespace) %}
    {%- set tables = {} -%}
    {%- for name in reads.tables -%}
        {%- do tables.update({name: {"kind": "table", "version": none}}) -%}
    {%- endfor -%}
    {%- set views = {} -%}
    {%- set apart = [] -%}
    {%- for name in reads.views -%}
        {%- do views.update({name: dbt_mview._view(name)}) -%}
        {%- set setting = dbt_mview._made_with_another(name) if views[name] else none -%}
        {%- if setting -%} {%- do apart.append("a view made with " ~ setting) -%} {%- endif -%}
    {%- endfor -%}
    {%- set bound = dbt_mview._try_bindings(sql, reads, namespace, dict(tables, **views)) -%}
    {%- if bound.unbound and dbt_mview._forget_phantoms(reads, bound) -%}
        {{ return(dbt_mview._bindings(sql, reads, namespace)) }}
    {%- endif -%}
    {%- if views and (bound.unbound or apart) -%}
        {%- set bound = dbt_mview._try_bindings(sql, reads, namespace, tables) -%}
        {%- do bound.unbound.extend(apart | unique) -%}
        {%- do bound.update({"made_elsewhere": apart | length > 0}) -%}
    {%- endif -%}
    {{ return(bound) }}
{% endmacro %}


{# Args: sql, reads, namespace, bindings (mapping, see _bind). Returns: as _bindings, and found. #}
{% macro _try_bindings(sql, reads, namespace, bindings) %}
    {%- set query = dbt_mview._bind(sql, bindings, namespace) -%}
    {%- set unbound = reads.other | list -%}
    {%- for name in reads.tables + reads.views -%}
        {%- if query.found.count(name) != reads.occurrences.count(name) -%}
            {%- do unbound.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set travelled, at_two_times = {}, {} -%}
    {%- for name, own in query.own.items() if name not in unbound -%}
        {%- if own | unique | list | length > 1 -%}
            {%- do at_two_times.update({name: none in own}) -%}
            {%- do bindings[name].update({"keeps_own": true}) -%}
        {%- elif own[0] is not none -%} {%- do travelled.update({name: own[0]}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{
        return(
            {
                "bindings": bindings,
                "unbound": unbound,
                "sql": query.sql,
                "found": query.found,
                "travelled": travelled,
                "at_two_times": at_two_times,
                "made_elsewhere": false,
            }
        )
    }}
{% endmacro %}


{#
Takes tables out of what a query reads that no text names and that are not there: the name of a
column may have a line break, and read like the line of a table in the plan.

Args: reads, bound. Returns: bool, whether there were any. Sets reads.
#}
{% macro _forget_phantoms(reads, bound) %}
    {%- set phantoms = [] -%}
    {%- for name in reads.tables if name not in bound.found -%}
        {%- set sql = "select 1 from " ~ dbt_mview._quoted_name(name) ~ " where false" -%}
        {%- if not dbt_mview._succeeds("is_there", sql) -%}
            {%- do phantoms.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if phantoms -%}
        {%- for key in ["tables", "occurrences"] -%}
            {%- do reads.update({key: reads[key] | reject("in", phantoms) | list}) -%}
        {%- endfor -%}
        {%- do reads.other.append("a text that reads like a plan") -%}
    {%- endif -%}
    {{ return(phantoms | length > 0) }}
{% endmacro %}


{#
What a query is, with the views that it reads: their words, without what is between them. A version
that the text says is what it reads, not what it is: `'-1 day'` is another one in each run.

Args: bound (see _bindings). Returns: string.
#}
{% macro _definition_hash(bound) %}
    {%- set words = dbt_mview._words(bound.sql) -%}
    {%- if bound.travelled or bound.at_two_times -%}
        {%- set places = dbt_mview._table_names(dbt_mview._tokens(bound.sql)) -%}
        {%- for place in places if place.version is not none -%}
            {%- do words.pop(place.end // 3) -%} {%- do words.insert(place.end // 3, "?") -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(local_md5(words | join(" "))) }}
{% endmacro %}


{#
The setting that a view was created with, if this session has another. Spark reads a view by its
own setting; by the session's, its text would mean something else. A cast that fails is NULL without
ANSI mode; date(at) is another day in another time zone.

Args: name (of a view). Returns: string, `spark.sql.ansi.enabled = true`, or none; also none if the
    catalog does not say.
#}
{% macro _made_with_another(name) %}
    {%- set sql = "describe extended " ~ dbt_mview._quoted_name(name) ~ " as json" -%}
    {%- set facts = fromjson(dbt_mview._read("view_settings", sql).rows[0][0]) -%}
    {%- set made = facts.get("view_creation_spark_configuration") or {} -%}
    {%- set ansi = made.get("spark.sql.ansi.enabled") -%}
    {%- set zone = made.get("spark.sql.session.timeZone") -%}
    {%- if zone and dbt_mview._zone_name(zone) != dbt_mview._time_zone() -%}
        {{ return("spark.sql.session.timeZone = " ~ zone) }}
    {%- elif ansi and (ansi | lower == "true") != dbt_mview._clock().ansi -%}
        {{
            return(
                none if dbt_mview._is_ansi_neutral(name) else "spark.sql.ansi.enabled = " ~ ansi
            )
        }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}


{#
Whether a view means the same with and without ANSI mode: it converts only whole numbers that are in
the text, adds up nothing, and calls only functions that are known to be the same.

Args: name (of a view). Returns: bool.
#}
{% macro _is_ansi_neutral(name) %}
    {%- set view = dbt_mview._view(name) -%}
    {%- if not view or dbt_mview._has_ambiguous(dbt_mview._words(view.text)) -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set reads = dbt_mview._reads("select * from " ~ dbt_mview._quoted_name(name)) -%}
    {#- Below a View Spark gives its columns their types, as _view_sql does. -#}
    {%- set plan = modules.re.sub("(?m)^(\\W*View \\(.*)\n.*", "\\1", reads.plan) -%}
    {#- Twice, as it is converted within a conversion. -#}
    {%- set literal = "cast\\(-?\\d+ as [a-z]+(\\(\\d+,\\d+\\))?\\)" -%}
    {%- set plan = modules.re.sub(literal, "0", modules.re.sub(literal, "0", plan)) -%}
    {%- set computes = modules.re.search(" ([-+*/%&|^]|div) |#\\d+L?\\[|-[a-zA-Z_(`]|~", plan) -%}
    {%- set same = (
        "count min max coalesce isnull isnotnull between upper lower concat trim length substring "
        ~ "row_number rank dense_rank windowspecdefinition specifiedwindowframe outer"
    ).split() -%}
    {%- set others = modules.re.findall("(\\w+)\\(", plan) | reject("in", same) | list -%}
    {{ return(not (reads.truncated or computes or others)) }}
{% endmacro %}
