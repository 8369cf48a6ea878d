{#
What a query reads, asked from the engine by EXPLAIN: tables, views, and whether anything in it
changes by itself. This file alone knows the headings and the frame of what EXPLAIN prints.
#}
{#
What a query reads, asked from the engine: the leaves of its analyzed plan. A query that does
not analyze fails here, with the engine's error, before anything is locked or written.
`where false` spares the engine the listing of files: the optimizer has nothing left to plan.

Args: sql (string). Returns: mapping with
    tables, views  lists of names catalog.schema.identifier, lower case
    occurrences    the same names, one entry for each time that the plan reads them
    other          what it reads that has no such name: files by path, temporary views
    nondeterministic  names of functions and operators whose value changes without a change of data
    truncated      bool: the plan leaves out some columns, and with them what they call
    plan           text of the analyzed plan, see _parse_plan; where the query does not analyze, the
                   engine's error
    literals       those that have a stand-in in the plan, see _stand_in_names
#}
{% macro _reads(sql) %}
    {%- set literals = dbt_mview._stand_in_names(dbt_mview._words(sql), {}).literals -%}
    {%- set plain = dbt_mview._in_stand_in_names(sql, {"names": {}, "literals": literals}) -%}
    {%- set plan = dbt_mview._explained(plain) -%}
    {%- if literals and not dbt_mview._analyzed_part(plan).startswith("Project [") -%}
        {#- Spark needs to know one of them. -#}
        {%- set literals = {} -%} {%- set plan = dbt_mview._explained(sql) -%}
    {%- endif -%}
    {%- set tree = dbt_mview._collapse_tables(dbt_mview._analyzed_part(plan)) -%}
    {%- set lines = dbt_mview._plan_lines(tree) -%}
    {%- set constant = dbt_mview._operators_that("constant") -%}
    {#- Leaves, whatever a name with line breaks puts below them. -#}
    {%- set stored = dbt_mview._operators_that("stored") -%}
    {%- set changing = dbt_mview._operators_that("nondeterministic") -%}
    {%- set names = {"tables": [], "views": []} -%}
    {%- set other = [] -%}
    {%- for part in ["Analyzed", "Optimized"] if plan.count(dbt_mview._heading(part)) != 1 -%}
        {#- A name or a literal that reads like it: what follows may be hidden. -#}
        {%- do other.append("a text that reads like a plan") -%}
    {%- endfor -%}
    {%- set nondeterministic = [] -%}
    {%- for depth, operator, rest in lines -%}
        {%- set leaf = loop.last or lines[loop.index][0] <= depth -%}
        {%- set text = rest.partition("\n")[0] -%}
        {%- set name = dbt_mview._name_in_plan(operator, text) -%}
        {%- if name | length == 3 -%}
            {%- do names["views" if operator == "View" else "tables"].append(name | join(".")) -%}
            {%- if dbt_mview._reads_files(operator, text, name | join(".")) -%}
                {%- do nondeterministic.append("_metadata") -%}
            {%- endif -%}
        {%- elif name -%} {%- do other.append(name | join(".")) -%}
        {%- elif operator in stored or (leaf and operator not in constant) -%}
            {%- do other.append(
                {
                    "Relation": "a file read by its path",
                    "LogicalRDD": "data of this session",
                }.get(operator, operator)
            ) -%}
        {%- elif operator in changing -%} {%- do nondeterministic.append(operator) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do nondeterministic.extend(dbt_mview._nondeterministic_calls(tree)) -%}
    {{
        return(
            {
                "tables": names.tables | unique | list,
                "views": names.views | unique | list,
                "occurrences": names.tables + names.views,
                "other": other | unique | list,
                "nondeterministic": nondeterministic | unique | list,
                "truncated": " more fields" in tree,
                "plan": tree,
                "literals": literals,
            }
        )
    }}
{% endmacro %}


{#
Whether something that a query reads or makes is a column of a name; true where the plan is
truncated.

Args: reads (see _reads), name (lower case). Returns: bool.
#}
{% macro _has_column(reads, name) %}
    {%- set column = "(?i)\\b" ~ name ~ "#\\d" -%}
    {{ return(reads.truncated or modules.re.search(column, reads.plan) is not none) }}
{% endmacro %}


{#
Why a query does not analyze, for people.

Args: reads (see _reads). Returns: string, or none if it does.
#}
{% macro _why_not_analyzed(reads) %}
    {%- if reads.plan.startswith("Project [") -%} {{ return(none) }}{%- endif -%}
    {%- set missing = modules.re.search("TABLE_OR_VIEW_NOT_FOUND\\][^`]*(`\\S+`)", reads.plan) -%}
    {%- if missing -%}
        {{ return(missing.group(1).replace("`", "") ~ " is not there") }}
    {%- endif -%}
    {%- set error = modules.re.sub("^[\\w.]+Exception: ", "", reads.plan.partition("\n")[0]) -%}
    {{ return("the engine refuses its query: " ~ error[:200]) }}
{% endmacro %}


{# Args: operator, text (the rest of its line). Returns: list, the parts of what it reads. #}
{% macro _name_in_plan(operator, text) %}
    {%- set named = "" -%}
    {%- if operator in ["View", "HiveTableRelation"] -%} {%- set named = text.split(",")[0] -%}
    {%- elif operator == "Relation" -%} {%- set named = text.split("[")[0] -%}
    {%- elif operator == "RelationV2" -%} {%- set named = text.rpartition("] ")[2].split(" ")[0] -%}
    {%- endif -%}
    {{ return(dbt_mview._name_parts(named)) }}
{% endmacro %}


{#
Whether a query asks a table for its files, which OPTIMIZE changes. Spark's hidden column
`_metadata` is printed as if it were the table's own, which one of that name may be.

Args: operator, text (see _name_in_plan), relation (name). Returns: bool.
#}
{% macro _reads_files(operator, text, relation) %}
    {%- if operator != "Relation" or "_metadata#" not in text -%} {{ return(false) }}{%- endif -%}
    {%- set sql = "select * from " ~ dbt_mview._quoted_name(relation) -%}
    {%- set columns = dbt_mview._describe_query(sql) | map(attribute="name") | map("lower") -%}
    {{ return("_metadata" not in columns | list) }}
{% endmacro %}


{# Args: sql (a query). Returns: text, what EXPLAIN prints of it. #}
{% macro _explained(sql) %}
    {%- set known = dbt_mview._memory().explained -%}
    {%- if sql in (known or {}) -%} {{ return(known[sql]) }}{%- endif -%}
    {%- set text = "explain extended\nselect * from (\n" ~ sql ~ "\n) where false" -%}
    {%- set plan = dbt_mview._read("explain", text).rows[0][0] -%}
    {%- if known is not none -%} {%- do known.update({sql: plan}) -%} {%- endif -%}
    {{ return(plan) }}
{% endmacro %}


{#
The analyzed plan of what EXPLAIN prints, without the line that names the columns of the result.

Args: plan (see _explained). Returns: text.
#}
{% macro _analyzed_part(plan) %}
    {%- set analyzed = plan.split(dbt_mview._heading("Analyzed"))[-1] -%}
    {{ return(analyzed.split(dbt_mview._heading("Optimized"))[0].partition("\n")[2]) }}
{% endmacro %}


{# Args: part (of what EXPLAIN prints). Returns: string, its heading with the line breaks. #}
{% macro _heading(part) %} {{ return("\n== " ~ part ~ " Logical Plan ==\n") }} {% endmacro %}


{#
A plan in which the stand-in queries of tables, see _empty_table_sql, are these tables again.

Args: plan (text). Returns: text.
#}
{% macro _collapse_tables(plan) %}
    {%- set query = "Project \\[(.*)\\]\n[^\n]*OneRowRelation" -%}
    {%- set stands_for = "SubqueryAlias `mview table ([^`\n]+)`\n[^\n]*?" ~ query -%}
    {%- set parts = modules.re.split(stands_for, plan) -%}
    {%- set collapsed = [parts[0]] -%}
    {%- for at in range(1, parts | length, 3) -%}
        {%- set columns = [] -%}
        {%- for item in dbt_mview._split_list(parts[at + 1]) -%}
            {%- do columns.append(item.split(" AS ")[-1]) -%}
        {%- endfor -%}
        {%- set table = "Relation " ~ parts[at] ~ "[" ~ columns | join(",") ~ "] delta" -%}
        {%- do collapsed.extend([table, parts[at + 2]]) -%}
    {%- endfor -%}
    {{ return(collapsed | join) }}
{% endmacro %}
