{#
A config that dbt itself does not know: from the model's configs, or from `meta` among them, where
dbt v2 and dbt-databricks want it.

Args: name (string), default, configs (mapping, of a node of the graph; none: of this model).
Returns: the value, or default.
#}
{% macro _config(name, default=none, configs=none) %}
    {%- set given = config if configs is none else configs -%}
    {%- set meta = given.get("meta") or {} -%}
    {#- dbt's own `config.get` warns of what stands in `meta` alone. -#}
    {%- set value = none -%}
    {%- if configs is not none or name not in meta or model.config.get(name) is not none -%}
        {%- set value = given.get(name) -%}
    {%- endif -%}
    {%- if value is none -%} {%- set value = meta.get(name) -%} {%- endif -%}
    {{ return(default if value is none else value) }}
{% endmacro %}


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
    {%- set word = (value or dbt_mview._config("refresh", "auto")) | string | lower -%}
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
