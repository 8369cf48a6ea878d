{#
All terms as one query, each row with the sign of its term. What is staged of it must not have the
lengths of its texts, see _without_lengths.

Args: terms (see _terms), columns (of the query). Returns: SQL text.
#}
{% macro _terms_sql(terms, columns) -%}
{%- set items = dbt_mview._select_list(dbt_mview._without_lengths(columns)) -%}
{%- for term in terms -%}
{%- if not loop.first %}
union all
{% endif -%}
select {{ items }}, {{ term.sign }} as _mview_sign
from (
{{ term.sql }}
)
{%- endfor -%}
{%- endmacro %}
