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
