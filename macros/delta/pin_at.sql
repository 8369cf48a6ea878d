{#
The version of a table at a time, for flashback: that one or an error, never a neighbour. A version
that something reads as of a run's start is _pin_table's.
#}
{#
The last version of a table that was committed at or before a moment.

Args: name (catalog.schema.identifier), moment (int, microseconds), shown (string, the moment as
    people wrote it), stored (mapping version, commit_time: a version that is known to be the one;
    or none: the history says).
Returns: see _pin_table.
Errors: it is no Delta table; it did not exist at that moment, or another table of that name did;
    the version is gone from its log, or Delta refuses it.
#}
{% macro _pin_at(name, moment, shown, stored=none) %}
    {%- set seen = dbt_mview._seen_after(name, moment) -%}
    {%- if seen is none -%} {%- do dbt_mview._refuse_no_delta(name) -%} {%- endif -%}
    {%- set commits = seen.commits -%}
    {%- if stored is not none -%}
        {%- set led = dbt_mview._commits_since(name, stored, stored) -%}
        {%- if led and dbt_mview._same_commit(led[-1], stored) -%}
            {{ return(dbt_mview._readable_pin(name, led, stored.version)) }}
        {%- elif led or stored.version > commits[0].version -%}
            {%- do dbt_mview._refuse_replaced(name, stored, shown) -%}
        {%- endif -%}
    {%- endif -%}
    {%- if commits[-1].commit_time > moment and commits[-1].version > 0 -%}
        {%- set commits = dbt_mview._inspect_further(name, seen, none).commits -%}
    {%- endif -%}
    {%- set older = commits | rejectattr("commit_time", "gt", moment) | list -%}
    {%- if older -%}
        {{ return(dbt_mview._readable_pin(name, commits, older[0].version)) }}
    {%- endif -%}
    {%- set first = commits[-1] -%}
    {%- set begins = dbt_mview._version_text(first) ~ "." -%}
    {%- if first.version > 0 -%}
        {%- set rule = "what it was at " ~ shown ~ " is gone from its log, which begins at " -%}
    {%- else -%} {%- set rule = "it did not exist at " ~ shown ~ ": its history begins at " -%}
    {%- endif -%}
    {%- do dbt_mview._raise(name, rule ~ begins, "Give a later time.") -%}
{% endmacro %}


{#
One version of a table, or a later one of the same rows.

Args: name, version (int). Returns: see _pin_table. Errors: as _pin_at; there is no such version.
#}
{% macro _pin_this_version(name, version) %}
    {%- if dbt_mview._seen_after(name, 0) is none -%}
        {%- do dbt_mview._refuse_no_delta(name) -%}
    {%- endif -%}
    {%- set commits = dbt_mview._commits_of_version(name, version) -%}
    {{ return(dbt_mview._readable_pin(name, commits, version)) }}
{% endmacro %}


{# The pin of a version that a query says. Args: name, version. Returns: see _pin_table. #}
{% macro _pin_version(name, version) %}
    {%- set commit = dbt_mview._commits_of_version(name, version)[-1] -%}
    {{ return(dbt_mview._pin_of(name, commit)) }}
{% endmacro %}


{# Args: name, commit. Returns: see _pin_table. #}
{% macro _pin_of(name, commit) %}
    {{
        return(
            {
                "relation": name,
                "table_id": none,
                "version": commit.version,
                "commit_time": commit.commit_time,
            }
        )
    }}
{% endmacro %}


{#
Args: name, version (int). Returns: see _commits_since, down to that version.
Errors: the history does not have it.
#}
{% macro _commits_of_version(name, version) %}
    {%- set pin = {"version": version} -%}
    {%- set seen = dbt_mview._seen_after(name, 0) -%}
    {%- if seen and seen.commits[0].version < version -%}
        {%- set seen = dbt_mview._inspect_table(name) -%}
    {%- endif -%}
    {%- if seen and seen.commits[0].version < version -%}
        {%- do dbt_mview._raise(
            name,
            "it has no v"
            ~ version
            ~ ": its newest version is v"
            ~ seen.commits[0].version
            ~ ".",
            "Give one that there is.",
        ) -%}
    {%- endif -%}
    {%- set commits = dbt_mview._commits_since(name, pin, pin) -%}
    {%- if not commits -%}
        {%- set first = dbt_mview._memory().tables[name].commits[-1] -%}
        {%- set begins = dbt_mview._version_text(first) ~ "." -%}
        {%- do dbt_mview._raise(
            name,
            "v" ~ version ~ " is gone from its log, which begins at " ~ begins,
            "Give a later one.",
        ) -%}
    {%- endif -%}
    {{ return(commits) }}
{% endmacro %}


{#
A table as a look saw it that was made after a moment: it has all that was committed until then.

Args: name, moment (int). Returns: see _inspect_table.
#}
{% macro _seen_after(name, moment) %}
    {%- set seen = dbt_mview._memory().tables.get(name) -%}
    {%- if seen and dbt_mview._engine_time(seen.at) > moment -%} {{ return(seen) }}{%- endif -%}
    {{ return(dbt_mview._inspect_table(name)) }}
{% endmacro %}


{#
A version of a table as it is read: the last one of the same rows and columns. What keeps old states
readable are commits that change neither, as VACUUM writes them. Delta always reads the newest one,
and those that are younger than what it keeps of deleted files: it is asked about the others.

Args: name, commits (newest first, down to that version), version (int). Returns: see _pin_table.
Errors: Delta refuses to read it.
#}
{% macro _readable_pin(name, commits, version) %}
    {%- set same = "VACUUM START,VACUUM END,OPTIMIZE,COMPUTE STATS".split(",") -%}
    {%- set at = namespace(commit=none, open=true) -%}
    {%- for commit in commits | reverse if commit.version >= version -%}
        {%- set at.open = at.open and (commit.version == version or commit.operation in same) -%}
        {%- if at.open -%} {%- set at.commit = commit -%} {%- endif -%}
    {%- endfor -%}
    {%- set kept = dbt_mview._retention_micros(dbt_mview._seen_properties(name)) -%}
    {#- An hour more: it grows older while the run goes on. -#}
    {%- set young = at.commit.commit_time > dbt_mview._clock().now - kept + 3600000000 -%}
    {%- if not young and at.commit.version != commits[0].version -%}
        {%- set asked = dbt_mview._quoted_name(name) ~ " version as of " ~ at.commit.version -%}
        {%- if not dbt_mview._succeeds("version", "select 1 from " ~ asked ~ " where false") -%}
            {%- do dbt_mview._refuse_unreadable(name, at.commit, kept) -%}
        {%- endif -%}
    {%- endif -%}
    {{ return(dbt_mview._pin_of(name, at.commit)) }}
{% endmacro %}


{# Args: name, commit (that Delta does not read), kept (microseconds). Errors: always. #}
{% macro _refuse_unreadable(name, commit, kept) %}
    {%- do dbt_mview._raise(
        name,
        dbt_mview._version_text(commit)
        ~ " cannot be read: Delta keeps "
        ~ kept // 3600000000
        ~ " hours, and its commit is older.",
        "Give a later time. So that older ones stay, its delta.deletedFileRetentionDuration and"
        ~ " delta.logRetentionDuration have to be longer, or register it (docs/flashback.md).",
    ) -%}
{% endmacro %}


{# Args: name. Errors: always. #}
{% macro _refuse_no_delta(name) %}
    {%- do dbt_mview._raise(
        name,
        "it is no Delta table, and has no versions.",
        "CONVERT TO DELTA, or build it as one.",
    ) -%}
{% endmacro %}


{# Args: name, stored (mapping version, commit_time), shown (string). Errors: always. #}
{% macro _refuse_replaced(name, stored, shown) %}
    {%- do dbt_mview._raise(
        name,
        "it was dropped and created since "
        ~ shown
        ~ ", when it was at "
        ~ dbt_mview._version_text(stored)
        ~ ".",
        "Give a later time.",
    ) -%}
{% endmacro %}
