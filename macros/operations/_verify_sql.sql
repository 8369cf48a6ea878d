{#
The query that compares a view with its definition, column by column as it was published: one that
the query no longer has was published as NULL, see _plan_schema_change.

Args: spec, state. Returns: SQL text, one row: missing, surplus.
#}
{% macro _verify_sql(spec, state) %}
    {%- set view = spec.name ~ " version as of " ~ state.target_version -%}
    {%- set query = dbt_mview._query_as_read(spec, state) -%}
    {%- set present = dbt_mview._describe_query("select * from " ~ view) -%}
    {%- set wanted = dbt_mview._in_order_of(present, dbt_mview._describe_query(query), true) -%}
    {{ return(dbt_mview._compare_sql(query, wanted, view, present)) }}
{% endmacro %}


{# Args: spec, state. Returns: the definition, bound to the versions that the view says it read. #}
{% macro _query_as_read(spec, state) %}
    {%- set bindings = {} -%}
    {%- for name in dbt_mview._reads(spec.definition).views -%}
        {%- do bindings.update({name: dbt_mview._view(name)}) -%}
    {%- endfor -%}
    {%- for source in state.sources -%}
        {%- do bindings.update({source.relation: {"kind": "table", "version": source.version}}) -%}
    {%- endfor -%}
    {{ return(dbt_mview._bind(spec.definition, bindings, spec.namespace).sql) }}
{% endmacro %}
