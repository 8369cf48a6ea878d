{#
Columns and types of a query or table, types in full, and what can be said of a type: whether SQL
can write it, and whether two values of it may be equal without being the same (not image-equal).
#}
{# Args: sql (a query). Returns: list of mappings name, type, expression (quoted name). #}
{% macro _describe_query(sql) %}
    {%- set columns = [] -%}
    {%- for row in dbt_mview._read("describe_query", "describe query\n" ~ sql).rows -%}
        {%- do columns.append(
            {"name": row[0], "type": row[1], "expression": dbt_mview._quote(row[0])}
        ) -%}
    {%- endfor -%}
    {%- do dbt_mview._complete_types(sql, columns) -%}
    {{ return(columns) }}
{% endmacro %}


{#
DESCRIBE cuts a struct of more than 25 fields short, so that what differs behind them would not be
seen; typeof() does not.

Args: sql (a query), columns (of it). Sets their types.
#}
{% macro _complete_types(sql, columns) %}
    {%- set truncated = [] -%}
    {%- set names = columns | map(attribute="name") | map("lower") | list -%}
    {%- for column in columns if " more fields" in column.type -%}
        {#- One of two that have its name cannot be asked for. -#}
        {%- if names.count(column.name | lower) == 1 -%}
            {%- do truncated.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not truncated -%} {{ return(none) }}{%- endif -%}
    {%- set types = [] -%}
    {%- for column in truncated -%}
        {%- do types.append(
            "typeof((select "
            ~ column.expression
            ~ " from (\n"
            ~ sql
            ~ "\n) where false))"
        ) -%}
    {%- endfor -%}
    {%- set row = dbt_mview._read("types", "select " ~ types | join(", ")).rows[0] -%}
    {%- for column in truncated -%}
        {%- do column.update({"type": row[loop.index0]}) -%}
    {%- endfor -%}
{% endmacro %}


{# Args: relation (name), version (or none). Returns: see _describe_query. #}
{% macro _columns_at(relation, version) %}
    {%- set at = "" if version is none else " version as of " ~ version -%}
    {%- set name = dbt_mview._quoted_name(relation) -%}
    {{ return(dbt_mview._describe_query("select * from " ~ name ~ at)) }}
{% endmacro %}


{#
The columns of the tables that a query reads, at the versions that are pinned, asked at once; of
those that are not there yet, as mview_explain foretells them.

Args: job (reads, bindings). Returns: mapping relation -> see _describe_query.
#}
{% macro _describe_tables(job) %}
    {%- set found = {} -%}
    {%- set items, tables, marks = [], [], [] -%}
    {%- set foretold = dbt_mview._memory().foretold -%}
    {%- set there = job.reads.tables | reject("in", foretold) | list -%}
    {%- for relation in there -%}
        {%- set version = job.bindings[relation].version -%}
        {%- set at = "" if version is none else " version as of " ~ version -%}
        {%- do marks.append("mview:" ~ loop.index0) -%}
        {%- do items.append("1 as " ~ dbt_mview._quote(marks[-1]) ~ ", t" ~ loop.index0 ~ ".*") -%}
        {%- do tables.append(dbt_mview._quoted_name(relation) ~ at ~ " as t" ~ loop.index0) -%}
    {%- endfor -%}
    {%- set sql = "select " ~ items | join(", ") ~ "\nfrom " ~ tables | join(", ") -%}
    {%- set rows = dbt_mview._read("columns", "describe query\n" ~ sql).rows if tables else [] -%}
    {%- set names = rows | map(attribute=0) | list -%}
    {%- for relation in there -%}
        {%- set begin = names.index(marks[loop.index0]) + 1 -%}
        {%- set end = names | length if loop.last else names.index(marks[loop.index]) -%}
        {%- set columns = [] -%}
        {%- for row in rows[begin:end] -%}
            {%- do columns.append(
                {"name": row[0], "type": row[1], "expression": dbt_mview._quote(row[0])}
            ) -%}
        {%- endfor -%}
        {%- set truncated = " more fields" in columns | map(attribute="type") | join(" ") -%}
        {#- A table may have a column of a mark's name. -#}
        {%- if truncated or names | select("in", marks) | list != marks -%}
            {%- set version = job.bindings[relation].version -%}
            {%- set columns = dbt_mview._columns_at(relation, version) -%}
        {%- endif -%}
        {%- do found.update({relation: columns}) -%}
    {%- endfor -%}
    {%- for relation in job.reads.tables if relation in foretold -%}
        {%- do found.update({relation: foretold[relation]}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# A type for a statement: a session may take `timestamp` for one without a zone. Args: type. #}
{% macro _written_type(type) %}
    {{ return("timestamp_ltz" if type == "timestamp" else type) }}
{% endmacro %}


{#
Whether SQL can say a type as the engine prints it: it does not quote the names of fields.

Args: type. Returns: bool.
#}
{% macro _is_printable_type(type) %}
    {%- set word = "[A-Za-z_][A-Za-z0-9_]*(?:\\(\\d+(?:,\\d+)?\\))?" -%}
    {%- set nested = modules.re.fullmatch(word ~ "(?:[<>,:]+" ~ word ~ ")*>*", type) -%}
    {{ return("struct<" not in type or nested is not none) }}
{% endmacro %}


{# Args: type. Returns: how many digits a decimal has, and after the point; none for others. #}
{% macro _decimal_digits(type) %}
    {%- set digits = modules.re.fullmatch("decimal\\((\\d+),(\\d+)\\)", type) -%}
    {{ return((digits.group(1) | int, digits.group(2) | int) if digits else none) }}
{% endmacro %}


{#
Types whose values cannot be grouped, or of which two may be equal and not the same, as 'a' and 'A'
are under a collation. Rows that differ in them alone would be taken for one.

Args: others (more of them, with | between).
Returns: string, a pattern to be searched in the name of a type, in which fields may have any names.
#}
{% macro _not_image_equal(others=none) %}
    {%- set words = ["variant"] + ([others] if others else []) -%}
    {{ return("map<| collate |(?:^|[:<,])(?:" ~ words | join("|") ~ ")(?=[,>]|$)") }}
{% endmacro %}


{# Args: columns (of name, type). Returns: reason, or none if their rows can be compared. #}
{% macro _why_not_comparable_rows(columns) %}
    {%- for column in columns if modules.re.search(dbt_mview._not_image_equal(), column.type) -%}
        {%- set detail = "rows with " ~ column.name ~ " cannot be compared" -%}
        {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", detail)) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
