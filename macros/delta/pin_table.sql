{#
Versions as facts: the version of a table at a moment, whether two looks saw the same commit, which
of two came first, and whether one table has both.
#}
{#
The version of one table at a moment: the last one committed at or before it; the newest where
there is no moment, or none that old.

Args: name (string catalog.schema.identifier), moment (int microseconds or none).
Returns: mapping relation, table_id (none as yet, see _note_table_ids), version, commit_time; the
    latter two none for what is no Delta table.
#}
{% macro _pin_table(name, moment) %}
    {{ return(dbt_mview._pin_as_seen(name, dbt_mview._inspect_table(name), moment)) }}
{% endmacro %}


{# The same of a table that was inspected. Args: seen (see _inspect_table). #}
{% macro _pin_as_seen(name, seen, moment=none) %}
    {%- set pin = {"relation": name, "table_id": none, "version": none, "commit_time": none} -%}
    {%- if seen is none -%} {{ return(pin) }}{%- endif -%}
    {%- set chosen = namespace(commit=seen.commits[0]) -%}
    {%- if moment is not none and chosen.commit.commit_time > moment -%}
        {%- if seen.commits[-1].commit_time > moment -%}
            {%- set seen = dbt_mview._inspect_further(name, seen, none) -%}
        {%- endif -%}
        {%- set older = seen.commits | rejectattr("commit_time", "gt", moment) | list -%}
        {%- set chosen.commit = older[0] if older else seen.commits[0] -%}
    {%- endif -%}
    {%- do pin.update(
        {"version": chosen.commit.version, "commit_time": chosen.commit.commit_time}
    ) -%}
    {{ return(pin) }}
{% endmacro %}


{#
Whether two reads of a table saw the same commit. If commit times have whole seconds, or two commits
fall into one millisecond, Delta adds a millisecond to each later one that it lists together with
others, and shows a commit alone as it was. A table that was dropped and created differs by more.

Args: a, b (mappings version, commit_time). Returns: bool.
#}
{% macro _same_commit(a, b) %}
    {%- if a.version != b.version -%} {{ return(false) }}{%- endif -%}
    {{ return((a.commit_time - b.commit_time) | abs <= dbt_mview._commit_time_tolerance()) }}
{% endmacro %}


{#
Whether one commit of a table came before another one, by its version or its time: the versions of a
table that was dropped and created start at 0 again.

Args: a, b (mappings version, commit_time). Returns: bool.
#}
{% macro _came_before(a, b) %}
    {{
        return(
            a.version < b.version
            or a.commit_time < b.commit_time - dbt_mview._commit_time_tolerance()
        )
    }}
{% endmacro %}


{# Returns: int, microseconds: how far apart the times of one commit may be shown. #}
{% macro _commit_time_tolerance() %} {{ return(10000) }} {% endmacro %}


{# Args: commit (mapping version, commit_time). Returns: string, as people read it. #}
{% macro _version_text(commit) %}
    {{ return("v" ~ commit.version ~ " of " ~ dbt_mview._iso(commit.commit_time)) }}
{% endmacro %}


{#
Whether one version of a table came from another one of the same table. What replaces a table, or
restores it, may give it another id.

Args: was, now (mappings relation, version, commit_time). Returns: bool.
#}
{% macro _same_table_lineage(was, now) %}
    {%- if none in [was.version, now.version] -%} {{ return(false) }}
    {%- elif dbt_mview._same_commit(was, now) -%} {{ return(true) }}
    {%- endif -%}
    {%- set commits = dbt_mview._commits_since(now.relation, was, now) -%}
    {%- if not commits or not dbt_mview._same_commit(commits[-1], was) -%}
        {{ return(false) }}
    {%- endif -%}
    {%- for commit in commits if was.version < commit.version <= now.version -%}
        {%- for word in ["REPLACE TABLE", "CREATE TABLE", "CLONE", "RESTORE", "CONVERT"] -%}
            {%- if word in commit.operation -%} {{ return(false) }}{%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(now.version > was.version) }}
{% endmacro %}
