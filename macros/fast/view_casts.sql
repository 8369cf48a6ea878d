{#
A view keeps the types that it was made with, and casts to them what its tables have become since.
Such a cast may lose something, and would be taken for the column itself, see _passed_on.

Args: bindings (see _bindings). Returns: named reason, or none.
#}
{% macro _view_casts(bindings) %}
    {%- for name, view in bindings.items() if view and view.kind == "view" -%}
        {%- set types = {} -%}
        {%- set sql = dbt_mview._bind(view.text, bindings, view.namespace).sql -%}
        {%- for column in dbt_mview._describe_query(sql) -%}
            {%- do types.update({column.name | lower: column.type}) -%}
        {%- endfor -%}
        {%- for column in view.columns if " more fields" not in column.type -%}
            {%- set made = modules.re.sub("\\b(?:var)?char\\(\\d+\\)", "string", column.type) -%}
            {%- if types.get(column.source | lower) != made -%}
                {%- set short = name.split(".")[1:] | join(".") -%}
                {%- set what = short ~ " was made when " ~ column.name ~ " was " ~ made -%}
                {{ return("SCHEMA_CHANGED: the view " ~ what) }}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
