{#
A generic test: the view has read all that its sources hold, but for what came within `max_lag`.
Each row that it returns is a source with commits that the view has not read in time, or the last
refresh, if it failed.

Args: model (the view), max_lag (SQL interval, such as 2 hours; none: every commit counts).
Errors: a view that was never refreshed; an interval that the engine does not know.
Example: data_tests: [{dbt_mview.mview_fresh: {arguments: {max_lag: 2 hours}}}]
#}
{% test mview_fresh(model, max_lag=none) %}
    {%- if not dbt_mview._is_tested() -%} {{ return(dbt_mview._untested_sql()) }}{%- endif -%}
    {%- set state = dbt_mview._state_of_test(model) -%}
    {%- set lines = [] -%}
    {%- if state.last_refresh_result == "failed" -%}
        {%- do lines.append(
            {
                "source": none,
                "read": none,
                "newest": none,
                "since": state.last_refresh_time,
                "problem": "the last refresh failed: "
                ~ state.last_refresh_failed_reason,
            }
        ) -%}
    {%- endif -%}
    {%- for source in state.sources or [] if source.version is not none -%}
        {%- do lines.extend(dbt_mview._unread(source)) -%}
    {%- endfor -%}
    {{ dbt_mview._stale_sql(lines, max_lag) }}
{% endtest %}


{#
What a view has not read of one source. Args: source (as state has it).
Returns: list of one mapping, or of none: source, read, newest (versions), since (microseconds: when
    the oldest unread commit came), problem.
#}
{% macro _unread(source) %}
    {%- set name = dbt_mview._quoted_name(source.relation) -%}
    {%- set newest = dbt_mview._delta_history(name, 1)[0] -%}
    {%- if dbt_mview._same_commit(newest, source) -%} {{ return([]) }}{%- endif -%}
    {%- set unread = [] -%}
    {%- for commit in dbt_mview._delta_history(name, none) -%}
        {%- set new = commit.version > source.version or newest.version <= source.version -%}
        {%- if new and dbt_mview._is_data_commit(commit) -%}
            {%- do unread.append(commit.commit_time) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not unread -%} {{ return([]) }}{%- endif -%}
    {{
        return(
            [
                {
                    "source": source.relation,
                    "read": source.version,
                    "newest": newest.version,
                    "since": unread | min,
                    "problem": unread | length ~ " commits are not read",
                }
            ]
        )
    }}
{% endmacro %}


{#
The findings of the test mview_fresh that are older than the lag that is allowed.

Args: lines (list of mappings, see _unread), max_lag (SQL interval or none). Returns: SQL text.
#}
{% macro _stale_sql(lines, max_lag) -%}
select *
from values
{%- for line in lines + [{"source": none, "read": none, "newest": none, "since": none}] %}
    (
        {{ dbt_mview._literal(line.source) }}, {{ dbt_mview._bigint(line.read) }},
        {{ dbt_mview._bigint(line.newest) }}, {{ dbt_mview._timestamp(line.since) }},
        {{ dbt_mview._literal(line.get("problem")) }}
    ){{ "" if loop.last else "," }}
{%- endfor %}
    as stale (source, read_version, newest_version, unread_since, problem)
where
    problem is not null
{%- if max_lag is not none %}
    and (
        source is null
        or unread_since < current_timestamp() - cast({{ dbt_mview._literal(max_lag) }} as interval)
    )
{%- endif %}
{%- endmacro %}
