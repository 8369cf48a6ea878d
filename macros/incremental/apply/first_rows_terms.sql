{#
The first rows of a query that ends in ORDER BY ... LIMIT, from the view's own rows and the changed
ones of the query without the LIMIT.
#}
{#
The delta terms of such a view: its new rows came, those that it has went; what is in both cancels
out where it is staged.

Args: spec, job (fast: first_rows, terms; columns, target). Returns: list, see _delta_terms.
#}
{% macro _first_rows_terms(spec, job) %}
    {{ return(dbt_mview._difference_terms(spec, job, dbt_mview._first_rows_sql(spec, job))) }}
{% endmacro %}


{#
The rows that the view has after the change. All rows of the query that the view lacks come after
its last one, where it has as many as the LIMIT lets in. So of the view's rows that stayed and the
changed ones up to that last row, the first are those of the query, if they are as many
(_missing_rows_sql asks). Rows that come after it are left out: others that are not known may come
before them. Where the view has fewer rows than that, it has all.

Twice as many different rows as the LIMIT lets in are enough to look at: either all of the view's
are among them, or as many others are. Of equal places the view's own row is the last one.

Args: see _first_rows_terms. Returns: SQL text, a query.
#}
{% macro _first_rows_sql(spec, job) -%}
    {%- set first = job.fast.first_rows -%}
    {%- set by = first.order | join(", ") -%}
    {%- set rows = dbt_mview._rows_as_keys(job) -%}
    {%- set view = [{"sign": 1, "sql": "select * from " ~ dbt_mview._view_as_seen(spec, job)}] -%}
    {%- set changes = dbt_mview._changes_of_first_rows(spec, job) -%}
select {{ dbt_mview._quote_all(job.columns | map(attribute="name") | list) }}
from (
select
    *,
    sum(_mview_had) over () as _mview_known,
    max(case when _mview_had > 0 then _mview_place end) over () as _mview_last
from (
select *, row_number() over (order by {{ by }}, _mview_had) as _mview_place
from (
select
    {{ rows["values"] }},
    sum(_mview_sign) as _mview_n,
    count_if(_mview_own) as _mview_had
from (
select *, false as _mview_own
from (
{{ dbt_mview._delta_terms_sql(changes, job.columns) }}
)
union all
select *, true
from (
{{ dbt_mview._delta_terms_sql(view, job.columns) }}
)
)
group by {{ rows["keys"] }}
having sum(_mview_sign) > 0 or count_if(_mview_own) > 0
order by {{ by }}, _mview_had
limit {{ 2 * first.count }}
)
)
)
lateral view explode(sequence(1L, least(_mview_n, {{ first.count }}L))) _mview_e as _mview_i
where _mview_n > 0
    and (_mview_known < {{ first.count }} or _mview_place <= _mview_last)
order by {{ by }}
limit {{ first.count }}
{%- endmacro %}


{#
The change of the query without the LIMIT, as far as it matters: signed rows; of affected keys the
view's own rows that have one went, and those that the query has now came.

Args: see _first_rows_terms. Returns: list, see _delta_terms.
#}
{% macro _changes_of_first_rows(spec, job) %}
    {%- set first = job.fast.first_rows -%}
    {%- if first.strategy == "row delta" -%} {{ return(job.fast.terms) }}{%- endif -%}
    {%- set query = {"plan": {"keys": first["keys"]}, "job": {"columns": job.columns}} -%}
    {%- set now = dbt_mview._bind(first["text"], job.bindings, spec.namespace).sql -%}
    {%- set sides = [
        (1, "(\n" ~ now ~ "\n)"),
        (-1, "(select * from " ~ dbt_mview._view_as_seen(spec, job) ~ ")"),
    ] -%}
    {%- set changes = [] -%}
    {%- for sign, table in sides -%}
        {%- set sql = dbt_mview._touched_rows_sql(query, job.fast.terms, table) -%}
        {%- do changes.append({"sign": sign, "sql": "select * from " ~ sql}) -%}
    {%- endfor -%}
    {{ return(changes) }}
{% endmacro %}


{#
How many rows the staged change takes from a view that had as many as its LIMIT lets in: others of
the query take their place, which only the whole query tells.

Args: spec, job (fast: first_rows). Returns: SQL text, an expression over the stage.
#}
{% macro _missing_rows_sql(spec, job) -%}
case
        when (select count(*) from {{ dbt_mview._view_as_seen(spec, job) }})
            >= {{ job.fast.first_rows.count }}
        then - least(coalesce(sum(_mview_n), 0), 0)
        else 0
    end
{%- endmacro %}
