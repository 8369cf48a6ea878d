{#
Configs of a model and vars of a project, checked: an unknown value is an error that names the
config, never a default.
#}
{#
A config that dbt itself does not know: from the model's configs, or from `meta` among them, where
dbt v2 and dbt-databricks want it.

Args: name (string), default, configs (mapping, of a node of the graph; none: of this model).
Returns: the value, or default.
#}
{% macro _config(name, default=none, configs=none) %}
    {%- set given = config if configs is none else configs -%}
    {%- set meta = given.get("meta") or {} -%}
    {#- dbt's own `config.get` warns of what is only in `meta`. -#}
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
A var that counts something. Jinja's `int` makes 0 of what is no number: with a lease of 0 s no
lock would hold, and after 0 days no history would be left.

Args: name (string), default (int). Returns: int. Errors: no whole number above 0.
#}
{% macro _count_from_var(name, default) %}
    {%- set value = var(name, default) | string | trim -%}
    {%- if not modules.re.compile("[0-9]+").fullmatch(value) or value | int < 1 -%}
        {%- do dbt_mview._raise(
            "the var " ~ name,
            "'" ~ value ~ "' is no whole number above 0.",
            "Correct it in dbt_project.yml or in --vars; the default is "
            ~ default
            ~ ".",
        ) -%}
    {%- endif -%}
    {{ return(value | int) }}
{% endmacro %}


{# Returns: int. Errors: the var dbt_mview:lease_seconds is no whole number above 0. #}
{% macro _lease_seconds() %}
    {{ return(dbt_mview._count_from_var("dbt_mview:lease_seconds", 3600)) }}
{% endmacro %}


{#
After how many failures since its last success a view, or the purge of a log, is broken: no longer
due by its schedule (Oracle's jobs stop after 16).

Returns: int. Errors: the var dbt_mview:broken_after is no whole number from 1 to 1000.
#}
{% macro _broken_after() %}
    {%- set count = dbt_mview._count_from_var("dbt_mview:broken_after", 16) -%}
    {%- if count > 1000 -%}
        {%- do dbt_mview._raise(
            "the var dbt_mview:broken_after",
            "'" ~ count ~ "' is more than 1000.",
            "Give 1 to 1000; the default is 16.",
        ) -%}
    {%- endif -%}
    {{ return(count) }}
{% endmacro %}


{# Args: row (of state: failures). Returns: bool. #}
{% macro _is_broken(row) %}
    {{ return((row.failures or 0) >= dbt_mview._broken_after()) }}
{% endmacro %}


{#
Whether dbt puts a filter of its own around what a model reads: --empty, --sample.

Returns: bool.
#}
{% macro _is_partial_run() %}
    {#- Of these, `flags` has only the first. -#}
    {{ return(flags.EMPTY or invocation_args_dict.get("sample") is not none) }}
{% endmacro %}
