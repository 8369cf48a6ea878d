{#
What came to a table or view, and what went, from one time to another: by its change data feed where
that covers both ends with the same columns, else by comparing all rows. A row that came and went
meanwhile is none.

Args: relation (what ref or source gave), from (as the timestamp of as_of; a whole number is a
    version), to (the same), feed (bool: false compares all rows in any case).
Returns: SQL text in place of a relation, its columns after `_change`, which is came or went; while
    dbt parses, and in unit tests, the relation.
Errors: see as_of; the columns changed meanwhile, or cannot be compared.
Example: select * from {{ dbt_mview.diff(ref('orders'), '-1 day', '-1 hour') }}
#}
{% macro diff(relation, from, to, feed=true) %}
    {%- if not execute or model.get("resource_type") == "unit_test" -%}
        {{ return(relation) }}
    {%- endif -%}
    {%- set name = dbt_mview._mview_id(relation) -%}
    {%- if dbt_mview._is_read_through(relation) -%}
        {%- set sides = [dbt_mview.as_of(relation, from), dbt_mview.as_of(relation, to)] -%}
        {{ return(dbt_mview._compared_sides(name, sides)) }}
    {%- endif -%}
    {%- set was = dbt_mview._pin_given(name, from) -%}
    {%- set now = dbt_mview._pin_given(name, to) -%}
    {%- set columns = dbt_mview._columns_of_both(name, was, now) -%}
    {%- set change = dbt_mview._change_between(name, was, now) if feed else none -%}
    {%- if change is none or change.reason -%}
        {%- set at = dbt_mview._quoted_name(name) ~ " version as of " -%}
        {{ return(dbt_mview._compared_sides(name, [at ~ was.version, at ~ now.version])) }}
    {%- endif -%}
    {%- set parts = [] -%}
    {%- for sign, word in [(1, "came"), (-1, "went")] -%}
        {%- set sign = -sign if now.version < was.version else sign -%}
        {%- set rows = dbt_mview._changed_rows_sql(change, sign, columns) -%}
        {%- do parts.append("select '" ~ word ~ "' as _change, *\nfrom " ~ rows) -%}
    {%- endfor -%}
    {{ return("(\n" ~ parts | join("\nunion all\n") ~ "\n)") }}
{% endmacro %}


{# Args: name, given (a whole number: a version; else see _moment). Returns: see _pin_table. #}
{% macro _pin_given(name, given) %}
    {%- if given is integer and given is not boolean -%}
        {%- do dbt_mview._check_flashback(name) -%}
        {{ return(dbt_mview._travel_to_version(name, given)) }}
    {%- endif -%}
    {%- set moment = dbt_mview._moment(given, name) -%}
    {%- do dbt_mview._check_flashback(name, moment, given) -%}
    {{ return(dbt_mview._travel(name, moment, given)) }}
{% endmacro %}


{#
The feed between two versions of a table, from the earlier one on.

Args: name, was, now (pins). Returns: see _change_record; none for two that are one.
#}
{% macro _change_between(name, was, now) %}
    {%- if now.version == was.version -%} {{ return(none) }}{%- endif -%}
    {%- set ends = [was, now] | sort(attribute="version") -%}
    {%- do dbt_mview._seen_after(name, 0) -%}
    {{ return(dbt_mview._feed_change(name, ends[0], ends[1])) }}
{% endmacro %}


{# Args: name, was, now (pins). Returns: see _describe_query. Errors: they are not the same. #}
{% macro _columns_of_both(name, was, now) %}
    {%- set before = dbt_mview._columns_at(name, was.version) -%}
    {%- set columns = dbt_mview._columns_at(name, now.version) -%}
    {%- if before != columns -%}
        {%- set diff = dbt_mview._schema_diff(before, columns) -%}
        {%- set what = diff.text or "their order" -%}
        {%- do dbt_mview._raise(
            name,
            "its columns changed from v"
            ~ was.version
            ~ " to v"
            ~ now.version
            ~ " ("
            ~ what
            ~ "), so that their rows cannot be compared.",
            "Compare the columns that both have, in a query over two as_of.",
        ) -%}
    {%- endif -%}
    {{ return(columns) }}
{% endmacro %}


{#
All rows of both sides, compared as multisets.

Args: name, sides (pair of SQL texts, each what FROM takes). Returns: SQL text, in brackets.
Errors: their rows cannot be compared.
#}
{% macro _compared_sides(name, sides) %}
    {%- set columns = dbt_mview._describe_query("select * from " ~ sides[1]) -%}
    {%- if dbt_mview._why_not_comparable_rows(columns) -%}
        {%- do dbt_mview._raise(
            name,
            dbt_mview._why_not_comparable_rows(columns).detail ~ ".",
            "Leave the column out, in a query over two as_of.",
        ) -%}
    {%- endif -%}
    {%- set parts = [] -%}
    {%- for word, one, other in [("came", 1, 0), ("went", 0, 1)] -%}
        {%- do parts.append(
            "select '"
            ~ word
            ~ "' as _change, *\nfrom (\n    select * from "
            ~ sides[one]
            ~ "\n    except all\n    select * from "
            ~ sides[other]
            ~ "\n)"
        ) -%}
    {%- endfor -%}
    {{ return("(\n" ~ parts | join("\nunion all\n") ~ "\n)") }}
{% endmacro %}
