{#
A source as one look saw it: properties and commits, kept for the rest of the run, so that its
history is read once. Also which commits lie between two versions, and whether old ones can be read.
#}
{#
A table as it is now. Kept for what asks next how it came there, so that a refresh reads the history
of a source once: ten commits cost as much as one.

Args: name (string catalog.schema.identifier).
Returns: mapping properties, commits (see _delta_history), at (microseconds by the client's clock,
    when the look began: what was committed before is in it); none for what is no Delta table.
#}
{% macro _inspect_table(name) %}
    {%- set quoted = dbt_mview._quoted_name(name) -%}
    {%- set at = dbt_mview._now_micros() -%}
    {%- set properties = dbt_mview._delta_properties(quoted) -%}
    {%- if properties is none -%} {{ return(none) }}{%- endif -%}
    {%- set seen = {
        "properties": properties,
        "commits": dbt_mview._delta_history(quoted, 10),
        "at": at,
    } -%}
    {%- do dbt_mview._memory().tables.update({name: seen}) -%}
    {{ return(seen) }}
{% endmacro %}


{#
The same with other commits, as a copy: threads that hold the first one keep what they read.

Args: name, seen (see _inspect_table), limit (int or none). Returns: as _inspect_table.
#}
{% macro _inspect_further(name, seen, limit) %}
    {%- set commits = dbt_mview._delta_history(dbt_mview._quoted_name(name), limit) -%}
    {%- set further = dict(seen, commits=commits) -%}
    {%- do dbt_mview._memory().tables.update({name: further}) -%}
    {{ return(further) }}
{% endmacro %}


{# The properties that the last look found; none where there was none, or no Delta table. #}
{% macro _seen_properties(name) %}
    {{ return((dbt_mview._memory().tables.get(name) or {}).get("properties", {})) }}
{% endmacro %}


{#
The commits that lead from one version of a table to another, and those after it: of the last look,
unless that was more than a minute ago. A VACUUM, or a change of columns, may have come since.

Args: name (string), was, now (mappings version).
Returns: list, newest first, down to the version that was read; empty where its commit is gone.
#}
{% macro _commits_since(name, was, now) %}
    {%- set seen = dbt_mview._memory().tables.get(name) -%}
    {%- set recent = seen and seen.at > dbt_mview._now_micros() - 60 * 1000000 -%}
    {%- if not recent or seen.commits[0].version < now.version -%}
        {%- set seen = dbt_mview._inspect_table(name) -%}
    {%- endif -%}
    {%- if seen is none -%} {{ return([]) }}{%- endif -%}
    {#- As far as the version that was read, and what may have come since; else to the end. -#}
    {%- set far = namespace(seen=seen) -%}
    {%- for limit in [seen.commits[0].version - was.version + 3, none] -%}
        {%- if far.seen.commits[-1].version > was.version -%}
            {%- set far.seen = dbt_mview._inspect_further(name, far.seen, limit) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set commits = far.seen.commits | rejectattr("version", "lt", was.version) | list -%}
    {%- set gone = not commits or commits[-1].version != was.version -%}
    {{ return([] if gone else commits) }}
{% endmacro %}


{#
Delta refuses versions that are older than the table keeps deleted files, whether they are there or
not. Its releases differ in that, so the engine is asked, but only about old ones.

Args: table (SQL text: what is read), commit (the oldest that it takes, or none: history does not
    hold it), properties (of the table).
Returns: bool.
#}
{% macro _is_unreadable(table, commit, properties) %}
    {%- set kept = dbt_mview._retention_micros(properties) -%}
    {%- if commit and commit.commit_time > dbt_mview._now_micros() - kept -%}
        {{ return(false) }}
    {%- endif -%}
    {{ return(not dbt_mview._succeeds("feed", "select 1 from " ~ table ~ " where false")) }}
{% endmacro %}


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
