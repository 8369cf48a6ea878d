{#
The rows that came to a table, or those that went, as they stand for the table itself in a term
of the view's query. Netted where both kinds may be there: RESTORE, OVERWRITE and updates of
nothing give pairs of equal rows.

Args: change (see _source_changes), sign (1: rows that came, -1: rows that went), columns (of
    the table, see _describe_query). Returns: SQL text, a subquery in brackets.
#}
{% macro _changed_rows_sql(change, sign, columns) %}
    {%- set names = dbt_mview._quote_all(columns | map(attribute="name") | list) -%}
    {%- set feed = (
        "table_changes("
        ~ dbt_mview._literal(dbt_mview._quoted_name(change.relation))
        ~ ", "
        ~ (change.start + 1)
        ~ ", "
        ~ change.end
        ~ ")"
    ) -%}
    {%- set types = (
        "'insert', 'update_postimage'" if sign > 0 else "'delete', 'update_preimage'"
    ) -%}
    {%- set bag = columns | map(attribute="type") | join(" ") -%}
    {%- if not (change.inserts and change.deletes) or modules.re.search("map<|variant", bag) -%}
        {{
            return(
                "(select " ~ names ~ " from " ~ feed ~ " where _change_type in (" ~ types ~ "))"
            )
        }}
    {%- endif -%}
    {{
        return(
            "(select "
            ~ names
            ~ " from (select "
            ~ names
            ~ ", sum(case when _change_type in ("
            ~ types
            ~ ") then 1 else -1 end) as _mview_n from "
            ~ feed
            ~ " group by "
            ~ names
            ~ " having _mview_n > 0) lateral view explode(sequence(1, _mview_n)) as _mview_i)"
        )
    }}
{% endmacro %}
