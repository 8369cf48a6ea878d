{#
The rows that came to a table, or those that went, as they stand for the table itself in a term
of the view's query. Netted where both kinds may be there: RESTORE, OVERWRITE and updates of
nothing give pairs of equal rows. Maps and variants cannot be grouped, and are not netted.

Spark takes a feed of any size for endless, and would shuffle all of what it is joined with: few
rows are said to be few.

Args: change (see _source_changes), sign (1: rows that came, -1: rows that went), columns (of
    the table, see _describe_query), few (bool). Returns: SQL text, a subquery in brackets.
#}
{% macro _changed_rows_sql(change, sign, columns, few=false) -%}
    {%- set types = columns | map(attribute="type") | join(" ") -%}
    {%- set net = change.inserts and change.deletes -%}
    {%- if net and not modules.re.search("map<|variant", types) -%}
        {{ return(dbt_mview._net_rows_sql(change, sign, columns, few)) }}
    {%- endif -%}
    {%- set hint = " /*+ broadcast(_mview_feed) */" if few else "" -%}
(
    select{{ hint }} {{ dbt_mview._quote_all(columns | map(attribute="name") | list) }}
    from {{ dbt_mview._feed_sql(change) }} as _mview_feed
    where _change_type in ({{ dbt_mview._change_types(sign) }})
)
{%- endmacro %}


{# As _changed_rows_sql: as many copies of each row as came more than went, or the reverse. #}
{% macro _net_rows_sql(change, sign, columns, few) -%}
    {%- set names = dbt_mview._quote_all(columns | map(attribute="name") | list) -%}
(
    select {{ names }}
    from (
        select{{ " /*+ broadcast(_mview_feed) */" if few else "" }}
            {{ names }},
            sum(
                case when _change_type in ({{ dbt_mview._change_types(sign) }}) then 1 else -1 end
            ) as _mview_n
        from {{ dbt_mview._feed_sql(change) }} as _mview_feed
        group by {{ names }}
        having _mview_n > 0
    )
    lateral view explode(sequence(1, _mview_n)) _mview_e as _mview_i
)
{%- endmacro %}


{# Args: change. Returns: SQL text, the function that reads its rows from Delta. #}
{% macro _feed_sql(change) -%}
    {%- set name = dbt_mview._literal(dbt_mview._quoted_name(change.relation)) -%}
table_changes({{ name }}, {{ change.start + 1 }}, {{ change.end }})
{%- endmacro %}


{# Args: sign. Returns: SQL text, the kinds of rows of that sign. #}
{% macro _change_types(sign) -%}
{{ "'insert', 'update_postimage'" if sign > 0 else "'delete', 'update_preimage'" }}
{%- endmacro %}
