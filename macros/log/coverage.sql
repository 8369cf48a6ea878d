{#
What a log holds: every change of its base after `start` up to `captured`. The start is a property
of the log's table, written by the commit that created it; a purge raises it by a property of its
own before it deletes. What was captured is told by the commit that did, or by another property
where no row came.

The version comes first: a start that is raised meanwhile is then seen too early, never too late,
and a note of a later state than that version is passed over.

Args: name (quoted SQL name of a Delta table).
Returns: mapping base (none: the table is no log), start, captured (mappings version, commit_time),
    gap (why the log began anew), changed (what somebody else did to its rows, or none), version (of
    the log's table), properties (of the table), files (how many it has), description.
#}
{% macro _coverage(name) %}
    {%- set commits = dbt_mview._delta_history(name, 20) -%}
    {%- if not commits | selectattr("meta") | list -%}
        {%- set commits = dbt_mview._delta_history(name, none) -%}
    {%- endif -%}
    {%- set detail = dbt_mview._read("describe_detail", "describe detail " ~ name).rows[0] -%}
    {%- set properties = dbt_mview._mapping(detail["properties"]) -%}
    {%- set found = {"base": none, "gap": none} -%}
    {%- do found.update(fromjson(properties.get("dbt_mview.mlog", "{}"), {})) -%}
    {%- do found.update(
        {
            "version": commits[0].version,
            "changed": dbt_mview._log_change(commits),
            "properties": properties,
            "files": detail["numFiles"] | int,
            "description": detail["description"],
        }
    ) -%}
    {%- if not found.base -%} {{ return(found) }}{%- endif -%}
    {%- do dbt_mview._raise_start(found, fromjson(properties.get("dbt_mview.purged", "{}"), {})) -%}
    {%- set ours = commits | selectattr("meta") | map(attribute="meta") | list -%}
    {%- if ours -%} {%- set told = ours[0].get("captured") -%}
    {%- else -%} {%- set told = dbt_mview._last_logged(name, found.version) -%}
    {%- endif -%}
    {%- set note = fromjson(properties.get("dbt_mview.captured", "{}"), {}) -%}
    {%- if note.get("base") != found.base or note.log_version > found.version -%}
        {%- set note = {} -%}
    {%- endif -%}
    {%- for at in [told, note.get("captured")] if at -%}
        {%- if dbt_mview._is_later(at, found.captured) -%}
            {%- do found.update({"captured": at}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
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
