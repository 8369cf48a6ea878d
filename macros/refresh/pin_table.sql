{#
The version of one table at a moment: the last one committed at or before it; the newest where
there is no moment, or none that old.

Args: name (string catalog.schema.identifier), moment (int microseconds or none).
Returns: mapping relation, table_id, version, commit_time.
#}
{% macro _pin_table(name, moment) %}
    {%- set quoted = dbt_mview._quoted_name(name) -%}
    {%- set detail = dbt_mview._read("describe_detail", "describe detail " ~ quoted).rows[0] -%}
    {%- if detail["format"] != "delta" -%}
        {{ return({"relation": name, "table_id": none, "version": none, "commit_time": none}) }}
    {%- endif -%}
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
    {{
        return(
            {
                "relation": name,
                "table_id": detail["id"],
                "version": chosen.commit.version,
                "commit_time": chosen.commit.commit_time,
            }
        )
    }}
{% endmacro %}
