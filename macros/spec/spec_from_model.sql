{#
The spec of the model that is being run, from its configs. Every config is checked before anything
is locked or written.
#}
{#
What the view is, from the model that is being run.

Returns: see _spec_record.
Errors: an unknown value of a config; a name that the catalog cannot hold.
#}
{% macro _spec_from_model() %}
    {%- set spec = dbt_mview._spec_of_relation(this) -%}
    {%- set contract = config.get("contract") -%}
    {%- do spec.update(
        {
            "from_model": true,
            "definition": dbt_mview._strip_end(sql),
            "refresh": dbt_mview._refresh_method(spec),
            "unique_key": dbt_mview._columns_of(config.get("unique_key")),
            "audit": dbt_mview._as_list(dbt_mview._config("audit")),
            "on_configuration_change": dbt_mview._one_of(
                spec,
                "on_configuration_change",
                config.get("on_configuration_change", "apply"),
                ["apply", "continue", "fail"],
            ),
            "on_schema_change": dbt_mview._on_schema_change(spec),
            "read_consistency": dbt_mview._one_of(
                spec,
                "read_consistency",
                dbt_mview._config("read_consistency", "run"),
                ["run", "latest"],
            ),
            "build": dbt_mview._one_of(
                spec,
                "build",
                dbt_mview._config("build", "immediate"),
                ["immediate", "deferred"],
            ),
            "schedule": dbt_mview._schedule(
                spec.mview_id,
                dbt_mview._config("schedule"),
                "schedule",
                dbt_mview._config("target_lag"),
            ),
            "full_refresh": should_full_refresh(),
            "contract": contract.enforced if contract else false,
            "refresh_group": dbt_mview._refresh_group(spec),
            "documented": model.columns if config.persist_column_docs() else {},
            "description": model.description if config.persist_relation_docs() else none,
            "layout": dbt_mview._layout_from_model(spec),
        }
    ) -%}
    {%- do spec.update({"stored": dbt_mview._stored_spec(spec)}) -%}
    {{ return(spec) }}
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
