{#
Two facts about columns that only a plan tells: which maps are read as a whole, and which texts are
CHARs.
#}
{#
Columns of maps that the query reads as a whole. Delta's feed gives the entries of a map that has
more than four in another order than the table, so a text or a list of them differs. A value that is
taken by its key is the same.

Args: reads (see _canonical), columns (that the query uses). Returns: list of names.
#}
{% macro _whole_maps(reads, columns) %}
    {%- set found = [] -%}
    {%- for column in columns if "map<" in column.type -%}
        {%- set plain = modules.re.fullmatch("map<[^<>]*>", column.type) -%}
        {%- if reads.truncated or not plain or dbt_mview._is_seen_whole(
            dbt_mview._query_tree(reads), dbt_mview._as_printed(reads, column.name)
        ) -%}
            {%- do found.append(column.name) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Whether a column of maps is used for more than values by their keys, or the plan does not show it.

Args: tree, name. Returns: bool.
#}
{% macro _is_seen_whole(tree, name) %}
    {%- set attribute = "[^()#\\[\\],]*#\\d+" -%}
    {%- set same = attribute ~ "|cast\\(" ~ attribute ~ " as map<.*>\\)" -%}
    {%- set by_key = (
        "element_at|try_element_at|map_contains_key|size|cardinality|explode"
        "|explode_outer|isnotnull|isnull"
    ) -%}
    {%- set asked = "#\\d+(?=\\[)|(?<!\\w)(?:" ~ by_key ~ ")\\(" ~ attribute ~ "(?=[,)])" -%}
    {%- set ids = dbt_mview._aliases_of(tree, name, same) -%}
    {%- for node in tree if node.op not in ["Relation", "RelationV2", "View"] -%}
        {%- set asks = dbt_mview._are_any_in(node.references, ids) -%}
        {%- for part in (dbt_mview._split_list(node.text) if asks else []) -%}
            {%- set is_list = part.startswith("[") and part.endswith("]") -%}
            {%- set items = dbt_mview._split_list(part[1:-1]) if is_list else [part] -%}
            {%- for item in items -%}
                {%- set text = dbt_mview._plan_item(item).expression -%}
                {%- set rest = "" if modules.re.fullmatch(same, text) else text -%}
                {%- set others = modules.re.findall("#(\\d+)", modules.re.sub(asked, "", rest)) -%}
                {%- if dbt_mview._are_any_in(others, ids) -%} {{ return(true) }} {%- endif -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{#
The CHARs that a query reads, which its plan pads. Args: reads (see _reads). Returns: list of names.
#}
{% macro _padded_columns(reads) %}
    {{ return(modules.re.findall("readSidePadding\\(([^#]*)#", reads.plan)) }}
{% endmacro %}


{#
The CHARs of a table, as the plan pads them where it reads them; it prints no more than 25 columns.

Args: relation (name), version, columns (that are asked for). Returns: list of texts.
#}
{% macro _char_columns_at(relation, version, columns) %}
    {%- set texts = [] -%}
    {%- for column in columns if "string" in column.type -%}
        {%- do texts.append(column.name) -%}
    {%- endfor -%}
    {%- set table = dbt_mview._quoted_name(relation) ~ " version as of " ~ version -%}
    {%- set found = [] -%}
    {%- for some in texts | batch(20) -%}
        {%- set query = "select " ~ dbt_mview._quote_all(some) ~ " from " ~ table -%}
        {%- set plan = dbt_mview._read("chars", "explain extended " ~ query).rows[0][0] -%}
        {%- for padded in modules.re.findall("readSidePadding\\([^,]*, \\d+\\)", plan) -%}
            {%- do found.append(modules.re.sub("#\\d+", "", padded)) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found | unique | sort) }}
{% endmacro %}
