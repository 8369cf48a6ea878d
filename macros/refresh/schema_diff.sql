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
The view's own columns, each fed by the query's column of that name, or by NULL if it is gone.

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
        {%- if cast and (not feed or feed.type != column.type) -%}
            {%- set value = "cast(" ~ value ~ " as " ~ column.type ~ ")" -%}
        {%- endif -%}
        {%- do columns.append({"name": column.name, "type": column.type, "expression": value}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{% endmacro %}
