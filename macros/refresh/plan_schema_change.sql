{# The config on_schema_change: what happens where the query's columns are not those of the view. #}
{#
What on_schema_change makes of a query whose columns are not those of the view.

    sync_all_columns    the view follows its query, as with CREATE OR REPLACE, in order and case
                        too; so it does where nothing is set
    ignore              new columns are left out; a vanished one is an error
    fail                any difference is an error
    append_new_columns  new ones are added at the end; vanished ones stay and become NULL

Without the model there is no order but that of the query, and a contract may have had another.

Args: spec, job, wanted (columns of the query). Sets job.publish, job.columns, job.schema_change.
Errors: one message that lists the differences and the way out.
#}
{% macro _plan_schema_change(spec, job, wanted) %}
    {%- set present = dbt_mview._describe_query("select * from " ~ spec.name) -%}
    {%- set diff = dbt_mview._schema_diff(present, wanted) -%}
    {%- set mode = spec.on_schema_change -%}
    {%- set names = present | map(attribute="name") | list -%}
    {%- set follows = mode == "sync_all_columns" and spec.from_model -%}
    {%- set moved = follows and names != wanted | map(attribute="name") | list -%}
    {%- set change = diff.text or ("the order of columns" if moved else none) -%}
    {%- do job.update({"schema_change": change}) -%}
    {%- if not change -%}
        {%- do job.update(
            {
                "publish": "insert",
                "columns": dbt_mview._in_order_of(present, wanted, false),
            }
        ) -%}
    {%- elif mode == "fail" or (mode == "ignore" and diff.vanished) -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "the columns of the query changed ("
            ~ diff.text
            ~ ") and on_schema_change is '"
            ~ mode
            ~ "'.",
            "Set it to 'sync_all_columns' or 'append_new_columns', or use --full-refresh.",
        ) -%}
    {%- elif mode == "ignore" -%}
        {%- do job.update(
            {
                "publish": "insert",
                "columns": dbt_mview._in_order_of(present, wanted, true),
            }
        ) -%}
    {%- elif mode == "append_new_columns" -%}
        {%- do job.update(
            {
                "publish": "replace" if diff.added else "insert",
                "columns": dbt_mview._in_order_of(present, wanted, true) + diff.added,
            }
        ) -%}
    {%- else -%} {%- do job.update({"publish": "replace", "columns": wanted}) -%}
    {%- endif -%}
{% endmacro %}


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
