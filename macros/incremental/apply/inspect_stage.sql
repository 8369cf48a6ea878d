{#
What the staged changes amount to: how many, which groups need to be computed again, between which
keys, whether a count would fall below zero, and whether a unique_key would be broken.
#}
{#
What the staged changes amount to: how many groups have to be computed again, and between which
values the keys lie. Literal bounds are all that lets Delta leave files out.

Args: spec, job. Sets job.publish (nothing: the changes cancel out), job.undecided (int) and
    job.bounds (list of mappings column, low, high (SQL literals, none if there is no value),
    nulls (bool)); job.lossy_partition_column (one whose '' and NULL Delta takes for one,
    where they are touched, or none); job.broken (reason, see _broken_invariant; none: no count
    is below zero); job.missing_rows (int, see _missing_rows_sql).
#}
{% macro _inspect_stage(spec, job) %}
    {%- if job.dry_run -%} {{ return(none) }}{%- endif -%}
    {%- set bounded = "tinyint|smallint|int|bigint|decimal\\(.*\\)|date|string" -%}
    {%- set keys = [] -%}
    {%- for column in job.columns if column.name in job.fast["keys"] -%}
        {%- if modules.re.fullmatch(bounded, column.type) -%}
            {%- do keys.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set sql = dbt_mview._staged_changes_sql(spec, job, keys) -%}
    {%- set row = dbt_mview._read("staged_changes", sql).rows[0] -%}
    {%- do job.update({"undecided": row[1] | int}) -%}
    {%- if row[0] | int == 0 -%} {%- do job.update({"publish": "nothing"}) -%} {%- endif -%}
    {%- set lossy = dbt_mview._lossy_partition_columns(spec, keys) -%}
    {%- for column in keys -%}
        {%- set at = 3 * loop.index0 + 2 -%}
        {%- set low, high = row[at], row[at + 1] -%}
        {%- if column in lossy and row[at + 2] | int > 0 -%}
            {%- do job.update({"lossy_partition_column": column.name}) -%}
        {%- endif -%}
        {#- Bytes that are no UTF-8 come as this character: as a bound, it is another text. -#}
        {%- if "\ufffd" not in (low or "") ~ (high or "") -%}
            {%- do job.bounds.append(
                {
                    "column": column.name,
                    "low": dbt_mview._typed_literal(low, column.type),
                    "high": dbt_mview._typed_literal(high, column.type),
                    "nulls": row[at + 2] | int > 0,
                }
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set missing = row[-1] | int if job.fast.first_rows else 0 -%}
    {%- do job.update({"missing_rows": missing}) -%}
    {%- set counts = row[2 + 3 * keys | length :] -%}
    {%- do job.update({"broken": dbt_mview._count_below_zero(job, counts)}) -%}
{% endmacro %}


{#
What the staged changes amount to.

Args: spec, job (fast, changes), keys (columns whose bounds are asked for).
Returns: SQL text, one row: how many rows or groups change, how many groups are undecided; for
    each key its lowest value, its highest, and how many have none, or would have none once Delta
    reads what it wrote as a partition, see _lossy_partition_columns; for each count in how many
    groups it falls below zero, where groups are added up for this anyway; of a LIMIT, how many
    rows are missing.
#}
{% macro _staged_changes_sql(spec, job, keys) -%}
    {%- set whole = [] -%}
    {%- for name, rule in dbt_mview._aggregates().items() if rule.whole -%}
        {%- do whole.append(name) -%}
    {%- endfor -%}
    {%- set as_a_whole = job.fast["values"].values() | select("in", whole) | list -%}
    {%- set may_be_undecided = as_a_whole or dbt_mview._may_rows_go(job.fast, job.changes) -%}
    {%- set added_up = job.fast.strategy == "aggregate delta" and may_be_undecided -%}
    {%- set lossy = dbt_mview._lossy_partition_columns(spec, keys) -%}
select
    count(*),
    {{ "count_if(_mview_undecided)" if added_up else "0" }}
    {%- for column in keys -%}
        {%- set name = dbt_mview._quote(column.name) -%},
    cast(min({{ name }}) as string),
    cast(max({{ name }}) as string),
    count_if({{ name }} is null
        {%- if column in lossy %} or {{ name }} in ('', '__HIVE_DEFAULT_PARTITION__'){% endif %})
    {%- endfor %}
    {%- for column in dbt_mview._count_columns(job) -%},
    {{ "count_if(" ~ dbt_mview._quote(column) ~ " < 0)" if added_up else "0" }}
    {%- endfor %}
    {%- if job.fast.first_rows -%},
    {{ dbt_mview._missing_rows_sql(spec, job) }}
    {%- endif %}
from {{ "(\n" ~ dbt_mview._combined_sql(spec, job) ~ "\n)" if added_up
    else dbt_mview._stage_name(job.id) }}
{%- endmacro %}


{#
Whether two groups of the view may share a unique_key that is only a part of the group's key. A
clash that is none, as one of the groups vanishes, makes the refresh COMPLETE.

Args: spec, job. Returns: bool.
#}
{% macro _keys_may_clash(spec, job) %}
    {%- set keys = job.fast["keys"] | map("lower") | list -%}
    {%- set unique = spec.unique_key | map("lower") | list -%}
    {%- set covered = not keys | reject("in", unique) | list -%}
    {%- if job.dry_run or not unique or covered or job.fast.strategy == "row delta" -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set rows = dbt_mview._read("audit", dbt_mview._shared_keys_sql(spec, job)).rows -%}
    {{ return(rows[0][0] | int > 0) }}
{% endmacro %}


{#
How many values of a unique_key that is only a part of the group's key two groups may share.
Groups that vanish are counted, too.

Args: spec, job. Returns: SQL text, one row with one count.
#}
{% macro _shared_keys_sql(spec, job) -%}
    {%- set names = dbt_mview._quote_all(job.fast["keys"]) -%}
select count(*)
from (
    select 1
    from (
        select {{ names }}
        from {{ dbt_mview._view_as_seen(spec, job) }}
        union
        select {{ names }}
        from {{ dbt_mview._stage_name(job.id) }}
    )
    group by {{ dbt_mview._quote_all(spec.unique_key) }}
    having count(*) > 1
)
{%- endmacro %}


{#
How many keys the view would hold more than once after FAST. Groups by their own key cannot, and are
not asked; rows that come can, and rows that are computed again, all those of one unique_key
together.

Args: spec, job. Returns: SQL text, one row with one count; none where there is nothing to ask.
#}
{% macro _audit_changes_sql(spec, job) -%}
    {%- set key = dbt_mview._quote_all(spec.unique_key) -%}
    {%- if job.fast.strategy == "affected keys" and not job.fast.one_row -%}
        {{ return(dbt_mview._audit_recomputed_sql(spec, job)) }}
    {%- elif job.fast.strategy != "row delta" -%} {{ return(none) }}
    {%- endif -%}
select count(*) as unique_key
from (
    select {{ key }}, sum(_mview_n) as _mview_change
    from {{ dbt_mview._stage_name(job.id) }}
    group by {{ key }}
    having max(_mview_n) > 0
) as s
left join (
    select {{ key }}, count(*) as _mview_had
    from {{ dbt_mview._view_as_seen(spec, job) }}
    group by {{ key }}
) as v
    on {{ dbt_mview._same_keys("s", "v", spec.unique_key, job.columns) }}
where coalesce(v._mview_had, 0) + s._mview_change > 1
{%- endmacro %}
