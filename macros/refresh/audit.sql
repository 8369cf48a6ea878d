{# Step audit: conditions and unique_key, checked before anything is published. #}
{#
Step audit: every condition of `audit` must be true for the staged result, and its `unique_key`
unique, before anything is published. A condition is a boolean expression over the columns,
checked for each row, or over aggregates of them; NULL counts as not met. Of FAST the publish itself
asserts conditions (see _asserted_value_sql), unless its group decides to publish before: then they
are checked here, on the rows that it will write.

Args: spec, job. Errors: the conditions that were not met, with the number of rows.
#}
{% macro _audit(spec, job) %}
    {%- if not job.staged or job.dry_run -%} {{ return(none) }}{%- endif -%}
    {%- set unique = spec.unique_key | length > 0 -%}
    {%- if job.fast -%}
        {%- if job.waits -%} {%- do dbt_mview._raise_unmet(spec, job, bare=true) -%} {%- endif -%}
        {%- set sql = dbt_mview._audit_changes_sql(spec, job) if unique else none -%}
        {%- if not sql -%} {{ return(none) }}{%- endif -%}
        {%- set counts = dbt_mview._read("audit", sql).rows[0] -%}
        {%- do dbt_mview._raise_broken(spec, [], counts) -%}
    {%- elif spec.audit or unique -%}
        {%- set counts = dbt_mview._read("audit", dbt_mview._audit_sql(spec, job)).rows[0] -%}
        {%- do dbt_mview._raise_broken(spec, spec.audit, counts) -%}
    {%- endif -%}
{% endmacro %}


{#
The error of audits that the rows do not meet which FAST writes. The engine's own error, of the
publish that asserts them, says which audit, not how many rows.

Args: spec (audit), job, bare (bool: an error of the conditions themselves is the user's; else
    nothing is raised for it, as another statement will show it). Errors: the conditions that were
    not met, with the number of rows.
#}
{% macro _raise_unmet(spec, job, bare=false) %}
    {%- if not spec.audit -%} {{ return(none) }}{%- endif -%}
    {%- set sql = dbt_mview._unmet_rows_sql(spec, job) -%}
    {%- set sql = sql if bare else dbt_mview._try_sql(sql, answers=true) -%}
    {%- set counts = dbt_mview._read("audit", sql).rows[0] -%}
    {%- if counts[0] == "failed" -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._raise_broken(spec, spec.audit, counts) -%}
{% endmacro %}


{# Args: spec, conditions, counts (row: of each, and of unique_key behind where it was asked). #}
{% macro _raise_broken(spec, conditions, counts) %}
    {%- set broken = [] -%}
    {%- for condition in conditions -%}
        {%- set times = counts[loop.index0] | int -%}
        {%- if times > 0 -%}
            {%- do broken.append(condition ~ " (not met " ~ times ~ " times)") -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set asked = counts | length > conditions | length and spec.unique_key -%}
    {%- set repeated = counts[conditions | length] | int if asked else 0 -%}
    {%- if repeated > 0 -%}
        {%- set names = spec.unique_key | join(", ") -%}
        {%- do broken.append(
            "unique_key " ~ names ~ " (" ~ repeated ~ " keys occur more than once)"
        ) -%}
    {%- endif -%}
    {%- if broken -%}
        {%- set told = dbt_mview._audit_failed(broken) -%}
        {%- do dbt_mview._raise(spec.mview_id, told.rule, told.way_out) -%}
    {%- endif -%}
{% endmacro %}


{#
How often each condition of `audit` is not met by the staged result, and how many keys occur more
than once. A condition is an expression over the columns, or over aggregates of them.

Args: spec (audit, unique_key), job. Returns: SQL text, one row with one count per condition, and
    behind these one of unique_key where there is one.
#}
{% macro _audit_sql(spec, job) -%}
    {%- set counts = [] -%}
    {%- for condition in spec.audit -%}
        {%- set count = dbt_mview._count_unmet_sql(condition, job) -%}
        {%- do counts.append(count ~ " as audit_" ~ loop.index) -%}
    {%- endfor -%}
    {%- if spec.unique_key -%}
        {%- do counts.append(dbt_mview._count_repeated_sql(spec, job) ~ " as unique_key") -%}
    {%- endif -%}
select
    {{ counts | join(",\n    ") }}
{%- endmacro %}


{# Args: condition (SQL text, may end in a comment), job. Returns: SQL text, a subquery. #}
{% macro _count_unmet_sql(condition, job) -%}
(
        select count(*)
        from (
            select (
{{ condition }}
            ) as met
            from {{ dbt_mview._stage_name(job.id) }}
        )
        where not coalesce(met, false)
    )
{%- endmacro %}


{# Args: spec (unique_key), job. Returns: SQL text, a subquery. #}
{% macro _count_repeated_sql(spec, job) -%}
(
        select count(*)
        from (
            select 1
            from {{ dbt_mview._stage_name(job.id) }}
            group by {{ dbt_mview._quote_all(spec.unique_key) }}
            having count(*) > 1
        )
    )
{%- endmacro %}
