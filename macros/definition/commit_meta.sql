{# Args: text (string or none). Returns: the package's own part of userMetadata, or none. #}
{% macro _commit_meta(text) %}
    {%- if not text or not (text | string).startswith('{"dbt_mview"') -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set meta = (fromjson(text, {}) or {}).get("dbt_mview") -%}
    {{ return(meta if meta is mapping else none) }}
{% endmacro %}


{# A MERGE carries its refresh as hexadecimal digits in a condition, see _merge_changes_sql. #}
{% macro _merge_meta(parameters) %}
    {%- set found = modules.re.search(
        "7b226462745f6d7669657722[0-9a-f]+",
        parameters.get("notMatchedPredicates") or "",
    ) -%}
    {{ return("".encode().fromhex(found.group(0)).decode("utf-8") if found else none) }}
{% endmacro %}


{#
A map as the method of connection returns it. A thrift server sends a text with quotes around
keys and values that are not escaped: `{"a":"{"b":"c"}"}`. A value that is JSON itself ends with
its own bracket, any other before the next key.

Args: value (mapping, string or none). Returns: mapping.
#}
{% macro _mapping(value) %}
    {%- if value is not string -%} {{ return(value or {}) }}{%- endif -%}
    {%- set plain = fromjson(value, none) -%}
    {%- if plain is mapping -%} {{ return(plain) }}{%- endif -%}
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
