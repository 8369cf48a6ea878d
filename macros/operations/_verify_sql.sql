{#
The query that compares a view with its definition, column by column as it was published: one that
the query no longer has was published as NULL, see _plan_schema_change.

Args: spec, state, bindings (see _bindings). Returns: SQL text, one row: missing, surplus.
#}
{% macro _verify_sql(spec, state, bindings) %}
    {%- set view = spec.name ~ " version as of " ~ state.target_version -%}
    {%- for source in state.sources -%}
        {%- do bindings.update({source.relation: {"kind": "table", "version": source.version}}) -%}
    {%- endfor -%}
    {%- set query = dbt_mview._bind(spec.definition, bindings, spec.namespace).sql -%}
    {%- set present = dbt_mview._describe_query("select * from " ~ view) -%}
    {%- set wanted = dbt_mview._in_order_of(present, dbt_mview._describe_query(query), true) -%}
    {{ return(dbt_mview._compare_sql(query, wanted, view, present)) }}
{% endmacro %}
