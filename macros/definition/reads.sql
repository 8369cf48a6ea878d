{#
What a query reads, asked from the engine: the leaves of its analyzed plan. A query that does
not analyze fails here, with the engine's error, before anything is locked or written.
`where false` spares the engine the listing of files: the optimizer has nothing left to plan.

Args: sql (string). Returns: mapping with
    tables, views  lists of names catalog.schema.identifier, lower case
    places         the same names, one entry for each time that the plan reads them
    other          what it reads that has no such name: files by path, temporary views
    unstable       names of functions and operators whose value changes without a change of data
    cut            bool: the plan leaves out some columns, and with them what they call
    plan           text of the analyzed plan, see _plan_tree
#}
{% macro _reads(sql) %}
    {%- set text = "explain extended\nselect * from (\n" ~ sql ~ "\n) where false" -%}
    {%- set plan = dbt_mview._read("explain", text).rows[0][0] -%}
    {%- set analyzed = plan.split("== Analyzed Logical Plan ==\n")[-1] -%}
    {#- The first line names the columns of the result. -#}
    {%- set tree = analyzed.split("== Optimized Logical Plan ==")[0].partition("\n")[2] -%}
    {%- set nodes = modules.re.findall("(?m)(?:\\A|^((?:   |:  )*[+:]- ))([A-Z]\\w*)(.*)", tree) -%}
    {%- set harmless = (
        "LocalRelation OneRowRelation Range ResolvedInlineTable CTERelationRef UnionLoopRef"
    ).split() -%}
    {%- set names = {"tables": [], "views": []} -%}
    {%- set other = [] -%}
    {%- set unstable = [] -%}
    {%- for indent, operator, text in nodes -%}
        {%- set leaf = loop.last or nodes[loop.index][0] | length <= indent | length -%}
        {%- set name = dbt_mview._name_in_plan(operator, text) -%}
        {%- if name | length == 3 -%}
            {%- do names["views" if operator == "View" else "tables"].append(name | join(".")) -%}
            {%- if dbt_mview._reads_files(operator, text, name | join(".")) -%}
                {%- do unstable.append("_metadata") -%}
            {%- endif -%}
        {%- elif name -%} {%- do other.append(name | join(".")) -%}
        {%- elif leaf and operator not in harmless -%}
            {%- do other.append(
                {
                    "Relation": "a file read by its path",
                    "LogicalRDD": "data of this session",
                }.get(operator, operator)
            ) -%}
        {%- elif operator in ["Sample", "ScriptTransformation"] -%}
            {%- do unstable.append(operator) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do unstable.extend(dbt_mview._unstable_calls(tree)) -%}
    {{
        return(
            {
                "tables": names.tables | unique | list,
                "views": names.views | unique | list,
                "places": names.tables + names.views,
                "other": other | unique | list,
                "unstable": unstable | unique | list,
                "cut": " more fields" in tree,
                "plan": tree,
            }
        )
    }}
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
