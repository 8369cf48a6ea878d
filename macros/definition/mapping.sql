{#
A map as the method of connection returns it. PySpark gives a mapping, Databricks' connector a list
of pairs, both perhaps as JSON. A thrift server sends a text with quotes around
keys and values that are not escaped: `{"a":"{"b":"c"}"}`. A value that is JSON itself ends with
its own bracket, any other before the next key.

Args: value (mapping, list of pairs, string or none). Returns: mapping.
#}
{% macro _mapping(value) %}
    {%- set plain = fromjson(value, none) if value is string else value or {} -%}
    {%- if plain is mapping -%} {{ return(plain) }}
    {%- elif plain is iterable and plain is not string -%} {{ return(dict(plain)) }}
    {%- endif -%}
    {#- Brackets within brackets, as deep as Delta's parameters and our own properties go. -#}
    {%- set nested = namespace(object="\\{[^{}]*\\}", list="\\[[^\\[\\]]*\\]") -%}
    {%- for _ in range(5) -%}
        {%- set nested.object = "\\{(?:[^{}]|" ~ nested.object ~ ")*\\}" -%}
        {%- set nested.list = "\\[(?:[^\\[\\]]|" ~ nested.list ~ ")*\\]" -%}
    {%- endfor -%}
    {%- set value_ = '"(' ~ nested.object ~ "|" ~ nested.list ~ '|.*?)"' -%}
    {%- set entry = '(?s)"([^"]+)":(?:null|' ~ value_ ~ ')(?=,"[^"]+":(?:"|null)|\\}\\Z)' -%}
    {{ return(dict(modules.re.findall(entry, value | trim))) }}
{% endmacro %}
