{#
ORDER BY ... LIMIT at the end of a query: the query without its LIMIT is followed as any other, and
of its changed rows and the view's own the first ones are the view's new rows.
#}
{#
The query without the LIMIT that its result ends in, be it in a last CTE (`final as (... limit 10)
select * from final`). Nothing else may read `limit 10`, and the engine's plans of both must be the
same but for the LIMIT on top.

Args: spec (definition), job (bindings, reads), found (see _canonical, of the query as written).
Returns: mapping count (int), spec, job, found (see _canonical): of the query without it; or none,
    where the result does not end in a LIMIT of one to a million rows.
#}
{% macro _limited_query(spec, job, found) %}
    {%- if found.reason -%} {{ return(none) }}{%- endif -%}
    {%- set tree = dbt_mview._query_tree(found.reads) -%}
    {%- set at = dbt_mview._top_node(tree, "GlobalLimit") -%}
    {%- if at is none -%} {{ return(none) }}{%- endif -%}
    {%- set tokens = dbt_mview._tokens(spec.definition) -%}
    {%- set words = tokens[1::3] | map("lower") | list + [""] -%}
    {%- set places = [] -%}
    {%- for word in words[:-1] -%}
        {%- if word == "limit" and modules.re.fullmatch("\\d+", words[loop.index]) -%}
            {%- do places.append(loop.index0) -%}
        {%- endif -%}
    {%- endfor -%}
    {#- Not `limit 3 + 4`, `limit 5 offset 2`, nor `|> limit 5`. -#}
    {%- set ends = words[places[0] + 2] in ["", ")"] if places else false -%}
    {%- if places | length != 1 or not ends or words[places[0] - 1] == "|>" -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set count = words[places[0] + 1] | int -%}
    {%- if not 1 <= count <= 1000000 -%} {{ return(none) }}{%- endif -%}
    {%- set after = tokens[3 * places[0] + 6 :] | join -%}
    {%- set text = tokens[: 3 * places[0]] | join ~ " " ~ after -%}
    {%- set pinned = dbt_mview._bind(text, job.bindings, spec.namespace).sql -%}
    {%- set reads = dbt_mview._reads(dbt_mview._foretold_in(pinned, spec.namespace)) -%}
    {%- if dbt_mview._why_not_analyzed(reads) -%} {{ return(none) }}{%- endif -%}
    {%- set own, whole = dict(spec, definition=text), dict(job, reads=reads) -%}
    {%- set without = dbt_mview._canonical(own, whole) -%}
    {%- set ops = tree | map(attribute="op") | list -%}
    {%- set ops = ops[:at] + ops[at + 2 :] -%}
    {%- set same = ops == dbt_mview._query_tree(without.reads) | map(attribute="op") | list -%}
    {%- if without.reason or not same -%} {{ return(none) }}{%- endif -%}
    {{ return({"count": count, "spec": own, "job": whole, "found": without}) }}
{% endmacro %}


{#
Args: tree, op. Returns: index of that operator, if all above it passes rows on, each one once; or
    none.
#}
{% macro _top_node(tree, op) %}
    {%- set at = namespace(node=tree[0]) -%}
    {%- for _ in tree -%}
        {%- set node = at.node -%}
        {%- if node.op == op -%} {{ return(node.index) }}
        {%- elif node.op == "CTERelationRef" and node.definition is not none -%}
            {%- set at.node = tree[node.definition] -%}
            {%- if at.node.uses | length != 1 -%} {{ return(none) }}
            {%- endif -%}
        {%- elif node.children and node.op in [
            "Project",
            "SubqueryAlias",
            "WithCTE",
            "CTERelationDef",
        ] -%}
            {%- set at.node = tree[node.children[-1]] -%}
        {%- else -%} {{ return(none) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
How a query follows changes that ends in a LIMIT: as a row delta of its first rows, where it is
followed without the LIMIT and its ORDER BY leaves nothing open.

Args: limited (see _limited_query), changed (names of tables).
Returns: see _judge_query; the delta plan has first_rows: mapping count, order (list of SQL texts,
    of the view's columns), strategy, keys and text (of the query without the LIMIT).
#}
{% macro _judge_limited(limited, changed) %}
    {%- set spec, job, found = limited.spec, limited.job, limited.found -%}
    {%- set judged = dbt_mview._judge_query(spec, job, found, changed) -%}
    {%- set plan = judged.plan -%}
    {%- if plan.reason or plan.strategy == "nothing" -%} {{ return(judged) }}{%- endif -%}
    {%- set order = dbt_mview._order_of_result(found) -%}
    {%- set reason = dbt_mview._why_open_limit(spec, job, plan, order) -%}
    {%- if reason -%}
        {{ return(dict(judged, plan=dbt_mview._no_delta_plan(reason))) }}
    {%- endif -%}
    {%- set items = [] -%}
    {%- for one in order -%}
        {%- do items.append(dbt_mview._quote(one.name) ~ " " ~ one.direction) -%}
    {%- endfor -%}
    {%- do plan.update(
        {
            "strategy": "row delta",
            "keys": job.columns | map(attribute="name") | list,
            "values": {},
            "one_row": false,
            "averages": {},
            "wanted": {},
            "lacks": none,
            "as_text": dbt_mview._compared_as_text(job.columns),
            "first_rows": {
                "count": limited.count,
                "order": items,
                "strategy": plan.strategy,
                "keys": plan["keys"],
                "text": spec.definition,
            },
        }
    ) -%}
    {{ return(judged) }}
{% endmacro %}


{#
What the result is ordered by.

Args: found (see _canonical). Returns: list of mappings name (of the query's column; none of what
    the result lacks), direction.
#}
{% macro _order_of_result(found) %}
    {%- set tree = dbt_mview._query_tree(found.reads) -%}
    {%- set at = dbt_mview._top_node(tree, "Sort") -%}
    {%- set order = [] -%}
    {%- for item in (tree[at].order if at is not none else []) -%}
        {%- set ids = [] if item.id is none else dbt_mview._copies(tree, [item.id]) -%}
        {%- set shown = tree[0].columns | selectattr("id", "in", ids) | list -%}
        {%- set name = shown[0].name if shown else none -%}
        {%- do order.append({"name": found.names.get(name, name), "direction": item.direction}) -%}
    {%- endfor -%}
    {{ return(order) }}
{% endmacro %}


{#
Why a LIMIT does not say which rows it takes, as far as the plan and unique_key tell.

Args: spec (unique_key), job (columns), plan (see _classify), order (see _order_of_result).
Returns: reason, or none.
#}
{% macro _why_open_limit(spec, job, plan, order) %}
    {%- set names = order | map(attribute="name") | list -%}
    {%- set by = names | select("string") | map("lower") | list -%}
    {%- set own = plan["keys"] | map("lower") | list -%}
    {%- set unique = spec.unique_key | map("lower") | list -%}
    {%- set all_ = job.columns | map(attribute="name") | map("lower") | list -%}
    {%- set total = namespace(found=false) -%}
    {%- for key in [all_, unique, own if plan.one_row else []] if key -%}
        {%- if not key | reject("in", by) | list -%} {%- set total.found = true -%} {%- endif -%}
    {%- endfor -%}
    {%- set rows = dbt_mview._consolidation_keys(job.columns) -%}
    {%- set detail = none -%}
    {%- if not order -%} {%- set detail = "LIMIT without ORDER BY" -%}
    {%- elif none in names -%} {%- set detail = "LIMIT: the result lacks what it is ordered by" -%}
    {%- elif not total.found -%} {%- set detail = "LIMIT: its ORDER BY leaves rows open" -%}
    {%- elif rows is none or not plan["keys"] -%}
        {%- set detail = "LIMIT over rows that cannot be compared" -%}
    {%- endif -%}
    {%- if detail is none -%} {{ return(none) }}{%- endif -%}
    {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", detail, ["limit_is_open"])) }}
{% endmacro %}


{# Args: plan (delta plan, without a reason). Returns: string, its strategy as people read it. #}
{% macro _strategy_name(plan) %}
    {{ return("first rows" if plan.first_rows else plan.strategy) }}
{% endmacro %}
