{#
The touched groups as they are after the change: the view's row and the staged one added up.
Where the two do not decide it, _mview_doubt is true and the group is computed again:

    sum   NULL or 0 when what went may have been all there was
    min   the smallest value went, and nothing smaller came
    a wide sum that is NULL, or was: it may have overflowed
    a mean whose count is not known, or that is rounded from right between two
    a group without count(*) of which rows went, and nothing shows that others stayed

Args: spec, job (fast, columns). Returns: SQL text, a query with the view's columns,
    _mview_doubt and _mview_alive.
#}
{% macro _combined_sql(spec, job) -%}
    {%- set shape = job.fast -%}
    {%- set items = [] -%}
    {%- set doubts = [] -%}
    {%- set unsure = [] -%}
    {%- set alive = [] -%}
    {%- set total = namespace(alive=none) -%}
    {%- for key in shape["keys"] -%}
        {%- do items.append("s." ~ dbt_mview._quote(key) ~ " as " ~ dbt_mview._quote(key)) -%}
    {%- endfor -%}
    {%- for name, kind in shape["values"].items() -%}
        {%- set type = dbt_mview._written_type(dbt_mview._type_of(job.columns, name)) -%}
        {%- set quoted = dbt_mview._quote(name) -%}
        {%- set value = dbt_mview._combined_value(loop.index, quoted, kind) -%}
        {%- if kind == "mean" -%}
            {%- do items.append(value.sql ~ " as " ~ dbt_mview._count_behind(name, job)) -%}
        {%- else -%} {%- do items.append("cast(" ~ value.sql ~ " as " ~ type ~ ") as " ~ quoted) -%}
        {%- endif -%}
        {%- if value.doubt -%}{%- do doubts.append(value.doubt) -%}{%- endif -%}
        {%- if value.unsure is defined -%}{%- do unsure.append(value.unsure) -%}{%- endif -%}
        {%- do alive.append(value.alive) -%}
        {%- if kind == "count_all" -%}{%- set total.alive = value.alive -%}{%- endif -%}
    {%- endfor -%}
    {%- if shape["keys"] and total.alive is none -%}
        {%- do doubts.append("not coalesce(" ~ (alive | join(" or ") or "false") ~ ", false)") -%}
    {%- endif -%}
    {%- set means = "mean" in shape["values"].values() -%}
    {%- set groups -%}
select
    {{ items | join(",\n    ") }},
    coalesce({{ unsure | join(" or ") ~ " or " if unsure }}s._mview_gone and (
        {{ doubts | join("\n        or ") or "false" }}
    ), true) as _mview_doubt,
    {{ total.alive if shape["keys"] and total.alive is not none else "true" }} as _mview_alive
from {{ dbt_mview._changes_name(spec, job) }} as s
left join {{ ("(select *, true as _mview_there" ~ dbt_mview._counts_behind_sql(job) ~ " from ")
    if unsure or means }}
{{- dbt_mview._view_as_seen(spec, job) }}{{ ")" if unsure or means }} as v
    on {{ dbt_mview._same_keys("s", "v", shape["keys"]) }}
    {%- endset -%}
{{ dbt_mview._combined_means_sql(job, groups) if means else groups }}
{%- endmacro %}


{# Where a publish finds the changes: staged, or in its own text. Returns: SQL text, a relation. #}
{% macro _changes_name(spec, job) -%}
{{ dbt_mview._stage_name(job.id) if job.staged
    else "(\n" ~ dbt_mview._stage_changes_sql(spec, job) ~ "\n)" }}
{%- endmacro %}


{#
The view at the version that was looked at. With a version also because Spark cannot read the
target of a MERGE within a subquery of its source.
#}
{% macro _view_as_seen(spec, job) -%}
{{ spec.name }} version as of {{ job.target.history[0].version }}
{%- endmacro %}
