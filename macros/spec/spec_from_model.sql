{#
The spec of the model that is being run, from its configs. Every config is checked before anything
is locked or written.
#}
{#
What the view is, from the model that is being run.

Returns: see _spec_record.
Errors: a mistyped config, or an unknown value of one; a name that the catalog cannot hold.
#}
{% macro _spec_from_model() %}
    {%- set spec = dbt_mview._spec_of_relation(this) -%}
    {%- do dbt_mview._check_config_names(spec.mview_id) -%}
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
            "on_lock": dbt_mview._on_lock(spec),
            "lock_wait": dbt_mview._lock_wait(spec),
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
What a run does that finds the view locked. A group is published as a whole, so its members neither
skip nor wait while they hold up the others.

Errors: an unknown word; a member of a refresh group has one of its own.
#}
{% macro _on_lock(spec) %}
    {%- set given = dbt_mview._config("on_lock") -%}
    {%- set value = given or var("dbt_mview:on_lock", "fail") -%}
    {%- set word = dbt_mview._one_of(spec, "on_lock", value, ["fail", "skip", "wait"]) -%}
    {%- if not dbt_mview._config("refresh_group") -%} {{ return(word) }}{%- endif -%}
    {%- if given and word != "fail" -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "on_lock is '"
            ~ word
            ~ "', and it belongs to a refresh_group, which is published as a"
            ~ " whole or not at all.",
            "Leave on_lock out: a run that finds a member locked fails, and the group stays as it"
            ~ " is.",
        ) -%}
    {%- endif -%}
    {{ return("fail") }}
{% endmacro %}


{# Returns: int. Errors: lock_wait is no whole number from 1 to 86400. #}
{% macro _lock_wait(spec) %}
    {%- set value = dbt_mview._config("lock_wait") or var("dbt_mview:lock_wait", 300) -%}
    {%- set text = value | string | trim -%}
    {%- set counts = modules.re.compile("[0-9]{1,5}").fullmatch(text) -%}
    {%- if not counts or not 1 <= text | int <= 86400 -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "lock_wait is '" ~ text ~ "'.",
            "Give whole seconds from 1 to 86400; the default is 300.",
        ) -%}
    {%- endif -%}
    {{ return(text | int) }}
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
