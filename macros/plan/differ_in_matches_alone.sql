{#
The operators of a plan that keep rows without a match, and whether another plan differs from it in
some of them alone.
#}
{#
Whether a plan is another one in which some operators show rows that match alone: outer joins are
inner ones, anti joins semi joins, EXCEPT is INTERSECT, and NOT is left out before EXISTS and IN.
The engine numbers the columns and CTEs of each plan anew.

Args: tree, rewritten (tree), places (indexes, see _unmatched). Returns: bool.
#}
{% macro _differ_in_matches_alone(tree, rewritten, places) %}
    {%- if tree | length != rewritten | length -%} {{ return(false) }}{%- endif -%}
    {%- set ids = {} -%}
    {%- for node in tree -%}
        {%- set other = rewritten[loop.index0] -%}
        {%- set text = dbt_mview._with_matches(tree, node, places) -%}
        {%- set number = "(#\\d+)" if node.cte is none else "((?:^|#)\\d+)" -%}
        {%- set ours = modules.re.split(number, text) -%}
        {%- set theirs = modules.re.split(number, other.text) -%}
        {%- set op = "Intersect" if node.op == "Except" and node.index in places else node.op -%}
        {%- if (op, node.depth, ours[::2]) != (other.op, other.depth, theirs[::2]) -%}
            {{ return(false) }}
        {%- endif -%}
        {%- for id in ours[1::2] -%}
            {%- set theirs_id = theirs[2 * loop.index0 + 1] -%}
            {%- if ids.setdefault(id, theirs_id) != theirs_id -%} {{ return(false) }}{%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}


{# The text of a node that shows matches alone. Args: see _differ_in_matches_alone. #}
{% macro _with_matches(tree, node, places) %}
    {%- if node.join_type == "FullOuter" and -node.index in places -%}
        {{ return("RightOuter" ~ node.text[node.join_type | length :]) }}
    {%- elif node.index in places and node.op == "Join" and not node.inner -%}
        {%- set joins = {
            "LeftOuter": "Inner",
            "RightOuter": "Inner",
            "FullOuter": "LeftOuter",
            "LeftAnti": "LeftSemi",
        } -%}
        {{ return(joins[node.join_type] ~ node.text[node.join_type | length :]) }}
    {%- endif -%}
    {%- set at = namespace(text=node.text) -%}
    {%- for index in places if tree[index | abs].inner and tree[index].parent == node.index -%}
        {%- set condition = tree[index].asked.condition -%}
        {%- set at.text = at.text.replace(condition, condition[4:]) -%}
    {%- endfor -%}
    {{ return(at.text) }}
{% endmacro %}


{#
The operators of a plan that keep rows without a match, in the order of their words in the text: the
words of a join and EXCEPT stand in front of the right side, NOT EXISTS and NOT IN in front of
their subqueries. A full join is there twice: to keep the rows of its left side, or of its right.

Args: tree. Returns: list of indexes: of a join or EXCEPT, or of a subquery's uppermost operator; a
    full join's the second time with a minus.
#}
{% macro _unmatched(tree) %}
    {%- set found = [] -%}
    {%- for index in dbt_mview._in_text_order(tree) -%}
        {%- set node = tree[index] -%}
        {%- if node.inner -%}
            {%- if node.asked and node.asked.type.startswith("not ") -%}
                {%- do found.append(index) -%}
            {%- endif -%}
        {%- elif node.position == 1 -%}
            {%- set above = tree[node.parent] -%}
            {%- set keeps = above.join_type in ["LeftOuter", "RightOuter", "LeftAnti"] -%}
            {%- set excepts = above.op == "Except" and dbt_mview._is_of_distinct_rows(above) -%}
            {%- if keeps or excepts -%} {%- do found.append(node.parent) -%}
            {%- elif above.join_type == "FullOuter" -%}
                {%- do found.extend([node.parent, -node.parent]) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Whether a query asks for matches that affected keys can follow: joins with an optional side, semi
and anti joins, EXISTS and IN, INTERSECT and EXCEPT. Args: tree. Returns: bool.
#}
{% macro _asks_for_matches(tree) %}
    {%- set sides = dbt_mview._rules().sides -%}
    {%- for node in tree if dbt_mview._rule_of(node).get("way") == "keys" -%}
        {{ return(true) }}
    {%- endfor -%}
    {%- for node in tree if node.asked or node.join_type in sides -%}
        {%- for side in sides[node.asked.type if node.asked else node.join_type] -%}
            {%- if side["keys"] in ["matched", "either"] -%} {{ return(true) }}{%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
