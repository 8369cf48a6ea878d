{#
What mview_doctor tries, each after those that it needs.

Args: scratch (quoted SQL name of the table), id (what commits carry).
Returns: list of mappings: what (for people), without (what does not work where it fails), try (the
    statement), shows (what proves that it did what it should: failure, commit: the newest commit
    carries the id, plan: it can be read, or a query that gives 1; none: that it ended).
#}
{% macro _probes(scratch, id) %}
    {%- set meta = tojson({"dbt_mview": {"refresh_job_id": id}}) -%}
    {%- set said = "'userMetadata' = " ~ dbt_mview._literal(meta) -%}
    {%- set fence = "'txnAppId' = 'mview_doctor', 'txnVersion' = '1'" -%}
    {%- set insert = (
        "insert into "
        ~ scratch
        ~ " with ("
        ~ said
        ~ ", "
        ~ fence
        ~ ", 'partitionOverwriteMode' = 'static') replace where 1 = 1"
    ) -%}
    {%- set view = dbt_mview._stage_name(id ~ "_view") -%}
    {{
        return(
            [
                {
                    "what": "scripts with handlers",
                    "without": "nothing: locks and stages need them",
                    "try": "select * from " ~ scratch,
                    "shows": "failure",
                },
                {
                    "what": "CREATE OR REPLACE TABLE ... OPTIONS ('userMetadata')",
                    "without": "first builds, new layouts: they say that the lock was lost",
                    "try": "create or replace table "
                    ~ scratch
                    ~ " using delta tblproperties ('delta.enableChangeDataFeed' = 'true') options ("
                    ~ said
                    ~ ") as select 1 as id, 'a' as name",
                    "shows": "commit",
                },
                {
                    "what": "INSERT ... WITH (options) REPLACE WHERE",
                    "without": "COMPLETE refreshes: they say that the lock was lost",
                    "try": insert ~ " select 2 as id, 'b' as name",
                    "shows": "commit",
                },
                {
                    "what": "'txnVersion' of INSERT",
                    "without": "the fence: a run that outlived its lease may publish",
                    "try": insert ~ " select 3 as id, 'c' as name",
                    "shows": "select count(*) from " ~ scratch ~ " where id = 2",
                },
                {
                    "what": "MERGE, and its conditions in the history",
                    "without": "FAST refreshes of groups and rows",
                    "try": "merge into "
                    ~ scratch
                    ~ " as v using (select 2 as id, 'd' as name) as s on v.id = s.id"
                    ~ " when matched then delete when not matched and s.name not in ('"
                    ~ meta.encode("utf-8").hex()
                    ~ "') then insert (id, name) values (s.id, s.name)",
                    "shows": "commit",
                },
                {
                    "what": "change data feed",
                    "without": "FAST refreshes, materialized view logs",
                    "try": "select * from table_changes(" ~ dbt_mview._literal(scratch) ~ ", 2)",
                    "shows": "select count(*) from table_changes("
                    ~ dbt_mview._literal(scratch)
                    ~ ", 2) where _change_type = 'delete' and id = 2",
                },
                {
                    "what": "time travel",
                    "without": "reading all sources of a run as of one moment",
                    "try": "select * from " ~ scratch ~ " version as of 0",
                    "shows": "select count(*) from " ~ scratch ~ " version as of 0 where id = 1",
                },
                {
                    "what": "EXPLAIN EXTENDED",
                    "without": "knowing what a query reads: every refresh is COMPLETE",
                    "try": "explain extended select * from " ~ scratch,
                    "shows": "plan",
                },
                {
                    "what": "views",
                    "without": "sources that are views",
                    "try": "create or replace view " ~ view ~ " as select 1 as n",
                    "shows": "select count(*) from " ~ view,
                },
                {
                    "what": "dropping views",
                    "without": "taking the place of a view",
                    "try": "drop view if exists " ~ view,
                    "shows": none,
                },
            ]
        )
    }}
{% endmacro %}
