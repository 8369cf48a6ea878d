{#
What on_schema_change makes of a query whose columns are not those of the view.

    (not set)           the view follows its query, as with CREATE OR REPLACE, in order and case too
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
    {%- set names = present | map(attribute="name") | list -%}
    {%- set moved = not mode and names != wanted | map(attribute="name") | list -%}
    {%- if not diff.text and not moved -%}
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
