{#
A table as it is now. Kept for what asks next how it came there, so that a refresh reads the history
of a source once: ten commits cost as much as one.

Args: name (string catalog.schema.identifier).
Returns: mapping properties, commits (see _delta_history), at (microseconds by the client's clock);
    none for what is no Delta table.
#}
{% macro _look_at_table(name) %}
    {%- set quoted = dbt_mview._quoted_name(name) -%}
    {%- set properties = dbt_mview._delta_properties(quoted) -%}
    {%- if properties is none -%} {{ return(none) }}{%- endif -%}
    {%- set seen = {
        "properties": properties,
        "commits": dbt_mview._delta_history(quoted, 10),
        "at": dbt_mview._now_micros(),
    } -%}
    {%- do dbt_mview._memory().tables.update({name: seen}) -%}
    {{ return(seen) }}
{% endmacro %}


{#
A look with other commits. It is another one: threads that hold the first go on with what they saw.

Args: name, seen (see _look_at_table), limit (int or none). Returns: as _look_at_table.
#}
{% macro _look_further(name, seen, limit) %}
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
        {%- set seen = dbt_mview._look_at_table(name) -%}
    {%- endif -%}
    {%- if seen is none -%} {{ return([]) }}{%- endif -%}
    {#- As far as the version that was read, and what may have come since; else to the end. -#}
    {%- set far = namespace(seen=seen) -%}
    {%- for limit in [seen.commits[0].version - was.version + 3, none] -%}
        {%- if far.seen.commits[-1].version > was.version -%}
            {%- set far.seen = dbt_mview._look_further(name, far.seen, limit) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set commits = far.seen.commits | rejectattr("version", "lt", was.version) | list -%}
    {%- set gone = not commits or commits[-1].version != was.version -%}
    {{ return([] if gone else commits) }}
{% endmacro %}
