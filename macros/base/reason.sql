{#
Reasons as data: why a view is refreshed, or why something cannot be had. Decisions look at the
code; text is made here, where people see it.
#}
{#
Args: code (in capitals: people see it; else see _words_of_reasons), detail (string, or none), also
    (list of further codes: others that the detail names, or what is at fault more closely).
Returns: mapping code, detail, also.
#}
{% macro _reason(code, detail=none, also=[]) %}
    {{ return({"code": code, "detail": detail, "also": also}) }}
{% endmacro %}


{# Args: reason (see _reason). Returns: string. Errors: a code in no capitals that has no words. #}
{% macro _reason_text(reason) %}
    {%- set code, detail = reason.code, reason.detail -%}
    {%- if code | upper != code -%}
        {%- set words = dbt_mview._words_of_reasons()[code] -%}
        {{ return(words ~ ("" if detail is none else detail)) }}
    {%- endif -%}
    {{ return(code if detail is none else code ~ ": " ~ detail) }}
{% endmacro %}


{#
What people see in place of a code: reasons that are no obstacle.

Returns: mapping code -> words, which the detail follows.
#}
{% macro _words_of_reasons() %}
    {{
        return(
            {
                "full_refresh": "full refresh asked for",
                "complete_configured": "refresh is 'complete'",
                "complete_asked": "complete refresh asked for",
                "first_build": "first build",
                "first_build_in_place": "first build in place of a ",
                "first_of_deferred": "first refresh of a deferred view",
                "build_deferred": "build is deferred",
                "configuration_changed": "configuration changed: ",
                "refresh_unfinished": "a refresh before did not finish",
                "refresh_failed": "the last refresh failed",
                "sources_changed": "",
                "definition_lost": "state has no definition of it",
                "said_before": "",
                "no_version": "no version of ",
                "changes_by_itself": "its result changes by itself: ",
                "restored": "restored from ",
                "not_known_yet": "not known yet: ",
                "view_changed": "a view that it reads has changed since",
                "open": "computed again it may have other rows: ",
                "not_image_equal": "computed again it may have other values: ",
            }
        )
    }}
{% endmacro %}


{# A reason that says where as well. Args: reason, where (string). Returns: reason. #}
{% macro _reason_at(reason, where) %}
    {%- set detail = where if reason.detail is none else reason.detail ~ ": " ~ where -%}
    {{ return(dict(reason, detail=detail)) }}
{% endmacro %}


{#
Why a refresh is done, and why not by changes, in one line.

Args: job (reason, followed, not_fast). Returns: string, or none where it has no reason.
#}
{% macro _reason_of_job(job) %}
    {%- if job.reason is none -%} {{ return(none) }}{%- endif -%}
    {%- set text = dbt_mview._reason_text(job.reason) -%}
    {%- if job.followed -%}
        {%- set text = text ~ " (" ~ job.followed ~ " changed rows)" -%}
    {%- endif -%}
    {%- if job.not_fast -%}
        {%- set text = text ~ "; not FAST: " ~ dbt_mview._reason_text(job.not_fast) -%}
    {%- endif -%}
    {{ return(text) }}
{% endmacro %}
