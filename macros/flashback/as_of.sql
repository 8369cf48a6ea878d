{#
A table or view as it was, for the FROM of any model, test or operation: exactly the rows and
columns of the last version that was committed at or before that time, or an error.

Args: relation (what ref or source gave), timestamp (ISO text, a datetime, or text as '-1 day',
    before the run began), version (of a table, in place of a time).
Returns: SQL text in place of the relation; while dbt parses, and in unit tests, the relation.
Errors: flashback is disabled; the time is none, lies in the future or outside of the window; the
    table did not exist, is another one now, or cannot be read as it was; the relation is ephemeral,
    or no Delta table.
Example: select * from {{ dbt_mview.as_of(ref('orders'), '-1 day') }} as o
#}
{% macro as_of(relation, timestamp=none, version=none) %}
    {%- if not execute or model.get("resource_type") == "unit_test" -%}
        {{ return(relation) }}
    {%- elif relation.is_cte -%}
        {%- do dbt_mview._raise(
            relation.render(),
            "it is ephemeral, and has no versions.",
            "Call as_of on what it reads, in its own text.",
        ) -%}
    {%- endif -%}
    {%- set name = dbt_mview._mview_id(relation) -%}
    {%- if (timestamp is none) == (version is none) -%}
        {%- do dbt_mview._raise(name, "as_of takes a timestamp or a version.", "Give one.") -%}
    {%- elif version is not none -%}
        {%- do dbt_mview._check_flashback(name) -%}
        {%- set pin = dbt_mview._travel_to_version(name, version) -%}
        {{ return(dbt_mview._travelled_sql(relation, dbt_mview._at_version(relation, pin))) }}
    {%- endif -%}
    {%- set moment = dbt_mview._moment(timestamp, name) -%}
    {%- do dbt_mview._check_flashback(name, moment, timestamp) -%}
    {%- set known, key = dbt_mview._memory().travelled, (name, moment) -%}
    {%- if key not in known and dbt_mview._is_read_through(relation) -%}
        {%- do known.setdefault(key, dbt_mview._view_at(name, moment, timestamp)) -%}
    {%- endif -%}
    {%- set sql = known.get(key) -%}
    {%- if sql is not string -%}
        {%- set pin = dbt_mview._travel(name, moment, timestamp) -%}
        {%- set sql = dbt_mview._at_version(relation, pin) -%}
    {%- endif -%}
    {{ return(dbt_mview._travelled_sql(relation, sql)) }}
{% endmacro %}


{# Args: relation, pin (see _pin_table). Returns: SQL text. #}
{% macro _at_version(relation, pin) %}
    {{ return(relation.render() ~ " version as of " ~ pin.version) }}
{% endmacro %}


{#
A table as it was, within what dbt puts around the relation: --empty's limit, a filter of event
times.

Args: relation, sql (in place of its name). Returns: SQL text.
#}
{% macro _travelled_sql(relation, sql) %}
    {{ return((relation | string).replace(relation.render(), sql, 1)) }}
{% endmacro %}


{#
Whether a relation is a view, which has no versions of its own: the tables below it are read at the
time. Args: relation. Returns: bool.
#}
{% macro _is_read_through(relation) %}
    {%- set name = dbt_mview._mview_id(relation) -%}
    {%- if dbt_mview._memory().tables.get(name) or dbt_mview._inspect_table(name) -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set kind = dbt_mview._kind_of(relation.schema, relation.identifier, relation.database) -%}
    {{ return(kind == "view") }}
{% endmacro %}


{#
A view as of a time: its text as it is now, over all tables below it as of that time.

Args: name (of the view), moment, shown (the time as written). Returns: SQL text, in brackets.
Errors: it cannot be replaced by its text; a table below it cannot be read as of the time.
#}
{% macro _view_at(name, moment, shown) %}
    {%- set sql = "select * from " ~ dbt_mview._quoted_name(name) -%}
    {%- set namespace = dbt_mview._current_catalog() ~ ".default" -%}
    {%- set reads = dbt_mview._reads(sql) -%}
    {%- set bound = dbt_mview._bindings(sql, reads, namespace) -%}
    {%- if bound.unbound -%}
        {%- do dbt_mview._raise(
            name,
            "this view cannot be read as of a time: "
            ~ bound.unbound | join(", ")
            ~ " cannot be pinned in it.",
            "Call as_of on the tables, in a query of your own.",
        ) -%}
    {%- endif -%}
    {%- for table in reads.tables if table not in bound.travelled -%}
        {%- set pin = dbt_mview._travel(table, moment, shown) -%}
        {#- A place that has a time already keeps it. -#}
        {%- do bound.bindings[table].update({"version": pin.version, "keeps_own": true}) -%}
    {%- endfor -%}
    {%- set bound_sql = dbt_mview._bind(sql, bound.bindings, namespace).sql -%}
    {#- In brackets of its own, so that an alias may follow or not. -#}
    {{ return("(" ~ bound_sql.removeprefix("select * from ") ~ ")") }}
{% endmacro %}
