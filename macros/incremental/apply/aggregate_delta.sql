{#
Groups whose values are added up from old values and signed changes, and when that leaves one
undecided.
#}
{#
The groups whose values the changes decide; the others are deleted, like those that vanish. A count
below zero is an error, see _broken_invariant, and an undecided group is one if the changes were not
inspected before.
#}
{% macro _aggregate_delta_sql(spec, job) -%}
select
    {{ dbt_mview._quote_all(job.columns | map(attribute="name") | list) }},
    case
        {%- for count in dbt_mview._count_columns(job) if job.invariants %}
        when {{ dbt_mview._quote(count) }} < 0
        then {{ dbt_mview._invariant_error_sql(spec, "below_zero") }}
        {%- endfor %}
        {%- if not job.staged %}
        when _mview_undecided then raise_error('dbt_mview: a group is undecided')
        {%- endif %}
        when _mview_alive and not _mview_undecided then 'put'
        else 'delete'
    end as _mview_op
from (
{{ dbt_mview._combined_sql(spec, job) }}
)
{%- endmacro %}


{#
The touched groups as they are after the change: the view's row and the staged one added up.
Where the two do not decide a value of a group of which rows are left, _mview_undecided is true and
the group is computed again:

    sum   0 now, if the deleted rows may have been all of the group
    min   the smallest value went, and nothing smaller came
    an overflowable sum that is NULL, or was: it may have overflowed
    an average whose count is not known, or that is rounded from right between two
    a group without count(*) of which rows went, and nothing shows that others stayed

Args: spec, job (fast, columns). Returns: SQL text, a query with the view's columns,
    _mview_undecided and _mview_alive.
#}
{% macro _combined_sql(spec, job) -%}
    {%- set plan = job.fast -%}
    {%- set items = [] -%}
    {%- set by_deletes = [] -%}
    {%- set undecided = [] -%}
    {%- set alive = [] -%}
    {%- set total = namespace(alive=none) -%}
    {%- for key in plan["keys"] -%}
        {%- do items.append("s." ~ dbt_mview._quote(key) ~ " as " ~ dbt_mview._quote(key)) -%}
    {%- endfor -%}
    {%- for name, kind in plan["values"].items() -%}
        {%- set type = dbt_mview._written_type(dbt_mview._type_of(job.columns, name)) -%}
        {%- set quoted = dbt_mview._quote(name) -%}
        {%- set value = dbt_mview._combined_value(loop.index, quoted, kind) -%}
        {%- if kind == "average" -%}
            {%- do items.append(value["value"] ~ " as " ~ dbt_mview._count_behind(name, job)) -%}
        {%- else -%}
            {%- do items.append("cast(" ~ value["value"] ~ " as " ~ type ~ ") as " ~ quoted) -%}
        {%- endif -%}
        {%- set if_gone = value.undecided_by_deletes -%}
        {%- if if_gone -%}{%- do by_deletes.append(if_gone) -%}{%- endif -%}
        {%- if value.undecided -%}{%- do undecided.append(value.undecided) -%}{%- endif -%}
        {%- do alive.append(value.alive) -%}
        {%- if kind == "count_all" -%}{%- set total.alive = value.alive -%}{%- endif -%}
    {%- endfor -%}
    {#- A group of which nothing is left has no value to decide. -#}
    {%- set counted = total.alive if plan["keys"] else none -%}
    {%- if plan["keys"] and not counted -%}
        {%- set any = alive | join(" or ") or "false" -%}
        {%- do by_deletes.append("not coalesce(" ~ any ~ ", false)") -%}
    {%- endif -%}
    {%- set averages = "average" in plan["values"].values() -%}
    {%- set groups -%}
select
    {{ items | join(",\n    ") }},
    coalesce({{ counted ~ " and (" if counted }}
        {{- undecided | join(" or ") ~ " or " if undecided }}s._mview_has_deletes and (
        {{ by_deletes | join("\n        or ") or "false" }}
    ){{ ")" if counted }}, true) as _mview_undecided,
    {{ counted or "true" }} as _mview_alive
from {{ dbt_mview._changes_name(spec, job) }} as s
left join {{ ("(select *, true as _mview_there" ~ dbt_mview._counts_behind_sql(job) ~ " from ")
    if undecided or averages }}
{{- dbt_mview._view_as_seen(spec, job) }}{{ ")" if undecided or averages }} as v
    on {{ dbt_mview._same_keys("s", "v", plan["keys"], job.columns) }}
    {%- endset -%}
{{ dbt_mview._combined_averages_sql(job, groups) if averages else groups }}
{%- endmacro %}


{#
One value of a group after the change, see _aggregates. v is the view's row, s the staged one.

Args: index, column (quoted), kind (see _delta_plan_record). Returns: mapping value, undecided,
    undecided_by_deletes, alive.
#}
{% macro _combined_value(index, column, kind) %}
    {%- set rule = dbt_mview._aggregates()[kind] -%}
    {%- set value = {} -%}
    {%- for part in ["value", "undecided_by_deletes", "undecided", "alive"] -%}
        {%- set text = rule[part] or "" -%}
        {%- set text = text.format(
            index=index,
            old="v." ~ column,
            change="s._mview_sum_" ~ index,
            came="s._mview_come_" ~ index,
            gone="s._mview_gone_" ~ index,
        ) -%}
        {%- do value.update({part: text or none}) -%}
    {%- endfor -%}
    {{ return(value) }}
{% endmacro %}
