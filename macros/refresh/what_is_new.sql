{#
The sources that are not as they were read last, in one line, or none.

Args: old, new (lists of mappings relation, table_id, version, commit_time), unbound (list), ahead
    (list of the relations that were read further than new: those are no news).
Returns: string or none.
#}
{% macro _what_is_new(old, new, unbound, ahead=[]) %}
    {%- if unbound -%}
        {{
            return(
                "SOURCE_NOT_BOUND: " ~ unbound | join(", ") ~ " cannot be pinned in the query"
            )
        }}
    {%- endif -%}
    {%- set before = {} -%}
    {%- for source in old or [] -%}
        {%- do before.update({source.relation: source}) -%}
    {%- endfor -%}
    {%- set news = [] -%}
    {%- for source in new -%}
        {%- set name = source.relation.split(".")[1:] | join(".") -%}
        {%- set was = before.pop(source.relation, none) -%}
        {%- if source.version is none -%}
            {{ return("INPUT_NOT_IN_DELTA: " ~ name ~ " has no versions") }}
        {%- elif was is none -%} {%- do news.append(name ~ " is new") -%}
        {%- elif source.relation in ahead -%}
        {%- elif was.version is none or was.version > source.version or (
            was.version == source.version and not dbt_mview._same_commit(was, source)
        ) -%}
            {%- do news.append("SOURCE_REPLACED: " ~ name ~ " v" ~ source.version) -%}
        {%- elif was.version != source.version -%}
            {%- do news.append(name ~ " v" ~ was.version ~ " -> v" ~ source.version) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for name in before -%} {%- do news.append(name ~ " is no longer read") -%} {%- endfor -%}
    {{ return(news | join(", ") or none) }}
{% endmacro %}


{# Args: old, new (mappings). Returns: list of the keys whose values differ. #}
{% macro _changed_keys(old, new) %}
    {%- set keys = [] -%}
    {%- for key in new if old.get(key) != new[key] -%} {%- do keys.append(key) -%} {%- endfor -%}
    {{ return(keys) }}
{% endmacro %}
