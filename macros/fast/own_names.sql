{#
A shape in the names of the query's own columns. Args: shape (see _shape), found (see _canonical).
Returns: shape.
#}
{% macro _in_own_names(shape, found) %}
    {%- if not found.names -%} {{ return(shape) }}{%- endif -%}
    {%- set own = dict(found.names) -%}
    {%- for name, made in found.reads.made.items() -%}
        {%- do own.update({made: name}) -%}
    {%- endfor -%}
    {%- set named = dict(shape) -%}
    {%- if shape.reason -%}
        {%- do named.update({"reason": dbt_mview._words_renamed(shape.reason, own)}) -%}
    {%- endif -%}
    {%- set keys = [] -%}
    {%- for key in shape.get("keys") or [] -%} {%- do keys.append(own[key]) -%} {%- endfor -%}
    {%- do named.update({"keys": keys}) -%}
    {%- for part in ["values", "means", "wanted"] if part in shape -%}
        {%- set renamed = {} -%}
        {%- for name, value in shape[part].items() -%}
            {%- set value = dbt_mview._value_renamed(part, value, own) -%}
            {%- do renamed.update({own[name]: value}) -%}
        {%- endfor -%}
        {%- do named.update({part: renamed}) -%}
    {%- endfor -%}
    {{ return(named) }}
{% endmacro %}


{# What a shape says of one column. Args: part (of the shape), value, own (made name -> own). #}
{% macro _value_renamed(part, value, own) %}
    {%- if part == "wanted" -%} {{ return(dbt_mview._words_renamed(value, own)) }}
    {%- elif part == "values" -%} {{ return(value) }}
    {%- endif -%}
    {%- set renamed = {} -%}
    {%- for role, name in value.items() -%}
        {%- do renamed.update({role: own.get(name, name)}) -%}
    {%- endfor -%}
    {{ return(renamed) }}
{% endmacro %}


{# Args: text, own (made name -> own). Returns: string. #}
{% macro _words_renamed(text, own) %}
    {%- set parts = [] -%}
    {%- for part in modules.re.split("(\\w+)", text) -%}
        {%- do parts.append(own.get(part, part)) -%}
    {%- endfor -%}
    {{ return(parts | join) }}
{% endmacro %}
