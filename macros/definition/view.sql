{#
A view as the catalog keeps it.

Args: name (string catalog.schema.identifier). Returns: mapping with kind 'view', text,
    namespace (where its names are looked up) and columns (list of name, type, source: the
    column of the text that feeds it).
#}
{% macro _view(name) %}
    {%- set rows = dbt_mview._read(
        "view", "describe extended " ~ dbt_mview._quoted_name(name)
    ).rows -%}
    {%- set columns = [] -%}
    {%- set facts = {} -%}
    {%- set at = namespace(columns=true) -%}
    {%- for row in rows -%}
        {%- if not row[0] or row[0].startswith("#") -%} {%- set at.columns = false -%}
        {%- elif at.columns -%}
            {%- do columns.append({"name": row[0], "type": row[1], "source": row[0]}) -%}
        {%- else -%} {%- do facts.update({row[0]: row[1]}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set sources = modules.re.findall(
        "`((?:[^`]|``)*)`", facts.get("View Query Output Columns", "")
    ) -%}
    {%- if sources | length == columns | length -%}
        {%- for column in columns -%}
            {%- do column.update({"source": sources[loop.index0].replace("``", "`")}) -%}
        {%- endfor -%}
    {%- endif -%}
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
