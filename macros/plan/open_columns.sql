{#
Which columns of its result a query leaves open: what the order of rows decides where it is no total
one (row_number() over ties, first(), LIMIT), and what changes by itself (rand, current_date).
#}
{#
The columns whose values may be others the next time, by the plan. The others are determined: as
they stand beside each other, they have the same rows each time, unless the rows are open too.

Args: reads (see _reads). Returns: mapping columns (list of names), rows (bool: how many rows there
    are is open, or what a column is compared with is), by_itself (list of what it calls that
    changes by itself); or none, where the plan does not tell.
#}
{% macro _open_columns(reads) %}
    {%- set tree = dbt_mview._query_tree(reads) -%}
    {%- for node in tree if node.truncated or not node.understood -%}
        {{ return(none) }}
    {%- endfor -%}
    {%- set found = {"ids": {}, "rows": false, "by_itself": []} -%}
    {%- set before = namespace(count=-1) -%}
    {#- Children are printed below, but for what a CTE is defined as. -#}
    {%- for _ in tree if before.count != found.ids | length -%}
        {%- set before.count = found.ids | length -%}
        {%- for node in tree | reverse -%}
            {%- do dbt_mview._note_open(tree, node, found) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- for node in tree if node.inner and dbt_mview._are_any_in(node.output, found.ids) -%}
        {%- do found.update({"rows": true}) -%}
    {%- endfor -%}
    {%- set columns = tree[0].columns | selectattr("id", "in", found.ids) -%}
    {{
        return(
            {
                "columns": columns | map(attribute="name") | list,
                "rows": found.rows,
                "by_itself": found.by_itself | unique | list,
            }
        )
    }}
{% endmacro %}


{# What one operator leaves open. Args: tree, node, found. Sets ids, rows, by_itself of it. #}
{% macro _note_open(tree, node, found) %}
    {%- set below = [] -%}
    {%- for child in node.children -%} {%- do below.extend(tree[child].output) -%} {%- endfor -%}
    {%- if node.op in ["Project", "Aggregate", "Window"] -%}
        {%- do dbt_mview._note_open_items(node, below, found) -%}
    {%- elif node.op in ["GlobalLimit", "LocalLimit", "Offset"] -%}
        {%- do dbt_mview._open_all_but(found, below, dbt_mview._order_below(tree, node)) -%}
    {%- elif node.op in ["CTERelationRef", "Union"] -%}
        {%- do dbt_mview._note_open_by_position(tree, node, found) -%}
    {%- elif node.op in ["Filter", "Join", "Generate", "Expand"] -%}
        {%- if dbt_mview._nondeterministic_calls(node.text) -%}
            {%- do found.update({"rows": true}) -%}
        {%- elif dbt_mview._are_any_in(node.references, found.ids) -%}
            {%- do dbt_mview._note_chosen_rows(tree, node, found) -%}
        {%- endif -%}
    {%- elif node.op in ["Sample", "ScriptTransformation"] or (
        node.op in ["Distinct", "Except", "Intersect"]
        and dbt_mview._are_any_in(below, found.ids)
    ) -%}
        {%- do found.update({"rows": true}) -%}
    {%- endif -%}
{% endmacro %}


{# The columns that an operator makes. Args: node, below (ids), found. #}
{% macro _note_open_items(node, below, found) %}
    {%- set total = below and not below | reject("in", dbt_mview._ordered_by(node)) | list -%}
    {%- for column in node.columns -%}
        {%- set calls = dbt_mview._nondeterministic_calls(column.expression) -%}
        {%- do found.by_itself.extend(calls) -%}
        {%- set of_open = calls or dbt_mview._are_any_in(column.references, found.ids) -%}
        {%- if of_open or (not total and dbt_mview._depends_on_order(node, column)) -%}
            {%- do found.ids.update({column.id: true}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if node.op == "Aggregate" -%}
        {%- set keys = node.group_keys | map(attribute="key") | join(" ") -%}
        {%- set of_open = dbt_mview._are_any_in(node.decides, found.ids) -%}
        {%- if of_open or dbt_mview._nondeterministic_calls(keys) -%}
            {%- do found.update({"rows": true}) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}


{#
Whether a column that an Aggregate or a Window computes depends on the order of equal rows. What is
sorted or counted afterwards does not; nor do ranks, and frames that end with equal rows.
#}
{% macro _depends_on_order(node, column) %}
    {%- if node.op == "Project" -%} {{ return(false) }}{%- endif -%}
    {%- set sorting = "sort_array|array_sort|size|cardinality|array_size" -%}
    {%- set sorted = "\\b(?:" ~ sorting ~ ")\\(collect_\\w+\\(" -%}
    {%- set text = modules.re.sub(sorted, "sorted((", column.expression) -%}
    {%- set names = dbt_mview._unordered_functions() -%}
    {%- set by_place = "row_number|ntile|lag|lead|nth_value" -%}
    {%- set unordered = "\\b(?:" ~ names | join("|") ~ "|" ~ by_place ~ ")\\(" -%}
    {%- if modules.re.search(unordered, text) -%} {{ return(true) }}{%- endif -%}
    {%- set ranks = modules.re.search("\\b(?:rank|dense_rank|percent_rank|cume_dist)\\(", text) -%}
    {%- set whole = "RowFrame, unboundedpreceding\\$\\(\\), unboundedfollowing\\$\\(\\)" -%}
    {%- set frames = modules.re.sub(whole, "", text) -%}
    {{ return("RowFrame" in frames and not ranks) }}
{% endmacro %}


{# What a UNION or a CTE puts out is what is below at the same position. #}
{% macro _note_open_by_position(tree, node, found) %}
    {%- set read = dbt_mview._read_from_cte(tree, node) if node.op != "Union" else none -%}
    {%- set branches = [] -%}
    {%- for child in node.children -%} {%- do branches.append(tree[child].output) -%} {%- endfor -%}
    {%- if node.op != "Union" -%}
        {%- do branches.append((read or {}).values() | list) -%}
    {%- endif -%}
    {%- for branch in branches -%}
        {%- if branch | length != node.output | length -%}
            {%- do found.update({"rows": found.rows or found.ids | length > 0}) -%}
        {%- endif -%}
        {%- for id in branch[: node.output | length] if id in found.ids -%}
            {%- do found.ids.update({node.output[branch.index(id)]: true}) -%}
        {%- endfor -%}
    {%- endfor -%}
{% endmacro %}


{#
A condition on what is open. On the row_number() of a window, it leaves open which of some equal
rows are taken, and not what they were partitioned and ordered by.
#}
{% macro _note_chosen_rows(tree, node, found) %}
    {%- set asked = node.references | select("in", found.ids) | list -%}
    {%- for child in node.children if node.op in ["Filter", "Join"] -%}
        {%- set window = dbt_mview._window_below(tree, child, found.ids) -%}
        {%- if window -%}
            {%- set own = tree[child].output -%}
            {%- set numbers = [] -%}
            {%- for column in window.columns if column.expression.startswith("row_number() ") -%}
                {%- do numbers.append(column.id) -%}
            {%- endfor -%}
            {%- set kept = dbt_mview._copies(tree, dbt_mview._ordered_by(window) + numbers) -%}
            {%- set others = node.references | select("in", own) | list + asked -%}
            {%- if not others | reject("in", kept) | list -%}
                {%- do dbt_mview._open_all_but(found, own, kept) -%} {{ return(none) }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do found.update({"rows": true}) -%}
{% endmacro %}


{# The window whose rows, all of them, an operator has. Returns: node, or none. #}
{% macro _window_below(tree, index, open) %}
    {%- set at = namespace(node=tree[index]) -%}
    {%- for _ in tree -%}
        {%- set ids = at.node.columns | map(attribute="id") | list -%}
        {%- if at.node.op == "Window" and dbt_mview._are_any_in(ids, open) -%} {{ return(at.node) }}
        {%- elif at.node.op not in ["Project", "SubqueryAlias", "View", "Window"] -%}
            {{ return(none) }}
        {%- endif -%}
        {%- set at.node = tree[at.node.children[0]] -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# The columns by which a LIMIT takes its rows; all, where they order all. Returns: list of ids. #}
{% macro _order_below(tree, node) %}
    {%- set passing = ["GlobalLimit", "LocalLimit", "Offset", "Project", "SubqueryAlias"] -%}
    {%- set at = namespace(node=node) -%}
    {%- for _ in tree if at.node.op in passing and at.node.children -%}
        {%- set at.node = tree[at.node.children[0]] -%}
    {%- endfor -%}
    {#- SORT BY, which orders within partitions alone, is none. -#}
    {%- set order = at.node.order | map(attribute="id") | reject("none") | list -%}
    {%- if order and not at.node.output | reject("in", order) | list -%}
        {{ return(node.output) }}
    {%- endif -%}
    {{ return(dbt_mview._copies(tree, order)) }}
{% endmacro %}


{# What a Window is partitioned and ordered by. Args: node. Returns: list of ids. #}
{% macro _ordered_by(node) %}
    {%- if node.op != "Window" -%} {{ return([]) }}{%- endif -%}
    {%- set column = "[^()#]*#(\\d+)L?(?: (?:ASC|DESC) NULLS \\w+)?" -%}
    {%- set ids = [] -%}
    {%- for text in dbt_mview._lists("Window", node.text)[1:] | sum(start=[]) -%}
        {%- set plain = modules.re.fullmatch(column, text) -%}
        {%- if plain -%} {%- do ids.append(plain.group(1)) -%} {%- endif -%}
    {%- endfor -%}
    {{ return(ids) }}
{% endmacro %}


{# Args: found, ids, kept (lists of ids). Sets ids of it. #}
{% macro _open_all_but(found, ids, kept) %}
    {%- for id in ids if id not in kept -%} {%- do found.ids.update({id: true}) -%} {%- endfor -%}
{% endmacro %}
