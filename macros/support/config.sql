{# A config with few values. Args: spec, key, value, allowed (list). Returns: value, lower case. #}
{% macro _one_of(spec, key, value, allowed) %}
    {%- set word = value | string | lower -%}
    {%- if word not in allowed -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            key ~ " is '" ~ value ~ "'.",
            "Use one of: " ~ allowed | join(", ") ~ ".",
        ) -%}
    {%- endif -%}
    {{ return(word) }}
{% endmacro %}


{#
The method that the model asks for; Snowflake's and Oracle's words are understood.

Errors: an unknown word.
#}
{% macro _refresh_method(spec, value=none) %}
    {%- set aliases = {"full": "complete", "force": "auto", "incremental": "fast"} -%}
    {%- set word = (value or config.get("refresh", "auto")) | string | lower -%}
    {%- set method = dbt_mview._one_of(
        spec, "refresh", aliases.get(word, word), ["auto", "complete", "fast"]
    ) -%}
    {{ return(method) }}
{% endmacro %}


{#
dbt's default is 'ignore', made for hand-written increments. A view follows its query, so only
a value that the user wrote counts. See docs/decisions.
#}
{% macro _on_schema_change(spec) %}
    {%- set value = model.unrendered_config.get("on_schema_change") -%}
    {%- if value is none -%} {{ return("sync_all_columns") }}{%- endif -%}
    {{
        return(
            dbt_mview._one_of(
                spec,
                "on_schema_change",
                config.get("on_schema_change"),
                ["ignore", "fail", "append_new_columns", "sync_all_columns"],
            )
        )
    }}
{% endmacro %}
