{# The one MERGE by which FAST publishes, and whether it can do without a stage. #}
{#
FAST publish: deletes and inserts rows in one commit. MERGE takes no options, so what the refresh
records about itself is in its condition, which Delta writes to the history.
Audits of single rows are asserted on what is inserted or updated, see _asserted_value_sql, and what
holds of every publish by FAST, see _broken_invariant: Delta takes two staged rows for one row of
the view for an error, but not if all that a MERGE may do with it is to delete it.
Groups that were added up are updated: that is quicker than a delete and an insert, and the view's
own change feed shows an update.

MERGE must not name a text that comes from a CHAR(n): Delta 4.4 does not find it
(DELTA_MERGE_RESOLVED_ATTRIBUTE_MISSING_FROM_INPUT). So it is cast before.

Args: spec, job. Returns: SQL text.
#}
{% macro _merge_changes_sql(spec, job) -%}
    {%- set names = job.columns | map(attribute="name") | list -%}
    {%- set nulls = [] -%}
    {%- for name in names -%}{%- do nulls.append("null") -%}{%- endfor -%}
merge into {{ spec.name }} as v
using (
select {{ dbt_mview._select_list(dbt_mview._without_lengths(job.columns)) }}, {# -#}
{{ dbt_mview._asserted_value_sql(spec, job, "_mview_op in ('insert', 'put')", "_mview_op") }}
{{- " as _mview_op" if job.asserted }}
from (
{{ dbt_mview._merge_source_sql(spec, job) }}
union all
select {{ nulls | join(", ") }}, null
where {{ dbt_mview._guard_sql(spec, job) }}
)
) as s
on s._mview_op <> 'insert'
    and {{ dbt_mview._same_keys("v", "s", job.fast["keys"], job.columns, job.fast.as_text) }}
    and {{ dbt_mview._bounds_sql("v", job.bounds) }}
{%- if job.fast.strategy == "aggregate delta" %}
when matched and s._mview_op = 'put' then update set {{ dbt_mview._assigned("s", names) }}
{%- endif %}
when matched{{ " and s._mview_op = 'delete'" if job.invariants }} then delete
when not matched and s._mview_op not in (
    'delete',
    '{{ tojson(dbt_mview._publish_meta(spec, job)).encode("utf-8").hex() }}'
) then insert ({{ dbt_mview._quote_all(names) }})
    values ({{ dbt_mview._prefixed("s", names) }})
{%- endmacro %}


{#
The rows that a FAST publish deletes (_mview_op 'delete', by their keys), those that it inserts
('insert'), and those that replace the row with their keys, if there is one ('put').

Args: spec, job. Returns: SQL text, a query.
#}
{% macro _merge_source_sql(spec, job) %}
    {%- set strategy = job.fast.strategy -%}
    {%- if strategy == "row delta" -%}
        {{ return(dbt_mview._row_delta_sql(spec, job)) }}
    {%- endif -%}
    {%- set parts = [
        (
            dbt_mview._aggregate_delta_sql(spec, job)
            if strategy == "aggregate delta"
            else dbt_mview._affected_keys_sql(spec, job)
        )
    ] -%}
    {%- if strategy == "affected keys" or job.undecided > 0 -%}
        {%- do parts.append(dbt_mview._recompute_keys_sql(spec, job)) -%}
    {%- endif -%}
    {{ return(parts | join("\nunion all\n")) }}
{% endmacro %}


{#
Whether FAST publishes without a stage: the MERGE itself reads the changes, which saves a commit, a
query and a table. A stage is inspected for three things, and none of them may be needed: which
groups are undecided (without a stage the publish fails on one, and the changes are staged after
all; if rows went, extremes are undecided too often for that), which files of the view can be left
out (a small view has few), and whether a unique_key that the plan does not prove, a refresh_group
or a text that the view is partitioned by allows it.

Args: spec, job (waits), plan (delta plan). Returns: bool.
#}
{% macro _merges_without_stage(spec, job, plan) %}
    {%- set looked_at = (
        (spec.unique_key and not dbt_mview._is_unique_by_plan(spec, plan))
        or job.waits
        or dbt_mview._lossy_partition_columns(spec, job.columns)
    ) -%}
    {%- if looked_at or not dbt_mview._is_merge_decided(plan) -%} {{ return(false) }}{%- endif -%}
    {%- set size = dbt_mview._bytes_at_most(job.target.history) -%}
    {%- if size is none -%}
        {%- set size = (dbt_mview._delta_detail(spec.name)["sizeInBytes"] or 0) | int -%}
    {%- endif -%}
    {#- One file of the size that OPTIMIZE aims at is read in no time. -#}
    {{ return(size <= 64 * 1024 * 1024) }}
{% endmacro %}
