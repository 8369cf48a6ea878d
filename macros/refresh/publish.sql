{#
Step publish: ONE Delta commit that carries data, refresh and sources, and asserts the lock in its
own text. The statements of COMPLETE are here, those of FAST in incremental/apply/.
#}
{#
Step publish: ONE Delta commit on the view that carries the data, the refresh and what it read,
and whose own text asserts that the lock is still held.

An append, and a MERGE without a stage, read the changes in this statement itself. If an append
cannot read them, the publish is COMPLETE, unless the model insists on FAST. If the MERGE fails, the
changes are staged: undecided groups are found then, and any other error comes again and is shown to
the user. Where a MERGE fails that asserts the invariants of FAST, it is asked which one the changes
break: then the publish is COMPLETE as well. Where the publish asserts audits and fails, it is asked
how many rows do not meet them.

Args: spec, job, bare (bool: the engine's error is the user's). Sets job.publish_sent and what
    _check_published sets; where it is sent again, also what _stage sets.
Errors: an audit that is not met; «lock lost»; a violated constraint; the engine's own.
#}
{% macro _publish(spec, job, bare=false) %}
    {%- set at_once = job.publish == "merge" and not job.staged -%}
    {%- set reads_feed = job.publish == "append" and spec.refresh != "fast" -%}
    {%- set asserts = job.invariants and job.publish == "merge" or job.asserted | length > 0 -%}
    {%- set may_fail = not bare and (reads_feed or asserts) -%}
    {%- if job.publish != "nothing" -%}
        {%- set sql = dbt_mview._publish_sql(spec, job) -%}
        {%- do job.update({"publish_sent": true}) -%}
        {%- set outcome = dbt_mview._run(
            "publish", dbt_mview._try_sql(sql) if may_fail else sql, job
        ) -%}
        {%- if may_fail and not job.dry_run and outcome[0][0] != "done" -%}
            {{ return(dbt_mview._publish_again(spec, job, at_once, reads_feed)) }}
        {%- endif -%}
    {%- endif -%}
    {%- if job.publish == "swap" -%} {%- do dbt_mview._rename_chain(spec, job) -%} {%- endif -%}
    {%- do dbt_mview._check_published(spec, job) -%}
{% endmacro %}


{# What follows one that failed. Args: spec, job, at_once, reads_feed (bools, see _publish). #}
{% macro _publish_again(spec, job, at_once, reads_feed) %}
    {%- do dbt_mview._renew_lease(spec, job) -%}
    {%- if at_once -%}
        {%- do job.update({"staged": true}) -%}
        {%- do dbt_mview._stage(spec, job) -%}
    {%- else -%}
        {%- set asked = job.invariants and job.publish == "merge" -%}
        {%- set broken = dbt_mview._broken_invariant(spec, job) if asked else none -%}
        {%- if job.asserted and not broken -%} {%- do dbt_mview._raise_unmet(spec, job) -%}
        {%- endif -%}
        {%- set unread = dbt_mview._reason("CHANGE_DATA_UNAVAILABLE") if reads_feed else none -%}
        {%- if broken or unread -%}
            {%- do dbt_mview._fall_back_to_complete(spec, job, broken or unread) -%}
        {%- endif -%}
    {%- endif -%}
    {#- Of a stage that is COMPLETE by now nothing was audited yet. -#}
    {%- if at_once or job.fast is none -%} {%- do dbt_mview._audit(spec, job) -%} {%- endif -%}
    {%- do dbt_mview._publish(spec, job, bare=not at_once) -%}
{% endmacro %}


{# The statement of each kind of publish, see _plan. Args: spec, job. Returns: SQL text. #}
{% macro _publish_sql(spec, job) %}
    {%- if job.publish == "insert" -%} {{ return(dbt_mview._insert_replace_sql(spec, job)) }}
    {%- elif job.publish == "merge" -%} {{ return(dbt_mview._merge_changes_sql(spec, job)) }}
    {%- elif job.publish == "append" -%} {{ return(dbt_mview._insert_delta_sql(spec, job)) }}
    {%- endif -%}
    {{ return(dbt_mview._create_table_sql(spec, job)) }}
{% endmacro %}


{#
Replaces all rows of the view in one commit and keeps the table: its id, grants, properties,
constraints and history. Predicate and option are both needed: under
spark.sql.sources.partitionOverwriteMode=DYNAMIC either alone leaves old partitions behind.
txnVersion fences: Delta drops this commit once a newer token was seen.

Args: spec, job. Returns: SQL text.
#}
{% macro _insert_replace_sql(spec, job) -%}
insert into {{ spec.name }}
with (
    'userMetadata' = {{ dbt_mview._json_literal(dbt_mview._publish_meta(spec, job)) }},
    'txnAppId' = {{ dbt_mview._literal("dbt_mview:" ~ spec.mview_id) }},
    'txnVersion' = '{{ job.token }}',
    'partitionOverwriteMode' = 'static'
)
replace where 1 = 1
{{ dbt_mview._guarded_result_sql(spec, job) }}
{%- endmacro %}


{#
Builds the view's table: for a first build, a new layout, new columns, or beside it for a swap.
Properties and constraints are part of the statement, because a replace drops those that it
does not state; CHECK constraints given as properties hold for this very commit.
CREATE OR REPLACE also where there is no table yet: Delta ignores userMetadata on a plain CREATE.

Args: spec, job. Returns: SQL text.
#}
{% macro _create_table_sql(spec, job) %}
    {%- set layout = spec.layout -%}
    {%- set name = spec.name -%}
    {%- if job.publish == "swap" -%}
        {%- set name = dbt_mview._chain_relation(spec, dbt_mview._intent(spec, job).swap.new) -%}
    {%- endif -%}
create or replace table {{ name }}
using delta
{%- if layout.partition_by %}
partitioned by ({{ dbt_mview._quote_all(layout.partition_by) }})
{%- endif %}
{%- if layout.liquid_clustered_by %}
cluster by ({{ dbt_mview._quote_all(layout.liquid_clustered_by) }})
{%- endif %}
{%- if layout.location %}
location {{ dbt_mview._literal(layout.location) }}
{%- endif %}
{%- if spec.description %}
comment {{ dbt_mview._literal(spec.description) }}
{%- endif %}
{%- set properties = dbt_mview._properties(layout, job.columns) %}
{%- if properties %}
tblproperties ({{ dbt_mview._properties_sql(properties) }})
{%- endif %}
options ('userMetadata' = {{ dbt_mview._json_literal(dbt_mview._publish_meta(spec, job)) }})
as
{{ dbt_mview._guarded_result_sql(spec, job) }}
{%- endmacro %}


{#
The result, and a branch without rows that fails if the lock was lost. A branch of its own,
because the optimizer may drop a condition on a result that it knows to be empty.

Args: spec, job. Returns: SQL text.
#}
{% macro _guarded_result_sql(spec, job) %}
    {%- set nulls = [] -%}
    {%- set columns = [] -%}
    {%- for column in job.columns -%}
        {%- set staged = dict(column, expression=dbt_mview._quote(column.name)) -%}
        {%- do columns.append(staged if job.staged else column) -%}
        {%- do nulls.append("null") -%}
    {%- endfor -%}
    {%- if job.publish != "insert" -%}
        {%- set columns = dbt_mview._without_lengths(columns) -%}
    {%- endif -%}
select {{ dbt_mview._select_list(columns) }}
    {%- if job.staged %}
from {{ dbt_mview._stage_name(job.id) }}
    {%- else %}
from (
{{ job.query }}
)
    {%- endif %}
{%- if job.deferred %}
where false
{%- endif %}
union all
select {{ nulls | join(", ") }}
where {{ dbt_mview._guard_sql(spec, job) }}
{%- endmacro %}
