{#
The versions of the rows of a table that came after one time, up to another, from its change data
feed: what each row was, from when, until when, and by what it came.

Args: relation (what ref or source gave), from (as the timestamp of as_of; a whole number is a
    version), to (the same), key (the columns that say which row is the same: a name or a list).
Returns: SQL text in place of a relation: its columns, then versions_starttime, versions_endtime
    (null: it is the last one), versions_operation (I, U or D); while dbt parses, and in unit tests,
    the relation.
Errors: see as_of; the feed does not cover both ends.
Example: select * from {{ dbt_mview.versions_between(ref('orders'), '-1 day', '-1 hour', 'id') }}
#}
{% macro versions_between(relation, from, to, key) %}
    {%- if not execute or model.get("resource_type") == "unit_test" -%}
        {{ return(relation) }}
    {%- endif -%}
    {%- set name = dbt_mview._mview_id(relation) -%}
    {%- set was = dbt_mview._pin_given(name, from) -%}
    {%- set now = dbt_mview._pin_given(name, to) -%}
    {%- if now.version < was.version -%}
        {%- do dbt_mview._raise(
            name, "'" ~ from ~ "' is later than '" ~ to ~ "'.", "Give the earlier time first."
        ) -%}
    {%- endif -%}
    {%- set columns = dbt_mview._columns_of_both(name, was, now) -%}
    {%- set change = dbt_mview._change_between(name, was, now) -%}
    {%- if change and change.reason -%}
        {%- do dbt_mview._raise(
            name,
            "its change data feed does not go from v"
            ~ was.version
            ~ " to v"
            ~ now.version
            ~ " ("
            ~ dbt_mview._reason_text(change.reason)
            ~ ").",
            "Switch its delta.enableChangeDataFeed on for what is to come, or compare with diff.",
        ) -%}
    {%- endif -%}
    {{ return(dbt_mview._row_versions_sql(name, columns, change, key)) }}
{% endmacro %}


{# Args: name, columns, change (none: there is none), key. Returns: SQL text, in brackets. #}
{% macro _row_versions_sql(name, columns, change, key) -%}
    {%- set names = dbt_mview._quote_all(columns | map(attribute="name") | list) -%}
    {%- set order = "order by _commit_version, if(_change_type = 'delete', 0, 1)" -%}
    {%- set by = "partition by " ~ dbt_mview._quote_all(dbt_mview._columns_of(key)) -%}
    (
        {%- if change is none or not (change.inserts or change.deletes) %}
            select
                {{ names }},
                current_timestamp() as versions_starttime,
                current_timestamp() as versions_endtime,
                '' as versions_operation
            from {{ dbt_mview._quoted_name(name) }}
            where false
        {%- else %}
            select
                {{ names }},
                _commit_timestamp as versions_starttime,
                lead(_commit_timestamp) over ({{ by }} {{ order }}) as versions_endtime,
                case
                    _change_type when 'insert' then 'I' when 'delete' then 'D' else 'U'
                end as versions_operation
            from {{ dbt_mview._feed_sql(change) }}
            where _change_type != 'update_preimage'
        {%- endif %}
    )
{%- endmacro %}
