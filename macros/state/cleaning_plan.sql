{#
Which track points go: what is older than the window, then what the limit of history leaves no room
for, and nothing that a reader who is alive may need. Readers are read in the statement that
deletes, so that one who came meanwhile is seen.
#}
{#
What a cleaning would do now.

Args: window (seconds, or none: all goes), limit (int, versions).
Returns: mapping cutoff (microseconds: tables can be read from there on), rows (int, that go),
    length (int, of history) and readers (int, who keep it).
#}
{% macro _cleaning_plan(window, limit) %}
    {%- set sql -%}
{{ dbt_mview._cleaning_sql(window, limit) }}
select
    unix_micros(max(c.at)) as cutoff,
    count(g.relation) as going,
    coalesce(max(c.length), 0) as length,
    max(c.readers) as readers
from cutoff as c
left join going as g on true
    {%- endset -%}
    {%- set row = dbt_mview._read("cleaning", sql).rows[0] -%}
    {{
        return(
            {
                "cutoff": none if row[0] is none else row[0] | int,
                "rows": row[1] | int,
                "length": row[2] | int,
                "readers": row[3] | int,
            }
        )
    }}
{% endmacro %}


{#
Deletes them. A row that is the newest of its table at the cutoff stays: it says what the table was
then.

Args: see _cleaning_plan. Returns: SQL text.
#}
{% macro _delete_trackpoints_sql(window, limit) -%}
merge into {{ dbt_mview._trackpoint_table() }} as t
using (
{{ dbt_mview._cleaning_sql(window, limit) }}
select day, relation, at from going
) as s
on t.day = s.day and t.relation = s.relation and t.trackpoint_time = s.at
when matched then delete
{%- endmacro %}


{#
Says from where on tables can be read, before anything goes: the row `*`, which is of all tables.

Args: cutoff (microseconds). Returns: SQL text.
#}
{% macro _raise_low_time_sql(cutoff) -%}
merge into {{ dbt_mview._flashback_info_table() }} as t
using (select {{ dbt_mview._timestamp(cutoff) }} as low_time) as s
on t.relation = '*'
when matched then update set low_time = greatest(t.low_time, s.low_time)
when not matched then insert (relation, low_time) values ('*', s.low_time)
{%- endmacro %}


{#
The track points that go, and why: common table expressions. `passed` is how many versions a row is
after the one before it: what history loses when the cutoff reaches it. Joins take the place of
scalar subqueries, which Delta does not resolve in the source of a MERGE.

Args: see _cleaning_plan. Returns: SQL text, what a SELECT begins with.
#}
{% macro _cleaning_sql(window, limit) -%}
    {%- set now = "current_timestamp()" -%}
    {%- set begin = now -%}
    {%- if window is not none -%}
        {%- set begin = now ~ " - make_interval(0, 0, 0, 0, 0, 0, " ~ window ~ ")" -%}
    {%- endif -%}
with points as (
    select
        day, relation, trackpoint_time as at,
        case
            when lag(table_id) over one is null then 0
            when lag(table_id) over one != table_id then 1
            else version - lag(version) over one
        end as passed,
        lead(trackpoint_time) over one as next_at
    from {{ dbt_mview._trackpoint_table() }}
    window one as (partition by relation order by trackpoint_time)
),
tables as (
    {{ dbt_mview._versions_known_sql() | indent(4) }}
),
whole as (
    select sum(versions) as length from tables
),
lengths as (
    select
        p.at,
        max(w.length) as whole,
        max(w.length) - sum(sum(p.passed)) over (order by p.at) as length
    from points as p
    cross join whole as w
    group by p.at
),
readers as (
    {{ dbt_mview._live_readers_sql() | indent(4) }}
),
cutoff as (
    select
        least(
            greatest(
                {{ begin }}, coalesce(min(case when length <= {{ limit }} then at end), max(at))
            ),
            coalesce(max(r.low_time), timestamp'9999-12-31 00:00:00Z')
        ) as at,
        max(whole) as length,
        max(r.readers) as readers
    from readers as r
    left join lengths on true
),
going as (
    select p.day, p.relation, p.at
    from points as p
    cross join cutoff as c
    where p.next_at <= c.at
    {%- if window is none %}
        or c.readers = 0
    {%- endif %}
)
{%- endmacro %}


{# How many versions each table has had since its oldest track point. Returns: SQL text. #}
{% macro _versions_known_sql() -%}
select max(version) - min(version) + 1 as versions
from {{ dbt_mview._trackpoint_table() }}
group by relation, table_id
{%- endmacro %}


{#
How many track points there are, from when to when. The oldest is the last one at or before the time
from where on tables can be read: of it only rows that say what a table was are left.

Returns: mapping views, length, readers (ints), up_time and low_time (microseconds, or none).
#}
{% macro _flashback_status() %}
    {%- set row = dbt_mview._read("flashback_status", dbt_mview._flashback_status_sql()).rows[0] -%}
    {{
        return(
            {
                "views": row[0] | int,
                "up_time": none if row[1] is none else row[1] | int,
                "low_time": none if row[2] is none else row[2] | int,
                "length": (row[3] or 0) | int,
                "readers": row[4] | int,
            }
        )
    }}
{% endmacro %}


{% macro _flashback_status_sql() -%}
with low as (
    select max(low_time) as at from {{ dbt_mview._flashback_info_table() }} where relation = '*'
),
first as (
    select coalesce(max(case when trackpoint_time <= low.at then trackpoint_time end),
        min(trackpoint_time)) as at
    from {{ dbt_mview._trackpoint_table() }}
    cross join low
),
tables as (
    {{ dbt_mview._versions_known_sql() | indent(4) }}
)
select
    count(distinct p.trackpoint_time) as history_views,
    unix_micros(min(p.trackpoint_time)) as up_time,
    unix_micros(max(p.trackpoint_time)) as low_time,
    (select sum(versions) from tables) as history_length,
    (select readers from ({{ dbt_mview._live_readers_sql() }})) as readers
from {{ dbt_mview._trackpoint_table() }} as p
cross join first
where p.trackpoint_time >= first.at
{%- endmacro %}
