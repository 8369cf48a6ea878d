{#
Whether so much changed that building anew is expected to be cheaper: more than a tenth of a
changed table, or an unknown number of its rows (it was overwritten, restored or truncated).

Args: job, shape (changes). Returns: named reason, or none.
#}
{% macro _too_many_changes(job, shape) %}
    {%- for change in shape.changes -%}
        {%- set name = change.relation.split(".")[1:] | join(".") -%}
        {%- if change.rows is none -%}
            {{ return("TOO_MANY_CHANGES: " ~ name ~ " was overwritten") }}
        {%- endif -%}
        {%- set total = (
            dbt_mview._read(
                "count",
                "select count(*) from "
                ~ dbt_mview._quoted_name(change.relation)
                ~ " version as of "
                ~ change.end,
            ).rows[0][0]
            | int
        ) -%}
        {%- if change.rows * 10 > total -%}
            {{
                return(
                    "TOO_MANY_CHANGES: " ~ change.rows ~ " of the " ~ total ~ " rows of " ~ name
                )
            }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
