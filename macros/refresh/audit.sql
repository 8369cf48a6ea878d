{#
Step audit: every condition of `audit` must be true for the staged result, and its `unique_key`
unique, before anything is published. A condition is a boolean expression over the columns,
checked for each row, or over aggregates of them; NULL counts as not met.

Args: spec, job. Errors: the conditions that were not met, with the number of rows.
#}
{% macro _audit(spec, job) %}
    {%- if not job.staged or job.dry_run or not (spec.audit or spec.unique_key) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set row = dbt_mview._read("audit", dbt_mview._audit_sql(spec, job)).rows[0] -%}
    {%- set broken = [] -%}
    {%- for condition in spec.audit -%}
        {%- set times = row[loop.index0] | int -%}
        {%- if times > 0 -%}
            {%- do broken.append(condition ~ " (not met " ~ times ~ " times)") -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if spec.unique_key and row[spec.audit | length] | int > 0 -%}
        {%- do broken.append(
            "unique_key " ~ spec.unique_key
            | join(", ")
            ~ " ("
            ~ row[spec.audit | length]
            ~ " keys occur more than once)"
        ) -%}
    {%- endif -%}
    {%- if broken -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "audit failed: " ~ broken | join("; ") ~ ".",
            "Nothing was published, the view keeps its last result.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{# Args: spec, job. Returns: SQL text, one row with one count per condition. #}
{% macro _audit_sql(spec, job) %}
    {%- set stage = dbt_mview._stage_name(job.id) -%}
    {%- if job.fast -%} {{ return(dbt_mview._audit_changes_sql(spec, job)) }}{%- endif -%}
    {%- set counts = [] -%}
    {%- for condition in spec.audit -%}
        {%- do counts.append(
            "(select count(*) from (select ("
            ~ condition
            ~ "\n) as met from "
            ~ stage
            ~ ") where not coalesce(met, false)) as audit_"
            ~ loop.index
        ) -%}
    {%- endfor -%}
    {%- if spec.unique_key -%}
        {%- set key = dbt_mview._quote_all(spec.unique_key) -%}
        {%- do counts.append(
            "(select count(*) from (select 1 from "
            ~ stage
            ~ " group by "
            ~ key
            ~ " having count(*) > 1)) as unique_key"
        ) -%}
    {%- endif -%}
    select {{ counts | join(",\n    ") }}
{%- endmacro %}


{#
How many keys the view would hold more than once after FAST. Groups and partitions by their own
key cannot; rows that come can.

Args: spec, job. Returns: SQL text, one row with one count.
#}
{% macro _audit_changes_sql(spec, job) %}
    {%- set key = dbt_mview._quote_all(spec.unique_key) -%}
    {%- set stage = dbt_mview._stage_name(job.id) -%}
    {%- if job.fast.strategy != "append" -%} {{ return("select 0 as unique_key") }}{%- endif -%}
    select count(*) as unique_key
    from
        (
            select {{ key }}, sum(_mview_n) as _mview_change
            from {{ stage }}
            group by {{ key }}
            having max(_mview_n) > 0
        ) as s
    left join
        (
            select {{ key }}, count(*) as _mview_had
            from {{ dbt_mview._view_as_seen(spec, job) }}
            group by {{ key }}
        ) as v
        on {{ dbt_mview._same_keys("s", "v", spec.unique_key) }}
    where coalesce(v._mview_had, 0) + s._mview_change > 1
{%- endmacro %}
