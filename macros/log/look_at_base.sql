{#
Step look_at_base: which table is logged, and with which columns.

Args: spec, job. Sets spec.base, job.base (quoted name), job.now (its newest version, see
    _pin_table), job.columns, job.feed_is_on.
Errors: the base is no Delta table; a column has the name of one of the log's own.
#}
{% macro _look_at_base(spec, job) %}
    {%- set reads = dbt_mview._reads(spec.definition) -%}
    {%- if reads.places | length != 1 or reads.other or reads.views -%}
        {%- set what = (reads.views + reads.other) | join(", ") or reads.places | join(", ") -%}
        {%- do dbt_mview._raise(
            spec.mlog_id,
            "the base of a materialized view log is one Delta table, not " ~ what ~ ".",
            "Log the tables that the views read.",
        ) -%}
    {%- endif -%}
    {%- set base = dbt_mview._quoted_name(reads.tables[0]) -%}
    {%- set seen = dbt_mview._look_at_table(reads.tables[0]) -%}
    {%- if seen is none -%}
        {%- set parts = reads.tables[0].split(".") -%}
        {%- do dbt_mview._raise(
            spec.mlog_id,
            reads.tables[0]
            ~ " is no Delta table, but "
            ~ dbt_mview._kind_of(parts[1], parts[2], parts[0])
            ~ ".",
            "Only Delta tables have a change data feed: CONVERT TO DELTA, or build it as one.",
        ) -%}
    {%- endif -%}
    {%- set now = dbt_mview._pin_as_seen(reads.tables[0], seen) -%}
    {#- A column that comes at this moment comes with the next capture. -#}
    {%- set as_seen = {reads.tables[0]: {"kind": "table", "version": now.version}} -%}
    {%- set bound = dbt_mview._bind(spec.definition, as_seen, spec.namespace) -%}
    {%- set columns = dbt_mview._describe_query(bound.sql) -%}
    {%- for column in columns if column.name | lower in dbt_mview._change_columns() -%}
        {%- do dbt_mview._raise(
            spec.mlog_id,
            "the base has a column "
            ~ column.name
            ~ ", which Delta's change data feed needs.",
            "Rename it in the base table.",
        ) -%}
    {%- endfor -%}
    {%- do spec.update({"base": reads.tables[0]}) -%}
    {%- do job.update(
        {
            "base": base,
            "now": now,
            "columns": columns,
            "feed_is_on": seen.properties.get("delta.enableChangeDataFeed", "") | lower
            == "true",
        }
    ) -%}
{% endmacro %}


{# Returns: list, the columns of a change beside those of its row, as Delta names them. #}
{% macro _change_columns() %}
    {{ return(["_change_type", "_commit_version", "_commit_timestamp"]) }}
{% endmacro %}
