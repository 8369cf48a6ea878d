{# One line of the table. Args: mlog_id. Returns: mapping line (list), base (name or none). #}
{% macro _info_of_log(mlog_id) %}
    {%- set log_ = dbt_mview._find_log(mlog_id) -%}
    {%- set coverage = log_.coverage -%}
    {%- if not coverage.base -%}
        {{ return({"line": [log_.short, "-", "-", "-", "-", "-", "-", "gone"], "base": none}) }}
    {%- endif -%}
    {%- set base = coverage.base.split(".")[1:] -%}
    {%- set there = dbt_mview._kind_at(coverage.base) == "delta" -%}
    {%- set now = dbt_mview._pin_table(coverage.base, none) if there else {"version": "-"} -%}
    {%- set rows = dbt_mview._read("log_rows", "select count(*) from " ~ log_.name).rows[0][0] -%}
    {%- set line = [
        log_.short,
        base | join("."),
        "v" ~ coverage.start.version,
        "v" ~ coverage.captured.version,
        "v" ~ now.version if there else "gone",
        rows,
        dbt_mview._next_of(dbt_mview._read_log_row(mlog_id)),
        "begins anew: " ~ coverage.changed if coverage.changed else coverage.gap or "-",
    ] -%}
    {{ return({"line": line, "base": coverage.base}) }}
{% endmacro %}
