{#
The vars of flashback, checked: one that is out of its range is an error, never the nearest value,
because a window that is silently shorter loses what somebody counted on.
#}
{#
Returns: mapping enable (bool), window, create_interval and clean_interval (ints, seconds),
    history_limit (int, versions) and protect (keep_alive, set or none as text).
Errors: a var of another type, or out of its range.
#}
{% macro _flashback_settings() %}
    {%- set most, longest = 9223372036854775807, 2592000 -%}
    {{
        return(
            {
                "enable": dbt_mview._flashback_word("enable", false, ["true", "false"]) == "true",
                "window": dbt_mview._flashback_number("window", 86400, longest),
                "history_limit": dbt_mview._flashback_number("history_limit", 8000000, most),
                "create_interval": dbt_mview._flashback_number(
                    "trackpoint_create_interval", 1, 86400
                ),
                "clean_interval": dbt_mview._flashback_number(
                    "trackpoint_clean_interval", 1, 86400
                ),
                "protect": dbt_mview._flashback_word(
                    "protect", "keep_alive", ["keep_alive", "set", "none"]
                ),
            }
        )
    }}
{% endmacro %}


{# Args: name (what follows dbt_mview:flashback_), default, most (int). Returns: int, 1 to most. #}
{% macro _flashback_number(name, default, most) %}
    {%- set value = var("dbt_mview:flashback_" ~ name, default) -%}
    {%- set text = value | string | trim -%}
    {%- set whole = value is not boolean and modules.re.fullmatch("[0-9]{1,19}", text) -%}
    {%- if not whole or text | int < 1 or text | int > most -%}
        {%- do dbt_mview._refuse_flashback_var(name, value, "1 to " ~ most, default) -%}
    {%- endif -%}
    {{ return(text | int) }}
{% endmacro %}


{# Args: name, default, words (list). Returns: string, one of them. #}
{% macro _flashback_word(name, default, words) %}
    {%- set value = var("dbt_mview:flashback_" ~ name, default) -%}
    {%- set text = value | string | trim | lower -%}
    {%- if value is none or text not in words -%}
        {%- do dbt_mview._refuse_flashback_var(
            name, value, words | join(", "), default | lower
        ) -%}
    {%- endif -%}
    {{ return(text) }}
{% endmacro %}


{# Args: name, value, range (string), default. Errors: always. #}
{% macro _refuse_flashback_var(name, value, range, default) %}
    {%- do dbt_mview._raise(
        "the var dbt_mview:flashback_" ~ name,
        "'" ~ value ~ "' is out of its range, which is " ~ range ~ ".",
        "Correct it in dbt_project.yml or in --vars; the default is " ~ default ~ ".",
    ) -%}
{% endmacro %}
