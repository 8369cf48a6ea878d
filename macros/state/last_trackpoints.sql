{#
Track points in state: the newest of each table, the versions that they know, how a new one is
written, and what is cleaned.
#}
{#
The newest track point of each table. The first of a day has a row for every table, so the newest
day says it all.

Returns: mapping day (string, or none: there is none), time (microseconds, of the newest; or none)
    and rows (mapping relation -> mapping relation, table_id, version, commit_time).
#}
{% macro _last_trackpoints() %}
    {%- set last = {"day": none, "time": none, "rows": {}} -%}
    {%- if not dbt_mview._has_flashback_state() -%} {{ return(last) }}{%- endif -%}
    {%- for row in dbt_mview._read("trackpoints", dbt_mview._last_trackpoints_sql()).rows -%}
        {%- set at = row[5] | int -%}
        {%- do last.update({"day": row[0], "time": [last.time or at, at] | max}) -%}
        {%- do last.rows.update({row[1]: dbt_mview._trackpoint_of(row[1:5])}) -%}
    {%- endfor -%}
    {{ return(last) }}
{% endmacro %}


{#
The newest day is asked of a text: on a thrift server Delta fails at `max` of a plain date, which it
answers from its log (OptimizeMetadataOnlyDeltaQuery expects java.sql.Date, and gets a LocalDate).
Seen with Delta 4.4.

Returns: SQL text.
#}
{% macro _last_trackpoints_sql() -%}
select
    cast(day as string) as day,
    relation,
    max_by(table_id, trackpoint_time) as table_id,
    max_by(version, trackpoint_time) as version,
    unix_micros(max_by(commit_time, trackpoint_time)) as commit_time,
    unix_micros(max(trackpoint_time)) as trackpoint_time
from {{ dbt_mview._trackpoint_table() }}
where day = (
    select cast(max(cast(day as string)) as date) from {{ dbt_mview._trackpoint_table() }}
)
group by day, relation
{%- endmacro %}


{# Args: values (relation, table_id, version, commit_time). Returns: mapping of them. #}
{% macro _trackpoint_of(values) %}
    {{
        return(
            {
                "relation": values[0],
                "table_id": values[1],
                "version": values[2] | int,
                "commit_time": values[3] | int,
            }
        )
    }}
{% endmacro %}


{#
What track points say of one table around a time.

Args: relation (name), at (microseconds).
Returns: mapping before, after (the nearest to it, the latter not before it) and last (the newest),
    each as in _last_trackpoints, or none.
#}
{% macro _trackpoints_around(relation, at) %}
    {%- set found = {"before": none, "after": none, "last": none} -%}
    {%- set sql = dbt_mview._trackpoints_around_sql(relation, at) -%}
    {%- for row in dbt_mview._read("trackpoints", sql).rows -%}
        {%- do found.update({row[0]: dbt_mview._trackpoint_of(row[1:5])}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Args: relation, at. Returns: SQL text. #}
{% macro _trackpoints_around_sql(relation, at) -%}
    {%- set time = dbt_mview._timestamp(at) -%}
    {%- set parts = [] -%}
    {%- for which, condition, order in [
        ("before", "trackpoint_time < " ~ time, "trackpoint_time desc"),
        ("after", "trackpoint_time >= " ~ time, "trackpoint_time"),
        ("last", "true", "trackpoint_time desc"),
    ] -%}
        {%- do parts.append(
            "(\n    select '"
            ~ which
            ~ "' as which, relation, table_id, version, unix_micros(commit_time) as commit_time"
            ~ "\n    from "
            ~ dbt_mview._trackpoint_table()
            ~ "\n    where relation = "
            ~ dbt_mview._literal(relation)
            ~ " and "
            ~ condition
            ~ "\n    order by "
            ~ order
            ~ "\n    limit 1\n)"
        ) -%}
    {%- endfor -%}
    {{ return(parts | join("\nunion all\n")) }}
{%- endmacro %}


{#
One track point, in one commit. Delta drops one that is older than what it has seen, so that two at
once leave the later.

Args: at (microseconds), day (string), rows (see _last_trackpoints), key_frame (bool).
Returns: SQL text.
#}
{% macro _insert_trackpoint_sql(at, day, rows, key_frame) -%}
    {%- set lines = [] -%}
    {%- for row in rows -%}
        {%- do lines.append(
            "    ("
            ~ [
                dbt_mview._literal(row.relation),
                dbt_mview._literal(row.table_id),
                dbt_mview._bigint(row.version),
                dbt_mview._timestamp(row.commit_time),
            ] | join(", ") ~ ")"
        ) -%}
    {%- endfor -%}
insert into {{ dbt_mview._trackpoint_table() }}
with ('txnAppId' = 'dbt_mview:trackpoints', 'txnVersion' = '{{ at }}')
select
    cast({{ dbt_mview._literal(day) }} as date), {{ dbt_mview._timestamp(at) }},
    relation, table_id, version, commit_time, {{ "true" if key_frame else "false" }}
from values
{{ lines | join(",\n") }}
    as point (relation, table_id, version, commit_time)
{%- endmacro %}
