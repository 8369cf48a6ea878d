{# Logs as tables: found by their id, with what somebody else did to them. #}
{#
A log that state knows, and what it holds.

Args: mlog_id. Returns: mapping mlog_id, short (schema.identifier), name (quoted), kind (see
    _kind_of), coverage (see _coverage; base is none where there is no log any more).
#}
{% macro _find_log(mlog_id) %}
    {%- set parts = mlog_id.split(".") -%}
    {%- set name = dbt_mview._quoted_name(mlog_id) -%}
    {%- set kind = dbt_mview._kind_of(parts[1], parts[2], parts[0]) -%}
    {{
        return(
            {
                "mlog_id": mlog_id,
                "short": parts[1:] | join("."),
                "name": name,
                "kind": kind,
                "coverage": (
                    dbt_mview._coverage(name)
                    if kind == "delta"
                    else dbt_mview._coverage_record({})
                ),
            }
        )
    }}
{% endmacro %}


{# Returns: list of mlog_ids whose tables are there; none where state has no tables of logs. #}
{% macro _logs_there() %}
    {%- if not dbt_mview._has_log_state() -%} {{ return(none) }} {%- endif -%}
    {%- set found = [] -%}
    {%- for mlog_id in dbt_mview._logs_of() -%}
        {%- if dbt_mview._find_log(mlog_id).coverage.base -%}
            {%- do found.append(mlog_id) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
What somebody else did to the rows of a log since it began. Captures say in their commit that they
are ours, batches of a purge in their condition; columns are added by a capture, and no row with
them.

Args: commits (see _delta_history). Returns: string or none.
#}
{% macro _foreign_change(commits) %}
    {%- for commit in commits -%}
        {%- set ours = commit.meta or commit.operation == "ADD COLUMNS" -%}
        {%- if not ours and commit.operation == "DELETE" -%}
            {%- set ours = dbt_mview._is_purge_batch(commit.parameters.get("predicate") or "") -%}
        {%- endif -%}
        {%- if not ours and dbt_mview._is_data_commit(commit) -%}
            {{ return(commit.operation ~ " by somebody else in version " ~ commit.version) }}
        {%- endif -%}
        {#- What was there before the log began is none of its rows. -#}
        {%- if commit.operation.startswith(("CREATE", "REPLACE")) -%}
            {{ return(none) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Whether a DELETE was a batch of any purge. Args: predicate (string). Returns: bool. #}
{% macro _is_purge_batch(predicate) %}
    {{ return(modules.re.search("[0-9a-f]{32}-[0-9]+", predicate) is not none) }}
{% endmacro %}
