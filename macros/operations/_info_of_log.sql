{# One line of the table. Args: mlog_id. Returns: mapping line (list), base (name or none). #}
{% macro _info_of_log(mlog_id) %}
    {%- set short = mlog_id.split(".")[1:] -%}
    {%- set name = dbt_mview._quoted_name(mlog_id) -%}
    {%- set there = dbt_mview._kind_of(short[0], short[1]) == "delta" -%}
    {%- set coverage = dbt_mview._coverage(name) if there else {"base": none} -%}
    {%- if not coverage.base -%}
        {{ return({"line": [short | join("."), "-", "-", "-", "-", "-", "gone"], "base": none}) }}
    {%- endif -%}
    {%- set base = coverage.base.split(".")[1:] -%}
    {%- set there = dbt_mview._kind_of(base[0], base[1]) == "delta" -%}
    {%- set now = dbt_mview._pin_table(coverage.base, none) if there else {"version": "-"} -%}
    {%- set rows = dbt_mview._read("log_rows", "select count(*) from " ~ name).rows[0][0] -%}
    {%- set line = [
        short | join("."),
        base | join("."),
        "v" ~ coverage.start.version,
        "v" ~ coverage.captured.version,
        "v" ~ now.version if there else "gone",
        rows,
        coverage.gap or "-",
    ] -%}
    {{ return({"line": line, "base": coverage.base}) }}
{% endmacro %}
