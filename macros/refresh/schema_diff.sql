{#
Args: present, wanted (lists of columns).
Returns: mapping added (columns), vanished (columns), text (string, empty if there is no change).
#}
{% macro _schema_diff(present, wanted) %}
    {%- set before = {} -%}
    {%- for column in present -%}
        {%- do before.update({column.name | lower: column}) -%}
    {%- endfor -%}
    {%- set diff = {"added": [], "vanished": []} -%}
    {%- set texts = [] -%}
    {%- for column in wanted -%}
        {%- set was = before.pop(column.name | lower, none) -%}
        {%- if was is none -%}
            {%- do diff.added.append(column) -%}
            {%- do texts.append("new: " ~ column.name ~ " " ~ column.type) -%}
        {%- elif was.type != column.type -%}
            {%- do texts.append(column.name ~ ": " ~ was.type ~ " -> " ~ column.type) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for column in before.values() -%}
        {%- do diff.vanished.append(column) -%} {%- do texts.append("gone: " ~ column.name) -%}
    {%- endfor -%}
    {%- do diff.update({"text": texts | join(", ")}) -%}
    {{ return(diff) }}
{% endmacro %}


{#
The view's own columns, each fed by the query's column of that name, or by NULL if it is gone. A
value that the view's type cannot hold is an error, as an INSERT has it: outside of ANSI mode a cast
would make another number of it.

Args: present, wanted (lists of columns), cast (bool: to the view's type). Returns: columns.
#}
{% macro _in_order_of(present, wanted, cast) %}
    {%- set feeds = {} -%}
    {%- for column in wanted -%}
        {%- do feeds.update({column.name | lower: column}) -%}
    {%- endfor -%}
    {%- set columns = [] -%}
    {%- for column in present -%}
        {%- set feed = feeds.get(column.name | lower) -%}
        {%- set value = feed.expression if feed else "null" -%}
        {%- if cast and not feed -%} {%- set value = "cast(null as " ~ column.type ~ ")" -%}
        {%- elif cast and feed.type != column.type -%}
            {%- set value = dbt_mview._fitted_sql(value, column) -%}
        {%- endif -%}
        {%- do columns.append({"name": column.name, "type": column.type, "expression": value}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{% endmacro %}


{# Args: value (SQL expression), column (of the view). Returns: SQL expression of its type. #}
{% macro _fitted_sql(value, column) %}
    {%- set text = (
        "dbt_mview: a value of "
        ~ column.name
        ~ " does not fit into "
        ~ column.type
        ~ ", as which on_schema_change keeps it. Set that to 'sync_all_columns'."
    ) -%}
    {%- set error = "raise_error(" ~ dbt_mview._literal(text) ~ ")" -%}
    {%- set unless = "if(" ~ value ~ " is null, null, " ~ error ~ ")" -%}
    {{ return("coalesce(try_cast(" ~ value ~ " as " ~ column.type ~ "), " ~ unless ~ ")") }}
{% endmacro %}
