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
