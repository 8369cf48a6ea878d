{#
The touched groups as they are after the change: the view's row and the staged one added up.
Where the two do not decide it, _mview_doubt is true and the group is computed again:

    sum   NULL or 0 when what went may have been all there was
    min   the smallest value went, and nothing smaller came
    a group without count(*) of which rows went, and nothing shows that others stayed

Args: spec, job (fast, columns). Returns: SQL text, a query with the view's columns,
    _mview_doubt and _mview_alive.
#}
{% macro _combined_sql(spec, job) %}
    {%- set shape = job.fast -%}
    {%- set items = [] -%}
    {%- set doubts = [] -%}
    {%- set alive = [] -%}
    {%- set total = namespace(column=none) -%}
    {%- for key in shape["keys"] -%}
        {%- do items.append("s." ~ dbt_mview._quote(key) ~ " as " ~ dbt_mview._quote(key)) -%}
    {%- endfor -%}
    {%- for name, kind in shape["values"].items() -%}
        {%- set type = (job.columns | selectattr("name", "equalto", name) | first).type -%}
        {%- set value = dbt_mview._combined_value(loop.index, dbt_mview._quote(name), kind) -%}
        {%- do items.append(
            "cast(" ~ value.sql ~ " as " ~ type ~ ") as " ~ dbt_mview._quote(name)
        ) -%}
        {%- if value.doubt -%} {%- do doubts.append(value.doubt) -%} {%- endif -%}
        {%- do alive.append(value.alive) -%}
        {%- if kind == "count_all" -%} {%- set total.column = value.sql ~ " > 0" -%} {%- endif -%}
    {%- endfor -%}
    {%- if shape["keys"] and total.column is none -%}
        {%- do doubts.append("not coalesce(" ~ (alive | join(" or ") or "false") ~ ", false)") -%}
    {%- endif -%}
    select
        {{ items | join(",\n    ") }},
        s._mview_gone and ({{ doubts | join("\n        or ") or "false" }}) as _mview_doubt,
        {{ total.column if shape["keys"] and total.column is not none else "true" }} as _mview_alive
    from {{ dbt_mview._stage_name(job.id) }} as s
    left join
        {{ dbt_mview._view_as_seen(spec, job) }} as v
        on {{ dbt_mview._same_keys("s", "v", shape["keys"]) }}
{%- endmacro %}


{#
One value after the change. v is the view's row, s the staged one.

Args: index, column (quoted), kind. Returns: mapping sql, doubt (condition or none), alive
    (condition that shows that rows are left).
#}
{% macro _combined_value(index, column, kind) %}
    {%- set old = "v." ~ column -%}
    {%- if kind in ["min", "max"] -%}
        {%- set come, gone = "s._mview_come_" ~ index, "s._mview_gone_" ~ index -%}
        {%- set less, pick = ("<", "least") if kind == "min" else (">", "greatest") -%}
        {%- set came = (
            come
            ~ " is not null and coalesce("
            ~ come
            ~ " "
            ~ less
            ~ "= "
            ~ old
            ~ ", true)"
            ~ " and coalesce("
            ~ come
            ~ " "
            ~ less
            ~ " "
            ~ gone
            ~ ", true)"
        ) -%}
        {%- set stays = (
            old
            ~ " is not null and coalesce("
            ~ old
            ~ " "
            ~ less
            ~ " "
            ~ gone
            ~ ", true)"
            ~ " and coalesce("
            ~ old
            ~ " "
            ~ less
            ~ "= "
            ~ come
            ~ ", true)"
        ) -%}
        {%- set none_ = "coalesce(" ~ old ~ ", " ~ come ~ ", " ~ gone ~ ") is null" -%}
        {{
            return(
                {
                    "sql": pick ~ "(" ~ old ~ ", " ~ come ~ ")",
                    "doubt": "not (" ~ came ~ " or " ~ stays ~ " or " ~ none_ ~ ")",
                    "alive": "(" ~ came ~ ") or (" ~ stays ~ ")",
                }
            )
        }}
    {%- endif -%}
    {%- set change = "s._mview_sum_" ~ index -%}
    {%- set sum = "coalesce(" ~ old ~ ", 0) + coalesce(" ~ change ~ ", 0)" -%}
    {%- if kind in ["count", "count_all"] -%}
        {{ return({"sql": sum, "doubt": none, "alive": sum ~ " > 0"}) }}
    {%- endif -%}
    {%- set any = "coalesce(" ~ old ~ ", " ~ change ~ ") is not null" -%}
    {{
        return(
            {
                "sql": "case when " ~ any ~ " then " ~ sum ~ " end",
                "doubt": "(" ~ any ~ " and " ~ sum ~ " = 0)",
                "alive": sum ~ " <> 0",
            }
        )
    }}
{% endmacro %}


{#
The view at the version that was looked at. With a version also because Spark cannot read the
target of a MERGE within a subquery of its source.
#}
{% macro _view_as_seen(spec, job) %}
    {{ return(spec.name ~ " version as of " ~ job.target.history[0].version) }}
{% endmacro %}


{# A NULL-safe join over keys. Args: left, right (aliases), keys. Returns: SQL condition. #}
{% macro _same_keys(left, right, keys) %}
    {%- set parts = [] -%}
    {%- for key in keys -%}
        {%- set name = dbt_mview._quote(key) -%}
        {%- do parts.append(left ~ "." ~ name ~ " <=> " ~ right ~ "." ~ name) -%}
    {%- endfor -%}
    {{ return(parts | join(" and ") or "true") }}
{% endmacro %}
