{#
What --defer puts in the place of a parent that this target has not built is another target's, and
not this one's to change.

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
