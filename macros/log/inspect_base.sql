{#
Step inspect_base: the table that is logged, its columns, and its change data feed, switched on
where it is off.
#}
{#
Step inspect_base: which table is logged, and with which columns.

Args: spec, job. Sets spec.base, job.base (quoted name), job.now (its newest version, see
    _pin_table), job.columns, job.feed_is_on.
Errors: the base is no Delta table; a column has the name of one of the log's own.
#}
{% macro _inspect_base(spec, job) %}
    {%- set reads = dbt_mview._reads(spec.definition) -%}
    {%- if reads.occurrences | length != 1 or reads.other or reads.views -%}
        {%- set what = (reads.views + reads.other) | join(", ") or reads.occurrences | join(
            ", "
        ) -%}
        {%- do dbt_mview._raise(
            spec.mlog_id,
            "the base of a materialized view log is one Delta table, not " ~ what ~ ".",
            "Log the tables that the views read.",
        ) -%}
    {%- endif -%}
    {%- set base = dbt_mview._quoted_name(reads.tables[0]) -%}
    {%- set seen = dbt_mview._inspect_table(reads.tables[0]) -%}
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
            "feed_is_on": dbt_mview._is_feed_on(seen.properties),
        }
    ) -%}
{% endmacro %}


{#
Step switch_feed_on: without its change data feed a table cannot be logged. What changed before is
lost to the log, see _gap. Not with --empty or --sample: then the base may be another target's.

Args: spec, job (base, feed_is_on). Sets job.now, as the log can begin only now.
Errors: see _refuse_deferred_base.
#}
{% macro _switch_feed_on(spec, job) %}
    {%- if job.feed_is_on or dbt_mview._is_partial_run() -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._refuse_deferred_base(spec) -%}
    {%- do dbt_mview._run(
        "switch_feed_on",
        "alter table "
        ~ job.base
        ~ " set tblproperties ('delta.enableChangeDataFeed' = 'true')",
        job,
    ) -%}
    {%- do log(
        "dbt_mview: switched the change data feed of "
        ~ spec.base
        ~ " on, for the materialized view log "
        ~ spec.mlog_id,
        info=true,
    ) -%}
    {%- do job.update({"now": dbt_mview._pin_table(spec.base, none)}) -%}
{% endmacro %}


{#
If this target has not built a parent, --defer replaces it by another target's table, which this
target must not change.

Args: spec (mlog_id, base). Errors: the base of the log is such a table.
#}
{% macro _refuse_deferred_base(spec) %}
    {%- if dbt_mview._is_deferred(spec.base) -%}
        {%- do dbt_mview._raise(
            spec.mlog_id,
            "the change data feed of its base is off, and --defer takes that base, "
            ~ spec.base
            ~ ", from another target.",
            "Switch the feed on there (delta.enableChangeDataFeed), or build the base here.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{# Args: name (string catalog.schema.identifier). Returns: bool. #}
{% macro _is_deferred(name) %}
    {%- if not invocation_args_dict.get("defer") -%} {{ return(false) }}{%- endif -%}
    {%- for unique_id in model.depends_on.nodes if unique_id in graph.nodes -%}
        {%- set node = graph.nodes[unique_id] -%}
        {%- set other = node.get("defer_relation") -%}
        {%- if other and dbt_mview._mview_id(dbt_mview._relation_of(node)) != name -%}
            {%- set relation = api.Relation.create(
                database=other.database, schema=other.schema, identifier=other.alias
            ) -%}
            {%- if dbt_mview._mview_id(relation) == name -%} {{ return(true) }}{%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
