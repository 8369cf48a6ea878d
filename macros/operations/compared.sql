{#
A view beside its query at the versions that were read, as SQL, for mview_verify and the generic
test; and why the two cannot be compared.
#}
{#
What is compared: the query at the versions that the view read, and the view as it was left then.

Args: spec, state (row), bindings (see _bindings).
Returns: mapping query, view (SQL texts).
#}
{% macro _compared(spec, state, bindings) %}
    {%- for source in state.sources -%}
        {%- set binding = bindings.get(source.relation) or {} -%}
        {%- set binding = dict(binding, kind="table", version=source.version) -%}
        {%- do bindings.update({source.relation: binding}) -%}
    {%- endfor -%}
    {%- set version = dbt_mview._version_to_compare(spec, state) -%}
    {{
        return(
            {
                "query": dbt_mview._bind(spec.definition, bindings, spec.namespace).sql,
                "view": spec.name ~ " version as of " ~ version,
            }
        )
    }}
{% endmacro %}


{#
The newest version before the next refresh, which may be published and not recorded yet: what
somebody else did to the view is seen. After a week, Delta refuses a version once there is a newer
one, be it of a comment or a VACUUM.

Args: spec, state (row). Returns: int.
#}
{% macro _version_to_compare(spec, state) %}
    {%- set at = namespace(version=state.target_version, refreshed=false) -%}
    {%- set newest = dbt_mview._delta_history(spec.name, 1)[0].version -%}
    {%- if newest <= at.version -%} {{ return(at.version) }}{%- endif -%}
    {%- for commit in dbt_mview._delta_history(spec.name, newest - at.version) | reverse -%}
        {%- if dbt_mview._is_refresh_of(commit, spec.mview_id) -%} {%- set at.refreshed = true -%}
        {%- elif not at.refreshed -%} {%- set at.version = commit.version -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(at.version) }}
{% endmacro %}


{#
Fails if one of the versions is gone. A query may end in a comment, so its bracket is on a line of
its own.

Args: compared. Returns: SQL text.
#}
{% macro _versions_sql(compared) %}
    {%- set query = "select 1 from (\n" ~ compared.query ~ "\n) where false" -%}
    {{ return(query ~ "\nunion all\nselect 1 from " ~ compared.view ~ " where false") }}
{% endmacro %}


{#
The two sides, column by column as the view was published: a column that the query no longer has was
published as NULL, see _plan_schema_change.

Args: compared (see _compared).
Returns: mapping query, wanted (its columns in the view's order), view, present (its columns).
#}
{% macro _verify_sides(compared) %}
    {%- set present = dbt_mview._describe_query("select * from " ~ compared.view) -%}
    {%- set columns = dbt_mview._describe_query(compared.query) -%}
    {%- set wanted = dbt_mview._in_order_of(present, columns, true) -%}
    {{ return(dict(compared, wanted=wanted, present=present)) }}
{% endmacro %}


{#
Why a view that differs from its query may still be right.

Args: state (row), reads (see _reads), bound (see _bindings), both of the query that state has.
Returns: see _reason, or none if the two can be compared.
#}
{% macro _why_not_comparable(state, reads, bound) %}
    {%- if bound.unbound -%}
        {{ return(dbt_mview._reason("no_version", bound.unbound | join(", "))) }}
    {%- endif -%}
    {%- if state.definition_hash not in [none, dbt_mview._definition_hash(bound)] -%}
        {{ return(dbt_mview._reason("view_changed")) }}
    {%- endif -%}
    {%- set nondeterministic = dbt_mview._nondeterministic(reads, bound) -%}
    {%- if nondeterministic -%}
        {{ return(dbt_mview._reason("changes_by_itself", nondeterministic | join(", "))) }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}


{#
Compares a query with a table as multisets, both ways. Maps are compared as text, because Spark
does not compare them.

Args: sides (mapping, see _verify_sides). Returns: SQL text, one row: missing, surplus.
#}
{% macro _compare_sql(sides) -%}
with {{ dbt_mview._sides_sql(sides) }}
select
    (
        select count(*)
        from (select * from wanted except all select * from present)
    ) as missing,
    (
        select count(*)
        from (select * from present except all select * from wanted)
    ) as surplus
{%- endmacro %}


{# The rows themselves. Args: sides. Returns: SQL text, the view's columns after the verdict. #}
{% macro _differences_sql(sides) -%}
with {{ dbt_mview._sides_sql(sides) }}
select 'missing' as _mview_verdict, *
from (select * from wanted except all select * from present)
union all
select 'surplus' as _mview_verdict, *
from (select * from present except all select * from wanted)
{%- endmacro %}


{# Args: sides. Returns: SQL text, two tables of a WITH. #}
{% macro _sides_sql(sides) -%}
wanted as (
    select {{ dbt_mview._comparable(sides.wanted) }}
    from (
{{ sides.query }}
    )
),
present as (
    select {{ dbt_mview._comparable(sides.present) }}
    from {{ sides.view }}
)
{%- endmacro %}


{# Args: columns (list of name, type, expression). Returns: SQL text. #}
{% macro _comparable(columns) %}
    {%- set found = [] -%}
    {%- for column in columns -%}
        {%- set value = column.expression -%}
        {%- if "map<" in column.type -%} {%- set value = "to_json(" ~ value ~ ")" -%} {%- endif -%}
        {%- do found.append({"name": column.name, "expression": value}) -%}
    {%- endfor -%}
    {{ return(dbt_mview._select_list(found)) }}
{% endmacro %}
