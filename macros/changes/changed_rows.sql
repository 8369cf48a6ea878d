{#
The SQL that reads changed rows, consolidated: a pair of equal rows that came and went is none.
#}
{#
The rows that came to a table, or those that went; they replace the table itself in a delta term of
the view's query. Consolidated if there may be both kinds: RESTORE, OVERWRITE and updates of
nothing give pairs of equal rows. Only the columns that the query uses are compared. If a type does
not allow it, nothing is consolidated. Rows of both signs are counted by the same query text, so
Spark reads and shuffles the changes once for both.

Delta's feed gives U+FFFD for bytes that are no UTF-8, which the table itself keeps, maps of more
than four entries in another order, and the first day of the Gregorian calendar for those before:
a row with that fails, and the refresh is COMPLETE.

Spark takes a feed of any size for endless, and would shuffle all of what it is joined with. So a
hint says when rows are few.

Args: change (see _source_changes; used: see _column_pruning), sign (1: rows that came, -1: rows
    that went), columns (of the table, see _describe_query), few (bool). Returns: SQL text, a
    subquery in brackets.
#}
{% macro _changed_rows_sql(change, sign, columns, few=false) -%}
    {%- set hint = " /*+ broadcast(_mview_feed) */" if few else "" -%}
    {%- set known = change.log.columns if change.get("log") else columns -%}
    {#- Two versions hold all rows, also where all that is left of them came, or went. -#}
    {%- set versions = change.get("compared") -%}
    {%- set both = versions or (change.inserts and change.deletes) -%}
    {%- set read = dbt_mview._those_used(known, change) -%}
    {%- if both -%} {%- set known = read or known[:1] -%} {%- endif -%}
    {%- set guard = none if versions else dbt_mview._feed_guard_sql(read, change) -%}
    {%- set net = dbt_mview._consolidation_keys(known) if both else none -%}
    {%- set came = "_change_type in (" ~ dbt_mview._change_types(1) ~ ")" -%}
    {%- set names = dbt_mview._quote_all(known | map(attribute="name") | list) -%}
(
    select{{ "" if net else hint }} {{ dbt_mview._columns_or_error(columns, known, change) }}
{%- if net %}
    from (
        select{{ hint }}
            {{ net["values"] }},
            sum(case when {{ came }} then 1 else -1 end) as _mview_n
        from {{ dbt_mview._change_feed_sql(change, names) }} as _mview_feed
        {%- if guard %}
        where {{ guard }}
        {%- endif %}
        group by {{ net["keys"] }}
        having _mview_n {{ ">" if sign > 0 else "<" }} 0
    )
    lateral view explode(sequence(1, abs(_mview_n))) _mview_e as _mview_i
{%- else %}
    from {{ dbt_mview._change_feed_sql(change, names) }} as _mview_feed
    where _change_type in ({{ dbt_mview._change_types(sign) }})
        {%- if guard %}
        and {{ guard }}
        {%- endif %}
{%- endif %}
)
{%- endmacro %}


{#
By what rows are the same. 0.0 and -0.0 are equal, so that GROUP BY makes them one; as texts they
differ.

Args: columns. Returns: mapping keys, values (SQL texts); or none if rows cannot be compared.
#}
{% macro _consolidation_keys(columns) %}
    {%- set keys = [] -%}
    {%- set values = [] -%}
    {%- for column in columns -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- if column.type in ["float", "double"] -%}
            {%- do keys.append("cast(" ~ name ~ " as string)") -%}
            {%- do values.append("min(" ~ name ~ ") as " ~ name) -%}
        {%- elif modules.re.search(dbt_mview._not_image_equal("float|double"), column.type) -%}
            {{ return(none) }}
        {%- else -%} {%- do keys.append(name) -%} {%- do values.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"keys": keys | join(", "), "values": values | join(", ")}) }}
{% endmacro %}


{#
The table's columns; instead of one that its log leaves out, or that the query does not use, an
expression that fails once it is used: Spark computes no column that a query does not need.

Args: columns (of the table), known (those that are read), change. Returns: SQL text.
#}
{% macro _columns_or_error(columns, known, change) %}
    {%- set there = known | map(attribute="name") | map("lower") | list -%}
    {%- set items = [] -%}
    {%- for column in columns -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- if column.name | lower not in there -%}
            {%- if column.name in (change.get("used") or [column.name]) -%}
                {%- set text = "the log " ~ change.log.name ~ " has no column " ~ name -%}
            {%- else -%} {%- set text = name ~ " of " ~ change.relation ~ " is used after all" -%}
            {%- endif -%}
            {%- set error = "raise_error(" ~ dbt_mview._literal("dbt_mview: " ~ text) ~ ")" -%}
            {%- set typed = "cast(" ~ error ~ " as " ~ column.type ~ ")" -%}
            {%- set whole = dbt_mview._is_printable_type(column.type) -%}
            {%- set name = (typed if whole else error) ~ " as " ~ name -%}
        {%- endif -%}
        {%- do items.append(name) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}


{#
The changes of a table: its feed, its log and the feed after it, or its two versions. Returns: SQL
text.
#}
{% macro _change_feed_sql(change, names) -%}
{%- if change.get("compared") -%} {{ dbt_mview._both_versions_sql(change, names) }}
{%- elif change.get("log") -%}
(
            select {{ names }}, _change_type
            {{ dbt_mview._logged_sql(change) }}
            {%- if change.log.get("next") %}
            union all
            select {{ names }}, _change_type
            from {{ dbt_mview._feed_sql(dict(change, first=change.log.next)) }}
            {%- endif %}
        )
{%- else -%} {{ dbt_mview._feed_sql(change) }}
{%- endif -%}
{%- endmacro %}


{# Args: change. Returns: SQL text, the function that reads its rows from Delta. #}
{% macro _feed_sql(change) -%}
    {%- set name = dbt_mview._literal(dbt_mview._quoted_name(change.relation)) -%}
table_changes({{ name }}, {{ change.first }}, {{ change.end }})
{%- endmacro %}


{# Args: sign. Returns: SQL text, the kinds of rows of that sign. #}
{% macro _change_types(sign) -%}
{{ "'insert', 'update_postimage'" if sign > 0 else "'delete', 'update_preimage'" }}
{%- endmacro %}


{# Floats: 0.0 and -0.0 differ, NaN is one value. Args: columns. Returns: list of their names. #}
{% macro _compared_as_text(columns) %}
    {%- set floats = columns | selectattr("type", "in", ["float", "double"]) -%}
    {{ return(floats | map(attribute="name") | list) }}
{% endmacro %}
