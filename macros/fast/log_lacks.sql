{#
Why a log cannot say what changed: the query uses columns that it leaves out. Rows that differ in no
other are alike in the log and would be netted to nothing. Or one that is a CHAR(n), which a log
keeps as a text: it is compared without its blanks in the table, and with them in the log.

Args: reads (see _reads), change (see _source_changes; with columns and used, see _note_columns).
Returns: named reason, or none.
#}
{% macro _log_lacks(reads, change) %}
    {%- if not change.get("log") -%} {{ return(none) }}{%- endif -%}
    {%- set held = change.log.columns | map(attribute="name") | map("lower") | list -%}
    {%- set used = change.columns | map(attribute="name") | list -%}
    {%- if change.used is not none -%} {%- set used = change.used -%} {%- endif -%}
    {%- set log_ = change.log.name.replace("`", "").split(".")[1:] | join(".") -%}
    {%- for name in used if name | lower not in held -%}
        {{ return("CHANGE_DATA_UNAVAILABLE: " ~ log_ ~ " leaves out " ~ name) }}
    {%- endfor -%}
    {#- Spark's plan alone tells: what reads a CHAR pads it. -#}
    {%- set padded = modules.re.findall("readSidePadding\\(([^#]*)#", reads.plan) -%}
    {%- for name in used if name in padded -%}
        {{ return("CHANGE_DATA_UNAVAILABLE: " ~ log_ ~ " keeps " ~ name ~ ", a CHAR, as a text") }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
