{#
The query that compares a view with its definition, column by column as it was published: one that
the query no longer has was published as NULL, see _plan_schema_change.

Args: spec, state, bindings (see _bindings). Returns: SQL text, one row: missing, surplus.
#}
{% macro _verify_sql(spec, state, bindings) %}
    {{ return(dbt_mview._compare_sql(dbt_mview._verify_sides(spec, state, bindings))) }}
{% endmacro %}


{#
The two sides of that comparison. Returns: mapping query, wanted (its columns in the view's order),
    view (SQL text, at the version that state knows), present (the view's columns).
#}
{% macro _verify_sides(spec, state, bindings) %}
    {%- set view = spec.name ~ " version as of " ~ state.target_version -%}
    {%- for source in state.sources -%}
        {%- do bindings.update({source.relation: {"kind": "table", "version": source.version}}) -%}
    {%- endfor -%}
    {%- set query = dbt_mview._bind(spec.definition, bindings, spec.namespace).sql -%}
    {%- set present = dbt_mview._describe_query("select * from " ~ view) -%}
    {%- set wanted = dbt_mview._in_order_of(present, dbt_mview._describe_query(query), true) -%}
    {{ return({"query": query, "wanted": wanted, "view": view, "present": present}) }}
{% endmacro %}
