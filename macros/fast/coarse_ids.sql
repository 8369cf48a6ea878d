{#
The attributes whose values may be equal and not the same: 0.0 and -0.0, 'a' and 'A' under a
collation. The rows of one group or window may differ in them, and what is made of them above it
may be another value for each.

Args: tree (see _plan_tree), reads (see _canonical).
Returns: list of ids; those of other columns of the same name may be among them.
#}
{% macro _coarse_ids(tree, reads) %}
    {%- set groups = tree | selectattr("op", "in", ["Aggregate", "Window", "Distinct"]) -%}
    {%- if not groups | list -%} {{ return([]) }}{%- endif -%}
    {%- set found = {} -%}
    {%- set names = dbt_mview._coarse_names(reads) -%}
    {%- set named = "(?i)(?<!\\w)(?:" ~ names | join("|") ~ ")#(\\d+)" -%}
    {%- for node in tree if names -%}
        {%- for id in modules.re.findall(named, node.text) -%}
            {%- do found.update({id: true}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set made = dbt_mview._made_of(tree) -%}
    {%- for id in dbt_mview._unprinted(tree, made) -%}
        {%- do found.update({id: true}) -%}
    {%- endfor -%}
    {%- set before = namespace(count=-1) -%}
    {%- for _ in made if before.count != found | length -%}
        {%- set before.count = found | length -%}
        {%- for one in made if one.coarse or one.uses | select("in", found) | list -%}
            {%- do found.update({one.id: true}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found | list) }}
{% endmacro %}
