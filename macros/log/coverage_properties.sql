{# The property that says what a log is of. Args: coverage (see _coverage). Returns: SQL text. #}
{% macro _coverage_property(coverage) %}
    {%- set kept = {} -%}
    {%- for key in ["base", "start", "gap"] -%}
        {%- do kept.update({key: coverage[key]}) -%}
    {%- endfor -%}
    {{ return("'dbt_mview.mlog' = " ~ dbt_mview._json_literal(kept)) }}
{% endmacro %}


{#
The property that says how far a log goes where no row came. It names no start, as that may have
been raised, or the log begun anew, since this run looked.

Args: coverage (see _coverage). Returns: SQL text.
#}
{% macro _captured_property(coverage) %}
    {%- set note = {
        "base": coverage.base,
        "captured": coverage.captured,
        "log_version": coverage.version,
    } -%}
    {{ return("'dbt_mview.captured' = " ~ dbt_mview._json_literal(note)) }}
{% endmacro %}


{#
The property that says up to where a log was purged. A log that begins anew meanwhile has a later
start, which then counts.

Args: base (name), upto (mapping version, commit_time). Returns: SQL text.
#}
{% macro _purged_property(base, upto) %}
    {%- set start = {"version": upto.version, "commit_time": upto.commit_time} -%}
    {%- set note = {"base": base, "start": start} -%}
    {{ return("'dbt_mview.purged' = " ~ dbt_mview._json_literal(note)) }}
{% endmacro %}


{# Args: found (coverage with base, start, gap), purged (that property). Sets start, captured. #}
{% macro _raise_start(found, purged) %}
    {%- if purged.get("base") == found.base and dbt_mview._is_later(purged.start, found.start) -%}
        {%- do found.update({"start": purged.start, "gap": "what came before was purged"}) -%}
    {%- endif -%}
    {%- do found.update({"captured": found.start}) -%}
{% endmacro %}


{#
Of one table: versions of one that was dropped and created begin anew, later.

Args: at, than (mappings version, commit_time). Returns: bool.
#}
{% macro _is_later(at, than) %}
    {{ return(at.version > than.version and at.commit_time >= than.commit_time) }}
{% endmacro %}
