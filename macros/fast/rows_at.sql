{# Counted once for all views of a run. Args: relation (name), version. Returns: int, its rows. #}
{% macro _rows_at(relation, version) %}
    {%- set counts = dbt_mview._memory().counts -%}
    {%- if (relation, version) not in counts -%}
        {%- set table = dbt_mview._quoted_name(relation) ~ " version as of " ~ version -%}
        {%- set found = dbt_mview._read("count", "select count(*) from " ~ table) -%}
        {%- do counts.update({(relation, version): found.rows[0][0] | int}) -%}
    {%- endif -%}
    {{ return(counts[(relation, version)]) }}
{% endmacro %}
