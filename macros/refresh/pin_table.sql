{#
The version of one table at a moment: the last one committed at or before it; the newest where
there is no moment, or none that old.

Args: name (string catalog.schema.identifier), moment (int microseconds or none).
Returns: mapping relation, table_id (none as yet, see _note_table_ids), version, commit_time; the
    latter two none for what is no Delta table.
#}
{% macro _pin_table(name, moment) %}
    {%- set quoted = dbt_mview._quoted_name(name) -%}
    {%- set pin = {"relation": name, "table_id": none, "version": none, "commit_time": none} -%}
    {%- if dbt_mview._delta_properties(quoted) is none -%} {{ return(pin) }}{%- endif -%}
    {%- set newest = dbt_mview._delta_history(quoted, 1) -%}
    {%- set chosen = namespace(commit=newest[0]) -%}
    {%- if moment is not none and newest[0].commit_time > moment -%}
        {%- set older = (
            dbt_mview._delta_history(quoted, none)
            | rejectattr("commit_time", "gt", moment)
            | list
        ) -%}
        {%- set chosen.commit = older[0] if older else newest[0] -%}
    {%- endif -%}
    {%- do pin.update(
        {"version": chosen.commit.version, "commit_time": chosen.commit.commit_time}
    ) -%}
    {{ return(pin) }}
{% endmacro %}
