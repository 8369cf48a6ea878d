{# What a derived table was and is, and which of its rows changed. #}
{#
How a derived table takes part in the delta terms of the query around it, like a table with changed
rows: what it was at the old versions and is at the new ones, and of both the rows whose keys its
own delta terms show. A row that is in both is taken away and added again. One that must stay has
the same row in both.

Args: one (see _derived_query), changes (see _source_changes).
Returns: mapping relation, inserts, deletes (true, if it need not stay), rows (none: not counted),
    start and end (names of texts), bound (bool: every occurrence of its tables is), texts (mapping
    then, now, gone, come: SQL text, a subquery in brackets; of one that must stay then and now).
#}
{% macro _derived_change(one, changes) %}
    {%- set query = one.query -%}
    {%- set made = {
        "relation": one.name,
        "inserts": not one.must_stay,
        "deletes": not one.must_stay,
        "rows": none,
        "start": "then",
        "end": "now",
        "bound": true,
        "texts": {},
    } -%}
    {%- for at, name in [("start", "then"), ("end", "now")] -%}
        {%- set sql = dbt_mview._derived_at(query, changes, at) -%}
        {%- do made["texts"].update({name: "(\n" ~ sql ~ "\n)"}) -%}
    {%- endfor -%}
    {%- if one.must_stay -%} {{ return(made) }}{%- endif -%}
    {%- set plan = dict(query.plan, changes=changes) -%}
    {%- set terms = dbt_mview._delta_terms(query.spec, query.job, query.reads, plan) -%}
    {%- do made.update({"bound": not terms | rejectattr("bound") | list}) -%}
    {%- for name, from_ in [("gone", "then"), ("come", "now")] -%}
        {%- set sql = dbt_mview._touched_rows_sql(query, terms, made["texts"][from_]) -%}
        {%- do made["texts"].update({name: sql}) -%}
    {%- endfor -%}
    {{ return(made) }}
{% endmacro %}


{# Args: query, changes, at (start or end of each). Returns: SQL text of it at those versions. #}
{% macro _derived_at(query, changes, at) %}
    {%- set bindings = dict(query.job.bindings) -%}
    {#- The columns of others may have been fewer. -#}
    {%- for change in changes if change.inserts or change.deletes -%}
        {%- set binding = {"kind": "table", "version": change[at]} -%}
        {%- do bindings.update({change.relation: binding}) -%}
    {%- endfor -%}
    {{ return(dbt_mview._bind(query.spec.definition, bindings, query.spec.namespace).sql) }}
{% endmacro %}


{#
The rows of a derived table whose keys its delta terms show.

Args: query (see _derived_query), terms (of it), table (at some versions, in brackets).
Returns: SQL text, a subquery in brackets.
#}
{% macro _touched_rows_sql(query, terms, table) -%}
{%- set keys = query.plan["keys"] -%}
(
select {{ dbt_mview._quote_all(query.job.columns | map(attribute="name") | list) }}
from {{ table }} as _mview_d
where exists (
    select 1
    from (
{%- for term in terms %}
{%- if not loop.first %}
union all
{%- endif %}
select {{ dbt_mview._quote_all(keys) }}
from (
{{ term.sql }}
)
{%- endfor %}
    ) as _mview_t
    where {{ dbt_mview._same_keys("_mview_t", "_mview_d", keys, query.job.columns) }}
)
)
{%- endmacro %}


{#
Why a subquery of one value does not stay what it was: the engine is asked for both.

Args: derived (see _derived_query), changes. Returns: reason, or none.
#}
{% macro _why_moved(derived, changes) %}
    {%- for one in derived if one.must_stay -%}
        {%- set sql = dbt_mview._same_rows_sql(one, changes) -%}
        {%- if dbt_mview._read("held_value", sql).rows[0][0] | int != 1 -%}
            {%- set detail = "the value of a subquery is another one" -%}
            {{ return(dbt_mview._reason("SUBQUERY_NOT_INCREMENTAL", detail, ["value_changed"])) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
Args: one (of one row, or none), changes. Returns: SQL text: one row, 1 if it is what it was: the
    same row, or no row at both times.
#}
{% macro _same_rows_sql(one, changes) -%}
{%- set columns = one.query.job.columns -%}
{%- set names = columns | map(attribute="name") | list -%}
select
    case
        when count(*) > 1 then 0
        when count(_mview_d._mview_there) < count(*) then 0
        when count(_mview_t._mview_there) < count(*) then 0
        else 1
    end
from (
    select *, 1 as _mview_there
    from (
{{ dbt_mview._derived_at(one.query, changes, "start") }}
    )
) as _mview_d
full join (
    select *, 1 as _mview_there
    from (
{{ dbt_mview._derived_at(one.query, changes, "end") }}
    )
) as _mview_t
    on {{ dbt_mview._same_keys("_mview_d", "_mview_t", names, columns) }}
{%- endmacro %}


{#
Why a derived table cannot be computed as it was: only a log of the table reaches back so far, or
the table had other columns, of which `*` takes all.

Args: derived (see _derived_query), change (of a table; with columns, see _note_used_columns).
Returns: reason, or none.
#}
{% macro _why_not_as_it_was(derived, change) %}
    {%- set tables = derived | map(attribute="changed") | sum(start=[]) -%}
    {%- if change.relation not in tables -%} {{ return(none) }}{%- endif -%}
    {%- set name = dbt_mview._short_name(change.relation) -%}
    {%- if change.log -%}
        {%- set detail = name ~ " as it was: its log keeps what changed alone" -%}
        {{ return(dbt_mview._reason("CHANGE_DATA_UNAVAILABLE", detail)) }}
    {%- elif change.columns_since is not none -%}
        {%- set before = dbt_mview._columns_at(change.relation, change.columns_since) -%}
        {%- if before != change.columns -%}
            {{ return(dbt_mview._reason("SCHEMA_CHANGED", name)) }}
        {%- endif -%}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}


{#
A derived table's own columns are used, too, where nobody asks for them: its rows are found by them.

Args: derived (see _derived_query), change (of a table; see _note_used_columns). Sets used, maps.
#}
{% macro _note_derived_columns(derived, change) %}
    {%- for one in derived if change.relation in one.changed -%}
        {%- set reads = one.query.reads -%}
        {%- set more = dbt_mview._column_pruning(reads, change.relation, change.columns) -%}
        {%- set used = [] -%}
        {%- if more is none or change.used is none -%} {%- do change.update({"used": none}) -%}
        {%- else -%}
            {%- for column in change.columns if column.name in more + change.used -%}
                {%- do used.append(column.name) -%}
            {%- endfor -%}
            {%- do change.update({"used": used}) -%}
        {%- endif -%}
        {%- set known = dbt_mview._those_used(change.columns, change) -%}
        {%- set maps = change.maps + dbt_mview._whole_maps(reads, known) -%}
        {%- do change.update({"maps": maps | unique | list}) -%}
    {%- endfor -%}
{% endmacro %}
