{#
What materialized view logs hold: from which version of the base to which, how many rows, and how
far the views have read that depend on the base.

Args: log (model name, schema.identifier or mlog_id, or none for all), dry_run (bool: print what
    would create state where there is none; else the same, as this operation only reads).
Example: dbt run-operation mlog_info --args '{log: orders_log}'
#}
{% macro mlog_info(log=none, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set lines = [] -%}
    {%- set dependents = [] -%}
    {%- set states = dbt_mview._read_states() -%}
    {%- set logs = dbt_mview._logs_of() -%}
    {%- if logs -%} {%- do dbt_mview._ensure_state(dry_run, logs=true) -%} {%- endif -%}
    {%- for mlog_id in logs -%}
        {%- if log is none or dbt_mview._is_log_called(log, mlog_id) -%}
            {%- set found = dbt_mview._info_of_log(mlog_id) -%}
            {%- do lines.append(found.line) -%}
            {%- if found.base -%}
                {%- for line in dbt_mview._dependents_of(found.base, states) -%}
                    {%- if line not in dependents -%}
                        {%- do dependents.append(line) -%}
                    {%- endif -%}
                {%- endfor -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if log is not none and not lines -%} {%- do dbt_mview._raise_no_log(log) -%} {%- endif -%}
    {%- do dbt_mview._print_table(
        [
            "log",
            "base",
            "from",
            "captured",
            "base now",
            "rows",
            "next purge",
            "why it began",
        ],
        lines,
        "mlog_info: state knows no materialized view log",
    ) -%}
    {%- if lines -%}
        {%- do dbt_mview._print_table(["base", "view", "has read"], dependents) -%}
    {%- endif -%}
{% endmacro %}


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
        (
            "to be rebuilt: " ~ coverage.changed
            if coverage.changed
            else coverage.gap or "-"
        ),
    ] -%}
    {{ return({"line": line, "base": coverage.base}) }}
{% endmacro %}


{# The views that read a table. Args: base (name), states. Returns: list of lists of strings. #}
{% macro _dependents_of(base, states) %}
    {%- set found = [] -%}
    {%- for id, state in states.items() -%}
        {%- for source in state.sources or [] if source.relation == base -%}
            {%- do found.append(
                [
                    dbt_mview._short_name(base),
                    dbt_mview._short_name(id),
                    "-" if source.version is none else "v" ~ source.version,
                ]
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
