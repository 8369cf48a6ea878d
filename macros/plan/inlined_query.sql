{#
The query that is classified where the user's has CTEs that are read several times: the same one
with these inlined, if the engine's plans of both say that it is the same.
#}
{#
Args: spec, job (reads, bindings), found (see _canonical, of the query as it is written), always
    (bool: also where each CTE is read once).
Returns: mapping text (the query with its CTEs and the texts of views inlined; none if that would
    help nothing, or cannot be), reads (see _reads, of it; none without a text), columns (of the
    tables, see _canonical; lacks without a text), reason (string, which CTE stays and why, or
    none).
#}
{% macro _inlined_query(spec, job, found, always=false) %}
    {%- set told = {"text": none, "reads": none, "reason": none} -%}
    {%- if found.reason -%} {{ return(told) }}{%- endif -%}
    {%- set made = dbt_mview._inline_ctes(found.reads.bound_text) -%}
    {%- if made.why -%}
        {{ return(dict(told, reason=dbt_mview._which_cte_stays(made, job.bindings))) }}
    {%- elif made.sql is none or not (always or made.many or made.deep) -%} {{ return(told) }}
    {%- endif -%}
    {%- set written = (
        dbt_mview._reads(
            dbt_mview._foretold_in(found.reads.bound_text, spec.namespace)
        )
        if job.reads.views
        else dict(job.reads)
    ) -%}
    {%- set reads = dbt_mview._reads(dbt_mview._foretold_in(made.sql, spec.namespace)) -%}
    {#- If a query does not analyze, EXPLAIN prints why instead of a plan. -#}
    {%- if not reads.plan.startswith("Project [") or not dbt_mview._reads_alike(written, reads) -%}
        {{ return(dict(told, reason="its CTEs stay: without them Spark has another plan")) }}
    {%- endif -%}
    {{ return(dict(told, text=made.sql, reads=reads, columns=found.reads.columns)) }}
{% endmacro %}


{# Args: made (see _inline_ctes), bindings (see _bindings). Returns: string. #}
{% macro _which_cte_stays(made, bindings) %}
    {%- for name, view in bindings.items() if view and view.kind == "view" -%}
        {%- set inner = dbt_mview._inline_ctes(view.text) -%}
        {%- if inner.why -%}
            {%- set short = dbt_mview._short_name(name) -%}
            {{ return("the CTE " ~ inner.cte ~ " of the view " ~ short ~ " stays: " ~ inner.why) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return("the CTE " ~ made.cte ~ " stays: " ~ made.why) }}
{% endmacro %}


{#
Whether two plans do the same with the same tables, one of them by way of CTEs. The engine numbers
the columns of each plan anew, and so does _reads the literals that others stand in for.

Args: written, inlined (see _reads). Returns: bool.
#}
{% macro _reads_alike(written, inlined) %}
    {%- set texts = [] -%}
    {%- for reads in [written, inlined] -%}
        {%- set tree = dbt_mview._query_tree(reads) -%}
        {%- set below = {} -%}
        {%- for node in tree -%}
            {%- do below.setdefault(node.parent, []).append(node) -%}
        {%- endfor -%}
        {%- do texts.append(dbt_mview._without_ctes(tree, tree[0], below)) -%}
    {%- endfor -%}
    {{ return(texts[0] == texts[1]) }}
{% endmacro %}


{#
A plan from one operator down, with CTEs where they are read, and without what only gives names.

Args: tree, node, below (index -> the nodes below it, subqueries too). Returns: text.
#}
{% macro _without_ctes(tree, node, below) %}
    {%- if node.op == "CTERelationRef" -%}
        {%- if node.definition is none -%} {{ return("?") }}{%- endif -%}
        {{ return(dbt_mview._without_ctes(tree, tree[node.definition + 1], below)) }}
    {%- endif -%}
    {%- set parts = [] -%}
    {%- for other in below.get(node.index, []) if other.op != "CTERelationDef" -%}
        {%- do parts.append(dbt_mview._without_ctes(tree, other, below)) -%}
    {%- endfor -%}
    {%- if node.op in ["SubqueryAlias", "WithCTE"] -%} {{ return(parts | join("\n")) }}{%- endif -%}
    {%- set text = modules.re.sub("#\\d+L?|(?<=text)\\d+(?=_)", "", node.text) -%}
    {{ return(node.op ~ " " ~ text ~ "\n(" ~ parts | join("\n") ~ ")") }}
{% endmacro %}
