{#
Why a log cannot say what changed: the query uses columns that it leaves out. Rows that differ in no
other are alike in the log and would be netted to nothing.

Args: change (see _source_changes; with columns and used, see _note_columns).
Returns: named reason, or none.
#}
{% macro _log_lacks(change) %}
    {%- if not change.get("log") -%} {{ return(none) }}{%- endif -%}
    {%- set held = change.log.columns | map(attribute="name") | map("lower") | list -%}
    {%- set used = change.columns | map(attribute="name") | list -%}
    {%- if change.used is not none -%} {%- set used = change.used -%} {%- endif -%}
    {%- for name in used if name | lower not in held -%}
        {%- set log_ = change.log.name.replace("`", "").split(".")[1:] | join(".") -%}
        {{ return("CHANGE_DATA_UNAVAILABLE: " ~ log_ ~ " leaves out " ~ name) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
