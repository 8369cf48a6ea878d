{# The property that says what a log is of. Args: coverage (see _coverage). Returns: SQL text. #}
{% macro _coverage_property(coverage) %}
    {%- set kept = {} -%}
    {%- for key in ["base", "start", "gap"] -%}
        {%- do kept.update({key: coverage[key]}) -%}
    {%- endfor -%}
    {{ return("'dbt_mview.mlog' = " ~ dbt_mview._json_literal(kept)) }}
{% endmacro %}


{#
The property that says how far a log goes where no row came.

Args: coverage (see _coverage). Returns: SQL text.
#}
{% macro _captured_property(coverage) %}
    {%- set note = {
        "base": coverage.base,
        "began": coverage.began,
        "captured": coverage.captured,
        "log_version": coverage.version,
    } -%}
    {{ return("'dbt_mview.captured' = " ~ dbt_mview._json_literal(note)) }}
{% endmacro %}


{#
The property that says up to where a log was purged.

Args: coverage (see _coverage), upto (mapping version, commit_time). Returns: SQL text.
#}
{% macro _purged_property(coverage, upto) %}
    {%- set start = {"version": upto.version, "commit_time": upto.commit_time} -%}
    {%- set note = {"base": coverage.base, "began": coverage.began, "start": start} -%}
    {{ return("'dbt_mview.purged' = " ~ dbt_mview._json_literal(note)) }}
{% endmacro %}


{#
What a property of a log notes, if it is this log's own: a run that looked before the log began
anew may write later.

Args: found (coverage with base, began), text (JSON or none). Returns: mapping, empty if not.
#}
{% macro _note_of(found, text) %}
    {%- set note = fromjson(text or "{}", {}) -%}
    {%- if note.get("base") != found.base or not dbt_mview._is_of(found, note) -%}
        {{ return({}) }}
    {%- endif -%}
    {{ return(note) }}
{% endmacro %}


{# An older release did not say which log it meant. Args: found, note (mappings). Returns: bool. #}
{% macro _is_of(found, note) %}
    {{ return(note.get("began", found.began) == found.began) }}
{% endmacro %}


{#
A purge raises the start of a log. Its time never goes below that of the log's own first version: a
view that has read an older table of the base's name must not be taken for one that the log covers.

Args: found (coverage with began, start, gap), upto (mapping version, commit_time; or none: there
    was no purge). Sets start, gap.
#}
{% macro _raise_start(found, upto) %}
    {%- if upto and upto.version > found.start.version -%}
        {%- set time = [upto.commit_time, found.began.commit_time] | max -%}
        {%- do found.update(
            {
                "start": {"version": upto.version, "commit_time": time},
                "gap": "what came before was purged",
            }
        ) -%}
    {%- endif -%}
{% endmacro %}
