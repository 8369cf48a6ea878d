{# Lists of columns as SQL: select items, assignments, joins by keys, bounds, table properties. #}
{# Columns as they are fed. Args: columns (list of name, expression). Returns: SQL text. #}
{% macro _select_list(columns) %}
    {%- set items = [] -%}
    {%- for column in columns -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- set fed = column.expression -%}
        {%- do items.append(name if fed == name else fed ~ " as " ~ name) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}


{#
Columns for a new table. A text that is taken as it is from a VARCHAR(n) gives the table that
length, which no DESCRIBE of a query shows, and which stays when the source gets another.

Args: columns (list of name, type, expression). Returns: the same, texts without a length.
#}
{% macro _without_lengths(columns) %}
    {%- set found = [] -%}
    {%- for column in columns -%}
        {%- set has_text = "string" in column.type and " collate " not in column.type -%}
        {%- if has_text and dbt_mview._is_printable_type(column.type) -%}
            {%- set text = "cast(" ~ column.expression ~ " as " ~ column.type ~ ")" -%}
            {%- do found.append(dict(column, expression=text)) -%}
        {%- else -%} {%- do found.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Args: columns (list of name, type), name. Returns: string, the type of one of them. #}
{% macro _type_of(columns, name) %}
    {{ return((columns | selectattr("name", "equalto", name) | first).type) }}
{% endmacro %}


{# Args: alias, names (list of columns). Returns: SQL text. #}
{% macro _prefixed(alias, names) %}
    {%- set items = [] -%}
    {%- for name in names -%}
        {%- do items.append(alias ~ "." ~ dbt_mview._quote(name)) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}


{# Columns get another row's values. Args: alias (of that row), names. Returns: SQL text. #}
{% macro _assigned(alias, names) %}
    {%- set items = [] -%}
    {%- for name in names -%}
        {%- set quoted = dbt_mview._quote(name) -%}
        {%- do items.append(quoted ~ " = " ~ alias ~ "." ~ quoted) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}


{#
A NULL-safe join over keys. A column of type void is left out: it is NULL in all rows, and in a
MERGE of Delta 4.4 `<=>` does not find it.

Args: left, right (aliases), keys (list of names), columns (list of name, type; of the view),
    as_text (those of the keys that are compared as texts, or none). Returns: SQL condition.
#}
{% macro _same_keys(left, right, keys, columns, as_text=none) %}
    {%- set always_null = columns | selectattr("type", "equalto", "void") -%}
    {%- set left_out = always_null | map(attribute="name") | map("lower") | list -%}
    {%- set parts = [] -%}
    {%- for key in keys if key | lower not in left_out -%}
        {%- set name = dbt_mview._quote(key) -%}
        {%- set sides = [left ~ "." ~ name, right ~ "." ~ name] -%}
        {%- if key in (as_text or []) -%}
            {%- set text = "cast({} as string)" -%}
            {%- set sides = [text.format(sides[0]), text.format(sides[1])] -%}
        {%- endif -%}
        {%- do parts.append(sides | join(" <=> ")) -%}
    {%- endfor -%}
    {{ return(parts | join(" and ") or "true") }}
{% endmacro %}


{#
Literal bounds of keys, see _inspect_stage.

Args: alias, bounds. Returns: SQL condition over the alias.
#}
{% macro _bounds_sql(alias, bounds) %}
    {%- set parts = [] -%}
    {%- for bound in bounds -%}
        {%- set name = alias ~ "." ~ dbt_mview._quote(bound.column) -%}
        {%- set any = [] -%}
        {%- if bound.low is not none -%}
            {%- do any.append(name ~ " between " ~ bound.low ~ " and " ~ bound.high) -%}
        {%- endif -%}
        {%- if bound.nulls -%} {%- do any.append(name ~ " is null") -%} {%- endif -%}
        {%- if any -%} {%- do parts.append("(" ~ any | join(" or ") ~ ")") -%} {%- endif -%}
    {%- endfor -%}
    {{ return(parts | join(" and ") or "true") }}
{% endmacro %}


{#
The properties of a view's table: those of the model, its constraints, and the change data feed. The
feed is on unless the model says otherwise, or Delta refuses it: a column has one of the feed's own
names, or columns are mapped.

Args: layout (mapping; one of an older release lacks change_feed, and has no feed), columns (of the
    table: mappings name). Returns: mapping.
#}
{% macro _properties(layout, columns=[]) %}
    {%- set properties = dict(layout.tblproperties) -%}
    {%- set feed = layout.get("change_feed", false) -%}
    {%- set names = columns | map(attribute="name") | map("lower") -%}
    {%- if feed is none -%}
        {%- set own = names | select("in", dbt_mview._change_columns()) | list -%}
        {%- set feed = not own and not dbt_mview._maps_columns(properties) -%}
    {%- endif -%}
    {%- if feed and dbt_mview._feed_property(properties) is none -%}
        {%- do properties.update({"delta.enableChangeDataFeed": "true"}) -%}
    {%- endif -%}
    {%- for name, expression in layout.constraints.items() -%}
        {%- do properties.update({"delta.constraints." ~ name: expression}) -%}
    {%- endfor -%}
    {{ return(properties) }}
{% endmacro %}


{# Args: properties (mapping). Returns: SQL text. #}
{% macro _properties_sql(properties) %}
    {%- set items = [] -%}
    {%- for key, value in properties.items() -%}
        {%- do items.append(dbt_mview._literal(key) ~ " = " ~ dbt_mview._literal(value)) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}
