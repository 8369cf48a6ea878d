{#
What a query reads, asked from the engine: the leaves of its analyzed plan. A query that does
not analyze fails here, with the engine's error, before anything is locked or written.
`where false` spares the engine the listing of files: the optimizer has nothing left to plan.

Args: sql (string). Returns: mapping with
    tables, views  lists of names catalog.schema.identifier, lower case
    unstable       names of functions and operators whose value changes without a change of data
    places         the tables again, one entry for each leaf
    other          leaves that have no name (files by path and the like)
    plan           text of the analyzed plan
#}
{% macro _reads(sql) %}
    {%- set text = "explain extended\nselect * from (\n" ~ sql ~ "\n) where false" -%}
    {%- set plan = dbt_mview._read("explain", text).rows[0][0] -%}
    {%- set analyzed = plan.split("== Analyzed Logical Plan ==")[-1].split(
        "== Optimized Logical Plan =="
    )[0] -%}
    {%- set reads = {"tables": [], "views": [], "unstable": [], "other": [], "plan": ""} -%}
    {%- do reads.update({"plan": analyzed.split("\n", 2)[2]}) -%}
    {%- for quoted in modules.re.findall("View \\(((?:`(?:[^`]|``)*`\\.?)+)", analyzed) -%}
        {%- do reads.views.append(dbt_mview._name_parts(quoted) | join(".")) -%}
    {%- endfor -%}
    {%- for name in modules.re.findall("\\bRelation(?: ([^\\[\\n]*))?\\[", analyzed) -%}
        {%- set parts = dbt_mview._name_parts(name) -%}
        {%- if parts -%} {%- do reads.tables.append(parts | join(".")) -%}
        {%- else -%} {%- do reads.other.append("a file read by its path") -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for quoted in modules.re.findall("HiveTableRelation \\[([^,\\]]+)", analyzed) -%}
        {%- do reads.tables.append(dbt_mview._name_parts(quoted) | join(".")) -%}
    {%- endfor -%}
    {%- for name in modules.re.findall("RelationV2\\[[^\\]]*\\] ([^\\s,]+)", analyzed) -%}
        {%- do reads.tables.append(dbt_mview._name_parts(name) | join(".")) -%}
    {%- endfor -%}
    {%- if "LogicalRDD" in analyzed -%}
        {%- do reads.other.append("data of this session") -%}
    {%- endif -%}
    {%- for name in modules.re.findall(dbt_mview._unstable_pattern(), analyzed) -%}
        {%- do reads.unstable.append(name) -%}
    {%- endfor -%}
    {%- do reads.update({"places": reads.tables | list}) -%}
    {%- for kind in ["tables", "views", "unstable", "other"] -%}
        {%- do reads.update({kind: reads[kind] | unique | list}) -%}
    {%- endfor -%}
    {{ return(reads) }}
{% endmacro %}


{#
The unstable functions that a query's own text names: EXPLAIN cuts long lists of columns.

Args: sql (string, with the texts of views in place). Returns: list of strings.
#}
{% macro _unstable_in_text(sql) %}
    {%- set words = [] -%}
    {%- for token in dbt_mview._tokens(sql) if not dbt_mview._is_blank(token) -%}
        {%- do words.append("''" if token[-1] in "'\"" else token | lower) -%}
    {%- endfor -%}
    {%- set names = modules.re.findall(
        dbt_mview._unstable_pattern(), words | join(" ") | replace(" (", "(")
    ) -%}
    {%- for word in ["current_date", "current_timestamp", "current_time", "localtimestamp"] -%}
        {%- if word in words -%} {%- do names.append(word) -%} {%- endif -%}
    {%- endfor -%}
    {{ return(names | unique | select | list) }}
{% endmacro %}


{# Spark's functions and operators that are not a function of the data they read. #}
{% macro _unstable_pattern() %}
    {%- set functions = [
        "rand",
        "randn",
        "random",
        "randstr",
        "uniform",
        "uuid",
        "shuffle",
        "monotonically_increasing_id",
        "spark_partition_id",
        "current_date",
        "current_timestamp",
        "current_time",
        "now",
        "localtimestamp",
        "unix_timestamp",
        "current_user",
        "user",
        "session_user",
        "current_catalog",
        "current_database",
        "current_schema",
        "input_file_name",
        "input_file_block_start",
        "input_file_block_length",
        "java_method",
        "reflect",
        "try_reflect",
    ] -%}
    {{ return("(?<![\\w.])(" ~ functions | join("|") ~ ")\\(|\\b(?:Sample) ") }}
{% endmacro %}
