{#
Names as SQL: quoted identifiers, relations and schemas, the id of a view, and lists of columns as
configs give them. Everybody may call these; they ask nothing of the engine.
#}
{# One quoted identifier. Args: part (string). Returns: SQL text. #}
{% macro _quote(part) %} {{ return("`" ~ (part | string).replace("`", "``") ~ "`") }} {% endmacro %}


{# A quoted list of columns. Args: names (list of strings). Returns: SQL text. #}
{% macro _quote_all(names) %}
    {%- set quoted = [] -%}
    {%- for name in names -%} {%- do quoted.append(dbt_mview._quote(name)) -%} {%- endfor -%}
    {{ return(quoted | join(", ")) }}
{% endmacro %}


{#
A relation's quoted name, whatever the project's quoting says.

Args: relation (Relation). Returns: SQL text `catalog`.`schema`.`identifier`, catalog if any.
#}
{% macro _name(relation) %}
    {%- set parts = [relation.database, relation.schema, relation.identifier] -%}
    {%- set quoted = [] -%}
    {%- for part in parts if part -%}
        {%- do quoted.append(dbt_mview._quote(part)) -%}
    {%- endfor -%}
    {{ return(quoted | join(".")) }}
{% endmacro %}


{# Args: name (string with dots). Returns: quoted SQL name. #}
{% macro _quoted_name(name) %}
    {%- set parts = [] -%}
    {%- for part in name.split(".") -%}
        {%- do parts.append(dbt_mview._quote(part)) -%}
    {%- endfor -%}
    {{ return(parts | join(".")) }}
{% endmacro %}


{#
A schema's quoted name. Spark's own catalog is the current one where dbt names none.

Args: catalog (string, or none: the current one), schema (string). Returns: SQL text.
#}
{% macro _schema_in(catalog, schema) %}
    {%- set named = catalog and catalog | lower != "spark_catalog" -%}
    {{ return((dbt_mview._quote(catalog) ~ "." if named else "") ~ dbt_mview._quote(schema)) }}
{% endmacro %}


{#
The catalog of names without one: that of the target, which a target of dbt-spark does not have.

Returns: string, lower case.
#}
{% macro _current_catalog() %}
    {{ return((target.get("database") or "spark_catalog") | lower) }}
{% endmacro %}


{#
The key of a view in state: lower-case catalog.schema.identifier.

Args: relation (Relation). Returns: string.
#}
{% macro _mview_id(relation) %}
    {%- set catalog = relation.database or "spark_catalog" -%}
    {{ return((catalog ~ "." ~ relation.schema ~ "." ~ relation.identifier) | lower) }}
{% endmacro %}


{# A list of one or many. Args: value (none or false, string or list). Returns: list. #}
{% macro _as_list(value) %}
    {#- A model may switch off what its folder has set. -#}
    {%- if value is none or value is false -%} {{ return([]) }}{%- endif -%}
    {{ return([value] if value is string else (value | list)) }}
{% endmacro %}


{#
Columns as configs of dbt-spark name them: one, several with commas between, or a list; in backticks
or not.

Args: value (none, string or list). Returns: list of names.
#}
{% macro _columns_of(value) %}
    {%- set names = [] -%}
    {%- for item in dbt_mview._as_list(value) -%}
        {%- set form = "`(?:[^`]|``)*`|[^,`]+" -%}
        {%- set parts = modules.re.findall(form, item) if value is string else [item] -%}
        {%- for part in parts -%}
            {%- set name = part | trim -%}
            {%- set quoted = modules.re.fullmatch("`((?:[^`]|``)+)`", name) -%}
            {%- set name = quoted.group(1).replace("``", "`") if quoted else name -%}
            {#- Nothing between commas is no name; in a list the engine refuses it. -#}
            {%- if name or value is not string -%} {%- do names.append(name) -%} {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(names) }}
{% endmacro %}
