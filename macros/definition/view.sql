{#
A view as the catalog keeps it.

Args: name (string catalog.schema.identifier). Returns: mapping with kind 'view', text,
    namespace (where its names are looked up) and columns (list of name, type, source: the
    column of the text that feeds it); none for a view that its text alone does not describe.
#}
{% macro _view(name) %}
    {%- set rows = dbt_mview._read(
        "view", "describe extended " ~ dbt_mview._quoted_name(name)
    ).rows -%}
    {%- set columns = [] -%}
    {%- set facts = {} -%}
    {%- set at = namespace(columns=true) -%}
    {%- for row in rows -%}
        {#- A column has a type; a heading has none. -#}
        {%- if not row[1] -%} {%- set at.columns = false -%}
        {%- elif at.columns -%} {%- do columns.append({"name": row[0], "type": row[1]}) -%}
        {%- else -%} {%- do facts.update({row[0]: row[1]}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set sources = modules.re.findall(
        "`((?:[^`]|``)*)`", facts.get("View Query Output Columns", "")
    ) -%}
    {#- Columns that follow the tables, or of which two feed from one name, need Spark's help. -#}
    {%- set follows = "EVOLUTION" in facts.get("View Schema Mode", "") -%}
    {%- set known = sources | map("lower") | unique | list | length == columns | length -%}
    {%- if "View Text" not in facts or follows or not known -%} {{ return(none) }}{%- endif -%}
    {%- for column in columns -%}
        {%- do column.update({"source": sources[loop.index0].replace("``", "`")}) -%}
    {%- endfor -%}
    {%- set namespace_ = facts.get("View Catalog and Namespace", "").replace("`", "") -%}
    {{
        return(
            {
                "kind": "view",
                "text": dbt_mview._strip_end(facts["View Text"]),
                "columns": columns,
                "namespace": (namespace_ or name.rsplit(".", 1)[0]) | lower,
            }
        )
    }}
{% endmacro %}


{# Args: name (string with dots). Returns: quoted SQL name. #}
{% macro _quoted_name(name) %}
    {%- set parts = [] -%}
    {%- for part in name.split(".") -%}
        {%- do parts.append(dbt_mview._quote(part)) -%}
    {%- endfor -%}
    {{ return(parts | join(".")) }}
{% endmacro %}
