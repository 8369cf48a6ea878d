{# Rows that come and go: as a part of the MERGE, or as an INSERT where none go. #}
{#
Rows without a key, for a FAST publish: MERGE cannot take away some of several equal rows, so all
copies of every row that changed go, and as many as it has now come back. So a MERGE that is sent a
second time, as dbt-spark does when it loses a connection, ends with the same rows.

Args: spec, job. Returns: SQL text, a query, see _merge_source_sql.
#}
{% macro _row_delta_sql(spec, job) -%}
    {%- set names = dbt_mview._quote_all(job.columns | map(attribute="name") | list) -%}
select {{ names }}, 'delete' as _mview_op
from {{ dbt_mview._stage_name(job.id) }}
union all
select {{ names }}, 'insert'
from (
{{ dbt_mview._copies_sql(spec, job) }}
)
lateral view explode(sequence(1L, _mview_copies)) _mview_e as _mview_i
{%- endmacro %}


{#
How many copies of each changed row there are now. Fewer than none: it went more often than it was
there, see _broken_invariant.

Args: spec, job, missing (bool: these alone). Returns: SQL text, a query.
#}
{% macro _copies_sql(spec, job, missing=false) -%}
    {%- set keys = job.fast["keys"] -%}
    {%- set rows = dbt_mview._rows_as_keys(job) -%}
    {%- set copies = "s._mview_n + coalesce(v._mview_had, 0)" -%}
select {{ dbt_mview._prefixed("s", keys) }}, {{ copies }} as _mview_copies
from {{ dbt_mview._stage_name(job.id) }} as s
left join (
    select {{ rows["values"] }}, count(*) as _mview_had
    from {{ dbt_mview._view_as_seen(spec, job) }}
    group by {{ rows["keys"] }}
) as v
    on {{ dbt_mview._same_keys("s", "v", keys, job.columns, job.fast.as_text) }}
{%- if missing %}
where {{ copies }} < 0
{%- elif job.invariants %}
where case
        when {{ copies }} < 0 then {{ dbt_mview._invariant_error_sql(spec, "not_there") }}
        else {{ copies }} > 0
    end
{%- else %}
where {{ copies }} > 0
{%- endif %}
{%- endmacro %}


{#
What rows are grouped by, and what is shown of a group.

Args: job (fast, columns). Returns: mapping keys, values (SQL texts).
#}
{% macro _rows_as_keys(job) %}
    {%- if job.fast.as_text -%}
        {{ return(dbt_mview._consolidation_keys(job.columns)) }}
    {%- endif -%}
    {%- set names = dbt_mview._quote_all(job.fast["keys"]) -%}
    {{ return({"keys": names, "values": names}) }}
{% endmacro %}


{#
FAST publish where rows only come: an INSERT of the query's own new rows.

Args: spec, job. Returns: SQL text.
#}
{% macro _insert_delta_sql(spec, job) -%}
    {%- set names = job.columns | map(attribute="name") | list -%}
    {%- set nulls = [] -%}
    {%- for name in names -%}{%- do nulls.append("null") -%}{%- endfor -%}
insert into {{ spec.name }}
with (
    'userMetadata' = {{ dbt_mview._json_literal(dbt_mview._publish_meta(spec, job)) }},
    'txnAppId' = {{ dbt_mview._literal("dbt_mview:" ~ spec.mview_id) }},
    'txnVersion' = '{{ job.token }}'
)
select {{ dbt_mview._quote_all(names) }}
from (
{%- if job.asserted %}
select {{ dbt_mview._quote_all(names) }}, {# -#}
{{ dbt_mview._asserted_value_sql(spec, job, "true", "true") }} as _mview_met
from (
{{ dbt_mview._delta_terms_sql(job.fast.terms, job.columns) }}
)
)
where _mview_met
{%- else %}
{{ dbt_mview._delta_terms_sql(job.fast.terms, job.columns) }}
)
{%- endif %}
union all
select {{ nulls | join(", ") }}
where {{ dbt_mview._guard_sql(spec, job) }}
{%- endmacro %}
