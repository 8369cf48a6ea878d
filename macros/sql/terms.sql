{#
All terms as one query, each row with the sign of its term.

Args: terms (see _terms), columns (of the query). Returns: SQL text.
#}
{% macro _terms_sql(terms, columns) -%}
{%- for term in terms -%}
{%- if not loop.first %}
union all
{% endif -%}
select {{ dbt_mview._select_list(columns) }}, {{ term.sign }} as _mview_sign
from (
{{ term.sql }}
)
{%- endfor -%}
{%- endmacro %}
