{#
The query of a model that was never built, from its code: dbt has compiled nothing of it in an
operation. Models below it that are not there either take part as what they will be.
#}
{#
The query of a model as `dbt compile` would write it, and one that the engine can look at today.
Ephemeral models, and views that are not there, are subqueries; in place of a table that is not
there stand its columns without rows, see _empty_table_sql.

Args: node (of the graph). Returns: mapping definition (SQL text), sql (the same for the engine),
    why (string: why it is not known, or none; then neither is fit for use).
#}
{% macro _query_of_model(node) %}
    {%- set queries = dbt_mview._memory().queries -%}
    {%- if node.unique_id in queries -%} {{ return(queries[node.unique_id]) }}{%- endif -%}
    {%- set query = {"definition": none, "sql": none, "why": dbt_mview._why_not_rendered(node)} -%}
    {%- do queries.update({node.unique_id: query}) -%}
    {%- if query.why -%} {{ return(query) }}{%- endif -%}
    {%- set views, tables = {}, {} -%}
    {%- for id, parent in dbt_mview._parents_not_there(node).items() -%}
        {%- set below = dbt_mview._query_not_there(id, parent) -%}
        {%- if below.why -%} {%- do query.update({"why": below.why}) -%}
        {%- elif parent.config.get("materialized") == "view" -%}
            {%- do views.update({id: {"kind": "rows", "sql": "(\n" ~ below.definition ~ "\n)"}}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if query.why -%} {{ return(query) }}{%- endif -%}
    {%- set space = dbt_mview._current_catalog() ~ ".default" -%}
    {%- set rendered = dbt_mview._strip_end(dbt_mview._rendered(node)) -%}
    {%- set definition = dbt_mview._bind(rendered, views, space).sql -%}
    {%- for id, columns in dbt_mview._memory().foretold.items() -%}
        {%- set rows = dbt_mview._empty_table_sql(id, columns) -%}
        {%- do tables.update({id: {"kind": "rows", "sql": rows}}) -%}
    {%- endfor -%}
    {%- set sql = dbt_mview._bind(definition, tables, space).sql -%}
    {%- do query.update({"definition": definition, "sql": sql}) -%}
    {{ return(query) }}
{% endmacro %}


{#
A model, seed or snapshot that is not there yet, for the queries that read it.

Args: id (of its table), node. Returns: see _query_of_model. Sets foretold of _memory for what will
    be a table.
#}
{% macro _query_not_there(id, node) %}
    {%- set kind = node.config.get("materialized") -%}
    {%- set name = dbt_mview._short_name(id) -%}
    {%- if node.resource_type == "seed" -%}
        {{ return({"why": "the seed " ~ name ~ " is not loaded (dbt seed)"}) }}
    {%- elif node.resource_type != "model" or kind not in ["view", "mview", "table"] -%}
        {{ return({"why": name ~ " is not there"}) }}
    {%- endif -%}
    {%- set query = dbt_mview._query_of_model(node) -%}
    {%- if query.why or kind == "view" or id in dbt_mview._memory().foretold -%}
        {{ return(query) }}
    {%- endif -%}
    {%- set why = dbt_mview._why_not_analyzed(dbt_mview._reads(query.sql)) -%}
    {%- if why -%} {{ return({"why": name ~ " is not there, and for it " ~ why}) }}{%- endif -%}
    {%- set columns = dbt_mview._describe_query(query.sql) -%}
    {%- for column in columns if not dbt_mview._is_printable_type(column.type) -%}
        {{ return({"why": name ~ " is not there"}) }}
    {%- endfor -%}
    {%- do dbt_mview._memory().foretold.update({id: columns}) -%}
    {{ return(query) }}
{% endmacro %}


{#
What a model reads, also through ephemeral models, and the catalog does not have. Sources are left
to the engine, which names the one that it misses.

Args: node. Returns: mapping id -> node.
#}
{% macro _parents_not_there(node) %}
    {%- set found = {} -%}
    {%- set open = dbt_mview._parents_of(node) | list -%}
    {#- It grows as it is read. -#}
    {%- for unique_id in open -%}
        {%- set parent = graph.nodes.get(unique_id) -%}
        {%- if parent and parent.config.get("materialized") == "ephemeral" -%}
            {%- do open.extend(dbt_mview._parents_of(parent) | reject("in", open) | list) -%}
        {%- elif parent -%}
            {%- set id = dbt_mview._mview_id(dbt_mview._relation_of(parent)) -%}
            {%- if not dbt_mview._is_in_catalog(id) -%} {%- do found.update({id: parent}) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Whether there is a table or view of this name; asked once for all names of a schema.

Args: id (catalog.schema.identifier). Returns: bool; true in a catalog that is not the current one.
#}
{% macro _is_in_catalog(id) %}
    {%- set catalog, schema, identifier = id.split(".", 2) -%}
    {%- if catalog != dbt_mview._current_catalog() -%} {{ return(true) }}{%- endif -%}
    {%- set names = dbt_mview._memory().names -%}
    {%- if schema not in names -%}
        {%- set there = dbt_mview._schema_is_there(schema) -%}
        {%- do names.update({schema: dbt_mview._tables_like(schema, "*") if there else []}) -%}
    {%- endif -%}
    {{ return(identifier in names[schema]) }}
{% endmacro %}


{#
What an operation cannot give to the code of a model, and would fail for.

Args: node. Returns: string, or none.
#}
{% macro _why_not_rendered(node) %}
    {%- if node.get("language", "sql") != "sql" -%} {{ return("it is no SQL") }}{%- endif -%}
    {%- for name in modules.re.findall("\\bvar\\(\\s*['\"]([^'\"]+)['\"]\\s*\\)", node.raw_code) -%}
        {%- if var(name, "mview: no such var") == "mview: no such var" -%}
            {{ return("its var " ~ name ~ " is not at the top of vars, nor in --vars") }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Its code, rendered. Args: node. Returns: SQL text. Errors: those of its own Jinja. #}
{% macro _rendered(node) %}
    {%- set own = [
        "set ref = dbt_mview._ref_in_operation",
        "set model= graph.nodes[" ~ tojson(node.unique_id) ~ "]",
        "set this= dbt_mview._relation_of(model)",
    ] -%}
    {%- set lines = [] -%}
    {%- for text in own -%} {%- do lines.append("{" ~ "%- " ~ text ~ " -%" ~ "}") -%} {%- endfor -%}
    {{ return(render(lines | join ~ node.raw_code)) }}
{% endmacro %}


{#
`ref` for the code of a model: an ephemeral one, which dbt refuses in an operation, is a subquery.

Args: those of `ref`. Returns: Relation, or SQL text.
#}
{% macro _ref_in_operation() %}
    {%- for node in graph.nodes.values() if node.resource_type == "model" -%}
        {%- set is_meant = node.name == varargs[-1] and (
            varargs | length == 1 or node.package_name == varargs[0]
        ) -%}
        {%- if is_meant and node.config.get("materialized") == "ephemeral" -%}
            {{ return("(\n" ~ dbt_mview._query_of_model(node).definition ~ "\n)") }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(builtins.ref(*varargs, **kwargs)) }}
{% endmacro %}
