{#
What on_schema_change makes of a query whose columns are not those of the view.

    (not set)           the view follows its query, as with CREATE OR REPLACE
    ignore              new columns are left out; a vanished one is an error
    fail                any difference is an error
    append_new_columns  new ones are added at the end; vanished ones stay and become NULL
    sync_all_columns    added, dropped and retyped

Args: spec, job, wanted (columns of the query). Sets job.publish, job.columns.
Errors: one message that lists the differences and the way out.
#}
{% macro _plan_schema_change(spec, job, wanted) %}
    {%- set present = dbt_mview._describe_query("select * from " ~ spec.name) -%}
    {%- set diff = dbt_mview._schema_diff(present, wanted) -%}
    {%- set mode = spec.on_schema_change -%}
    {%- if not diff.text -%}
        {%- do job.update({
            "publish": "insert", "columns": dbt_mview._in_order_of(present, wanted, false)
        }) -%}
    {%- elif mode == "fail" or (mode == "ignore" and diff.vanished) -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "the columns of the query changed (" ~ diff.text ~ ") and on_schema_change is '"
            ~ mode ~ "'.",
            "Set it to 'sync_all_columns' or 'append_new_columns', or use --full-refresh."
        ) -%}
    {%- elif mode == "ignore" -%}
        {%- do job.update({
            "publish": "insert", "columns": dbt_mview._in_order_of(present, wanted, true)
        }) -%}
    {%- elif mode == "append_new_columns" -%}
        {%- do job.update({
            "publish": "replace" if diff.added else "insert",
            "columns": dbt_mview._in_order_of(present, wanted, true) + diff.added,
        }) -%}
    {%- else -%}
        {%- do job.update({"publish": "replace", "columns": wanted}) -%}
    {%- endif -%}
{% endmacro %}


{#
Args: present, wanted (lists of columns).
Returns: mapping added (columns), vanished (columns), text (string, empty if there is no change).
#}
{% macro _schema_diff(present, wanted) %}
    {%- set before = {} -%}
    {%- for column in present -%}{%- do before.update({column.name | lower: column}) -%}{%- endfor -%}
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
        {%- do diff.vanished.append(column) -%}
        {%- do texts.append("gone: " ~ column.name) -%}
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
    {%- for column in wanted -%}{%- do feeds.update({column.name | lower: column}) -%}{%- endfor -%}
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
