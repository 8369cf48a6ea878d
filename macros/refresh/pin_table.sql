{#
The version of one table at a moment: the last one committed at or before it; the newest where
there is no moment, or none that old.

Args: name (string catalog.schema.identifier), moment (int microseconds or none).
Returns: mapping relation, table_id (none as yet, see _note_table_ids), version, commit_time; the
    latter two none for what is no Delta table.
#}
{% macro _pin_table(name, moment) %}
    {{ return(dbt_mview._pin_as_seen(name, dbt_mview._look_at_table(name), moment)) }}
{% endmacro %}


{# The same of a table that was looked at. Args: seen (see _look_at_table). #}
{% macro _pin_as_seen(name, seen, moment=none) %}
    {%- set pin = {"relation": name, "table_id": none, "version": none, "commit_time": none} -%}
    {%- if seen is none -%} {{ return(pin) }}{%- endif -%}
    {%- set chosen = namespace(commit=seen.commits[0]) -%}
    {%- if moment is not none and chosen.commit.commit_time > moment -%}
        {%- if seen.commits[-1].commit_time > moment -%}
            {%- set seen = dbt_mview._look_further(name, seen, none) -%}
        {%- endif -%}
        {%- set older = seen.commits | rejectattr("commit_time", "gt", moment) | list -%}
        {%- set chosen.commit = older[0] if older else seen.commits[0] -%}
    {%- endif -%}
    {%- do pin.update(
        {"version": chosen.commit.version, "commit_time": chosen.commit.commit_time}
    ) -%}
    {{ return(pin) }}
{% endmacro %}
