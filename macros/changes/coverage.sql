{# What a log holds: its start, how far it was captured, and why it was started again. #}
{#
What a log holds: every change of its base after `start` up to `captured`. The start is a property
of the log's table, written by the commit that created it; a purge raises it by a property of its
own before it deletes. The commit of a capture says what it captured, or another property if no row
came. Each of them names the `start` that the creating commit wrote (`began`), and counts for that
log only, not for one that was started again since. Within one log only versions say what is later,
as a clock can be set back.

The version is read first: a start that is raised meanwhile is then seen too early, never too late,
and a note of a later state than that version is ignored.

Args: name (quoted SQL name of a Delta table).
Returns: see _coverage_record.
#}
{% macro _coverage(name) %}
    {%- set commits = dbt_mview._delta_history(name, 20) -%}
    {%- if not commits | selectattr("meta") | list -%}
        {%- set commits = dbt_mview._delta_history(name, none) -%}
    {%- endif -%}
    {%- set properties = dbt_mview._unhidden_properties(name) -%}
    {%- set found = dbt_mview._coverage_record({}) -%}
    {%- set told = fromjson(properties.get("dbt_mview.mlog", "{}"), {}) -%}
    {%- do found.update(dbt_mview._known_keys(found, told)) -%}
    {%- do found.update(
        {
            "version": commits[0].version,
            "changed": dbt_mview._foreign_change(commits),
            "properties": properties,
        }
    ) -%}
    {%- if not found.base -%} {{ return(found) }}{%- endif -%}
    {%- do found.update({"began": found.start}) -%}
    {%- set purged = dbt_mview._note_of(found, properties.get("dbt_mview.purged")) -%}
    {%- set note = dbt_mview._note_of(found, properties.get("dbt_mview.captured")) -%}
    {%- if note.get("log_version", 0) > found.version -%} {%- set note = {} -%} {%- endif -%}
    {%- set ours = [] -%}
    {%- for commit in commits if commit.meta and dbt_mview._is_note_of(found, commit.meta) -%}
        {%- do ours.append(commit.meta) -%}
    {%- endfor -%}
    {%- if ours -%} {%- set told = ours[0].get("captured") -%}
    {%- else -%} {%- set told = dbt_mview._last_logged(name, found.version) -%}
    {%- endif -%}
    {%- do found.update({"captured": found.began}) -%}
    {%- for at in [told, note.get("captured"), purged.get("start")] if at -%}
        {%- if at.version > found.captured.version -%}
            {%- do found.update({"captured": at}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do dbt_mview._raise_start(found, purged.get("start")) -%}
    {{ return(found) }}
{% endmacro %}


{#
What a log covers.

    said by the commit that began it, see _start_log
      base                     name of its base table; none: the table is no log
      start                    mapping version, commit_time; a purge raises it
      gap                      why it was rebuilt
    found by _coverage
      began                    the start that the creating commit wrote
      captured                 up to where it was captured, as start
      version                  of the log's table
      changed                  what somebody else did to its rows, or none
      properties               of the log's table

Args: values (mapping, some of these). Returns: mapping with all of them.
Errors: a key that is none of them.
#}
{% macro _coverage_record(values) %}
    {%- set all = {
        "base": none,
        "start": none,
        "gap": none,
        "began": none,
        "captured": none,
        "version": none,
        "changed": none,
        "properties": {},
    } -%}
    {{ return(dbt_mview._new_record("coverage", all, values)) }}
{% endmacro %}


{#
How far a log goes whose history no longer has the commit of its last capture: to its last row.

Args: name, version (of the log's table). Returns: mapping version, commit_time, or none.
#}
{% macro _last_logged(name, version) %}
    {%- set row = dbt_mview._read(
        "last_logged", dbt_mview._last_logged_sql(name, version)
    ).rows[0] -%}
    {%- if row[0] is none -%} {{ return(none) }}{%- endif -%}
    {{ return({"version": row[0] | int, "commit_time": row[1] | int}) }}
{% endmacro %}


{# Args: name (of a log), version (of its table). Returns: SQL text, one row: its last change. #}
{% macro _last_logged_sql(name, version) -%}
select
    max(_commit_version) as version,
    unix_micros(max_by(_commit_timestamp, _commit_version)) as commit_time
from {{ name }} version as of {{ version }}
{%- endmacro %}


{#
What a property of a log notes, if it is this log's own: a run that read the log before it was
started again may write later.

Args: found (coverage with base, began), text (JSON or none). Returns: mapping, empty if not.
#}
{% macro _note_of(found, text) %}
    {%- set note = fromjson(text or "{}", {}) -%}
    {%- if note.get("base") != found.base or not dbt_mview._is_note_of(found, note) -%}
        {{ return({}) }}
    {%- endif -%}
    {{ return(note) }}
{% endmacro %}


{# An older release did not say which log it meant. Args: found, note (mappings). Returns: bool. #}
{% macro _is_note_of(found, note) %}
    {{ return(note.get("began", found.began) == found.began) }}
{% endmacro %}


{#
A purge raises the start of a log. Its time never goes below that of the log's own first version: a
view that has read an older table of the base's name must not be taken for one that the log serves.

Args: found (coverage with began, start, gap), upto (mapping version, commit_time; or none: there
    was no purge). Sets start, gap.
#}
{% macro _raise_start(found, upto) %}
    {%- if upto and upto.version > found.start.version -%}
        {%- set time = [upto.commit_time, found.began.commit_time] | max -%}
        {%- do found.update(
            {
                "start": {"version": upto.version, "commit_time": time},
                "gap": "what came before was purged",
            }
        ) -%}
    {%- endif -%}
{% endmacro %}
