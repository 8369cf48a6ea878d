{#
What FAST stages, one row for each row, group or key that changes, and how a publish refers to it.
#}
{#
What FAST stages: the changes of the view's own rows or groups, one row each.

    row delta        every row that changed with its net count _mview_n
    aggregate delta  every touched group with its signed sums and counts, its extremes among the
                     rows that came and among those that went, and whether any went
                     (_mview_has_deletes)
    affected keys    every touched key; one row where there is one group of all

Args: spec, job (fast, columns). Returns: SQL text, a query.
#}
{% macro _stage_changes_sql(spec, job) -%}
    {%- set plan = job.fast -%}
    {%- set terms = (
        dbt_mview._first_rows_terms(spec, job) if plan.first_rows else plan.terms
    ) -%}
    {%- set rows = dbt_mview._rows_as_keys(job) -%}
    {%- set keys = rows["keys"] -%}
    {%- set items = [rows["values"]] if keys else [] -%}
    {%- if plan.strategy == "row delta" -%}
        {%- do items.append("sum(_mview_sign) as _mview_n") -%}
    {%- elif plan.strategy == "aggregate delta" -%}
        {%- do items.append("coalesce(min(_mview_sign) < 0, false) as _mview_has_deletes") -%}
        {%- for column, kind in plan["values"].items() -%}
            {%- set name = dbt_mview._quote(column) -%}
            {%- set type = dbt_mview._type_of(job.columns, column) -%}
            {%- do items.append(dbt_mview._staged_value(loop.index, name, kind, type)) -%}
        {%- endfor -%}
    {%- endif -%}
select
    {{ items | join(",\n    ") or "max(1) as _mview_all" }}
from (
{%- if "average" in plan["values"].values() %}
select *{{ dbt_mview._counts_behind_sql(job) }}
from (
{{ dbt_mview._delta_terms_sql(terms, job.columns) }}
)
{%- else %}
{{ dbt_mview._delta_terms_sql(terms, job.columns) }}
{%- endif %}
)
{%- if keys %}
group by {{ keys }}
{%- endif %}
{%- if plan.strategy == "row delta" %}
having sum(_mview_sign) <> 0
{%- endif %}
{%- endmacro %}


{#
A sum of decimals has ten digits more than what it adds up, here as well: it is taken back to the
type of the column, so that the two are added without a digit lost. An overflowable sum is not known
(NULL) if one of its terms is not, which may have overflowed; nor is the number of values of an
average.

Args: index, column (quoted), kind (see _delta_plan_record), type (of the column).
Returns: SQL text, items of a SELECT.
#}
{% macro _staged_value(index, column, kind, type) -%}
{%- set rule = dbt_mview._aggregates()[kind] -%}
{%- set column = "_mview_count_" ~ index if kind == "average" else column -%}
{%- set sum = "sum(case when _mview_sign < 0 then - " ~ column ~ " else " ~ column ~ " end)" -%}
{%- if rule.staged == "extremes" -%}
{{ kind }}(case when _mview_sign > 0 then {{ column }} end) as _mview_come_{{ index }},
    {{ kind }}(case when _mview_sign < 0 then {{ column }} end) as _mview_gone_{{ index }}
{%- elif kind == "sum" and type != "bigint" -%}
cast({{ sum }} as {{ type }}) as _mview_sum_{{ index }}
{%- elif rule.whole -%}
case when count({{ column }}) = count(*) then {{ sum }} end as _mview_sum_{{ index }}
{%- else -%} {{ sum }} as _mview_sum_{{ index }}
{%- endif -%}
{%- endmacro %}


{# Where a publish finds the changes: staged, or in its own text. Returns: SQL text, a relation. #}
{% macro _changes_name(spec, job) -%}
{{ dbt_mview._stage_name(job.id) if job.staged
    else "(\n" ~ dbt_mview._stage_changes_sql(spec, job) ~ "\n)" }}
{%- endmacro %}


{#
The view at the version that the refresh inspected. With a version also because Spark cannot read
the target of a MERGE within a subquery of its source.
#}
{% macro _view_as_seen(spec, job) -%}
{{ spec.name }} version as of {{ job.target.history[0].version }}
{%- endmacro %}


{#
The change from the view's rows to those of a query: these came, the others went; what is in both
cancels out where it is staged.

Args: spec, job (target), sql (the query). Returns: list, see _delta_terms.
#}
{% macro _difference_terms(spec, job, sql) %}
    {%- set view = "select * from " ~ dbt_mview._view_as_seen(spec, job) -%}
    {{ return([{"sign": 1, "sql": sql}, {"sign": -1, "sql": view}]) }}
{% endmacro %}
