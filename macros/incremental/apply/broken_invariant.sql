{# What holds of every FAST publish, how it is asserted, and what a refresh says that breaks it. #}
{#
Which invariant the staged changes break, asked once the MERGE has failed that asserts them: a
script's error has no text.

    key_twice   a key is staged once: changes are grouped by it. A second one for a row of the view
                is refused by Delta, see _merge_changes_sql
    not_there   no more copies of a row go than the view has, see _copies_sql
    below_zero  no count falls below zero, see _aggregate_delta_sql; _inspect_stage, too, sees it
                where rows went, which is all that a refresh group is asked for: it must not fail
                once it has decided

None can be broken by changes of the sources: what was computed of them is not what the view was
built from.

Args: spec, job (fast, columns; staged). Returns: reason, see _reason; or none.
#}
{% macro _broken_invariant(spec, job) %}
    {%- set sql = dbt_mview._try_sql(dbt_mview._broken_invariants_sql(spec, job), answers=true) -%}
    {%- set row = dbt_mview._read("invariants", sql).rows[0] -%}
    {#- Where it cannot be asked, the publish that follows shows the engine's error. -#}
    {%- if row[0] == "failed" -%} {{ return(none) }}
    {%- elif row[0] | int > 0 -%} {{ return(dbt_mview._invariant_broken("key_twice", row[0])) }}
    {%- elif row[1] | int > 0 -%} {{ return(dbt_mview._invariant_broken("not_there", row[1])) }}
    {%- endif -%}
    {{ return(dbt_mview._count_below_zero(job, row[2:])) }}
{% endmacro %}


{#
Args: spec, job. Returns: SQL text, one row: how many keys are staged twice, how many rows are not
    there; for each count in how many groups it falls below zero.
#}
{% macro _broken_invariants_sql(spec, job) -%}
    {%- set keys = dbt_mview._quote_all(job.fast["keys"]) -%}
select
    (
        select count(*)
        from (
            select 1
            from {{ dbt_mview._stage_name(job.id) }}
            {%- if keys %}
            group by {{ keys }}
            {%- endif %}
            having count(*) > 1
        )
    ) as key_twice,
    {%- if job.fast.strategy == "row delta" %}
    (
        select count(*)
        from (
{{ dbt_mview._copies_sql(spec, job, missing=true) }}
        )
    ) as not_there
    {%- else %}
    0 as not_there
    {%- endif %}
    {%- for column in dbt_mview._count_columns(job) -%},
    count_if({{ dbt_mview._quote(column) }} < 0)
    {%- endfor %}
{%- if dbt_mview._count_columns(job) %}
from (
{{ dbt_mview._combined_sql(spec, job) }}
)
{%- endif %}
{%- endmacro %}


{#
Args: code (see _broken_invariant), times (number; none: where it is asserted), column (that falls
    below zero; none: any). Returns: reason.
#}
{% macro _invariant_broken(code, times=none, column=none) %}
    {%- set words = {
        "key_twice": "keys that are staged twice",
        "not_there": "rows to delete that the view does not have",
        "below_zero": "groups in which " ~ (column or "a count") ~ " falls below zero",
    } -%}
    {%- set detail = words[code] ~ (": " ~ times if times is not none else "") -%}
    {{ return(dbt_mview._reason("INVARIANT_BROKEN", detail, also=[code])) }}
{% endmacro %}


{# Args: spec, code (see _broken_invariant). Returns: SQL text, an expression that fails. #}
{% macro _invariant_error_sql(spec, code) -%}
    {%- set why = dbt_mview._reason_text(dbt_mview._invariant_broken(code)) -%}
raise_error({{ dbt_mview._literal("dbt_mview: " ~ spec.mview_id ~ ": " ~ why) }})
{%- endmacro %}


{# Args: job (fast). Returns: list of names, the columns of added-up groups that are counts. #}
{% macro _count_columns(job) %}
    {%- set names = [] -%}
    {%- for name, kind in job.fast["values"].items() if kind in ["count_all", "count"] -%}
        {%- do names.append(name) -%}
    {%- endfor -%}
    {{ return(names) }}
{% endmacro %}


{#
Args: job (fast), counts (row: in how many groups each of the counts is below zero).
Returns: reason; none: in no group.
#}
{% macro _count_below_zero(job, counts) %}
    {%- for column in dbt_mview._count_columns(job) -%}
        {%- set groups = counts[loop.index0] | int -%}
        {%- if groups > 0 -%}
            {{ return(dbt_mview._invariant_broken("below_zero", groups, column)) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
