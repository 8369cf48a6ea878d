{#
The columns of the query at the pinned versions, in the order of an enforced contract if there is
one. A source may have got a column since then.

Args: spec, job (query). Sets job.order (the names as the query has them, lower case).
Returns: see _describe_query.
Errors: two columns of one name; a name that Delta cannot store.
#}
{% macro _query_columns(spec, job) %}
    {%- set columns = dbt_mview._describe_query(job.query) -%}
    {%- set seen = [] -%}
    {%- for column in columns -%}
        {%- if column.name | lower in seen -%}
            {%- do dbt_mview._raise(
                spec.mview_id,
                "the query has two columns named '" ~ column.name ~ "'.",
                "Give each column a name of its own; Spark compares them without case.",
            ) -%}
        {%- endif -%}
        {%- if modules.re.search(
            "[ ,;{}()\\n\\t=]", column.name
        ) and "delta.columnMapping.mode" not in spec.layout.tblproperties -%}
            {%- do dbt_mview._raise(
                spec.mview_id,
                "Delta cannot store the column name '" ~ column.name ~ "'.",
                "Rename it without blanks and ,;{}()= or set tblproperties: "
                ~ "{'delta.columnMapping.mode': 'name'}.",
            ) -%}
        {%- endif -%}
        {%- do seen.append(column.name | lower) -%}
    {%- endfor -%}
    {%- do job.update({"order": seen}) -%}
    {%- if spec.contract -%} {{ return(dbt_mview._contract_columns(spec, columns)) }}{%- endif -%}
    {{ return(columns) }}
{% endmacro %}


{# Args: sql (a query). Returns: list of mappings name, type, expression (quoted name). #}
{% macro _describe_query(sql) %}
    {%- set columns = [] -%}
    {%- for row in dbt_mview._read("describe_query", "describe query\n" ~ sql).rows -%}
        {%- do columns.append(
            {"name": row[0], "type": row[1], "expression": dbt_mview._quote(row[0])}
        ) -%}
    {%- endfor -%}
    {%- do dbt_mview._print_types_whole(sql, columns) -%}
    {{ return(columns) }}
{% endmacro %}


{#
DESCRIBE cuts a struct of more than 25 fields short, so that what differs behind them would not be
seen; typeof() does not.

Args: sql (a query), columns (of it). Sets their types.
#}
{% macro _print_types_whole(sql, columns) %}
    {%- set cut = [] -%}
    {%- for column in columns if " more fields" in column.type -%}
        {%- do cut.append(column) -%}
    {%- endfor -%}
    {%- if not cut -%} {{ return(none) }}{%- endif -%}
    {%- set types = [] -%}
    {%- for column in cut -%}
        {%- do types.append(
            "typeof((select "
            ~ column.expression
            ~ " from (\n"
            ~ sql
            ~ "\n) where false))"
        ) -%}
    {%- endfor -%}
    {%- set row = dbt_mview._read("types", "select " ~ types | join(", ")).rows[0] -%}
    {%- for column in cut -%} {%- do column.update({"type": row[loop.index0]}) -%} {%- endfor -%}
{% endmacro %}
