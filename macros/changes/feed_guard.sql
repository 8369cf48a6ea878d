{#
Conditions that fail where the feed may give another value than the table has: bytes that are no
UTF-8, large maps, dates of October 1582.
#}
{#
Fails on what the feed may not give as the table has it.

Args: columns (that are read), change (relation; maps: see _whole_maps). Returns: SQL condition, or
    none.
#}
{% macro _feed_guard_sql(columns, change) %}
    {%- set parts = [
        dbt_mview._whole_texts_sql(columns, change),
        dbt_mview._ordered_maps_sql(columns, change),
        dbt_mview._exact_dates_sql(columns, change),
    ] -%}
    {{ return(parts | select | join("\n        and ") or none) }}
{% endmacro %}


{#
Args: columns, change (used: see _column_pruning). Returns: those that the query uses; all, where
used is none or empty.
#}
{% macro _those_used(columns, change) %}
    {%- if not change.get("used") -%} {{ return(columns) }}{%- endif -%}
    {%- set used = change.used | map("lower") | list -%}
    {%- set found = [] -%}
    {%- for column in columns if column.name | lower in used -%}
        {%- do found.append(column) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Args: columns, change (see _feed_guard_sql). Returns: SQL condition, or none where the query looks
at no map as a whole.
#}
{% macro _ordered_maps_sql(columns, change) %}
    {%- set many = [] -%}
    {%- for column in columns if "map<" in column.type -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- if column.name in change.get("maps", [column.name]) -%}
            {%- set plain = column.type.startswith("map<") and column.type.count("map<") == 1 -%}
            {%- do many.append("size(" ~ name ~ ") > 4" if plain else name ~ " is not null") -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set error = (
        "dbt_mview: a map of more than four entries in "
        ~ change.relation
        ~ ", whose order its feed does not keep: use refresh auto or --full-refresh"
    ) -%}
    {{ return(dbt_mview._fails_where_sql(many | join(" or "), error) if many else none) }}
{% endmacro %}


{#
Fails on a text that the feed may not give as it is.

Args: columns, change. Returns: SQL condition, or none without texts.
#}
{% macro _whole_texts_sql(columns, change) %}
    {%- set texts = [] -%}
    {%- for column in columns if "string" in column.type -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- set plain = column.type == "string" -%}
        {%- do texts.append(name if plain else "cast(" ~ name ~ " as string)") -%}
    {%- endfor -%}
    {%- set error = (
        "dbt_mview: a text of "
        ~ change.relation
        ~ " holds U+FFFD, which its change feed also gives for bytes that are no UTF-8:"
        ~ " use refresh auto or --full-refresh"
    ) -%}
    {%- set all_ = "concat_ws('', " ~ texts | join(", ") ~ ")" -%}
    {%- set found = "contains(" ~ all_ ~ ", decode(x'EFBFBD', 'utf-8'))" -%}
    {{ return(dbt_mview._fails_where_sql(found, error) if texts else none) }}
{% endmacro %}


{#
Fails near the ten days that the Julian calendar does not have: the feed gives 1582-10-15 for each.

Args: columns, change. Returns: SQL condition, or none without dates.
#}
{% macro _exact_dates_sql(columns, change) %}
    {%- set near = {
        "date": " between date'1582-10-04' and date'1582-10-16'",
        "timestamp": " between timestamp'1582-10-04 00:00:00Z' and timestamp'1582-10-17 00:00:00Z'",
    } -%}
    {%- set found = [] -%}
    {%- for column in columns if modules.re.search("\\b(?:date|timestamp)\\b", column.type) -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- set within = "contains(cast(" ~ name ~ " as string), '1582-10-1')" -%}
        {%- set plain = column.type in near -%}
        {%- do found.append(name ~ near[column.type] if plain else within) -%}
    {%- endfor -%}
    {%- set error = (
        "dbt_mview: "
        ~ change.relation
        ~ " holds a date of October 1582, for which its change feed gives another:"
        ~ " use refresh auto or --full-refresh"
    ) -%}
    {{ return(dbt_mview._fails_where_sql(found | join(" or "), error) if found else none) }}
{% endmacro %}


{# Args: condition (SQL text), error (string). Returns: SQL condition, true for other rows. #}
{% macro _fails_where_sql(condition, error) %}
    {%- set raises = "raise_error(" ~ dbt_mview._literal(error) ~ ")" -%}
    {{ return("case when " ~ condition ~ " then " ~ raises ~ " else true end") }}
{% endmacro %}
