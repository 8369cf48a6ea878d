{#
What on_schema_change makes of a query whose columns are not those of the view.

    sync_all_columns    the view follows its query, as with CREATE OR REPLACE, in order and case
                        too; so it does where nothing is set
    ignore              new columns are left out; a vanished one is an error
    fail                any difference is an error
    append_new_columns  new ones are added at the end; vanished ones stay and become NULL

Without the model there is no order but that of the query, and a contract may have had another.

Args: spec, job, wanted (columns of the query). Sets job.publish, job.columns.
Errors: one message that lists the differences and the way out.
#}
{% macro _plan_schema_change(spec, job, wanted) %}
    {%- set present = dbt_mview._describe_query("select * from " ~ spec.name) -%}
    {%- set diff = dbt_mview._schema_diff(present, wanted) -%}
    {%- set mode = spec.on_schema_change -%}
    {%- set names = present | map(attribute="name") | list -%}
    {%- set follows = mode == "sync_all_columns" and spec.get("from_model") -%}
    {%- set moved = follows and names != wanted | map(attribute="name") | list -%}
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
