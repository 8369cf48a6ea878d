{#
How a query follows changes, in the names of its own columns: as it is written, with its CTEs
inlined, or with subqueries as derived tables; in this order.
#}
{#
How the query follows changes; without the LIMIT that it ends in, see _judge_limited.

Args: spec, job, found (see _canonical), changed (names of tables).
Returns: mapping plan (delta plan), reads (see _canonical, of the query that was classified), whole
    (reads of one that names all tables), spec, job (of the query whose delta terms are made).
#}
{% macro _judge(spec, job, found, changed) %}
    {%- set limited = dbt_mview._limited_query(spec, job, found) -%}
    {%- if limited -%}
        {%- set judged = dbt_mview._judge_limited(limited, changed) -%}
        {{ return(dict(judged, spec=limited.spec, job=limited.job)) }}
    {%- endif -%}
    {{ return(dict(dbt_mview._judge_query(spec, job, found, changed), spec=spec, job=job)) }}
{% endmacro %}


{#
How it does as a whole; where it does not, and groups or windows below it may be why, with these as
derived tables. Args, Returns: see _judge (without spec, job).
#}
{% macro _judge_query(spec, job, found, changed) %}
    {%- set judged = dbt_mview._judge_whole(spec, job, found, changed) -%}
    {%- do judged.update({"whole": judged.reads}) -%}
    {%- set codes = [
        "AGGREGATE_NOT_TOP_NODE",
        "OPERATOR_NOT_INCREMENTAL",
        "SUBQUERY_NOT_INCREMENTAL",
        "WINDOWS_WITHOUT_COMMON_PARTITION_BY",
    ] -%}
    {%- set code = judged.plan.reason.code if judged.plan.reason else none -%}
    {%- if code not in codes and not judged.plan.crossed -%} {{ return(judged) }} {%- endif -%}
    {%- set query = dbt_mview._derived_query(spec, job, found, changed, judged.inlined) -%}
    {%- if query.reason and code -%}
        {%- set details = [judged.plan.reason.detail, query.reason.detail] -%}
        {%- set detail = details | select | unique | join("; ") -%}
        {%- set also = judged.plan.reason.also + ["derived_may_differ"] -%}
        {%- set reason = dict(judged.plan.reason, detail=detail, also=also) -%}
        {%- do judged.plan.update({"reason": reason}) -%}
    {%- endif -%}
    {%- if not query.derived -%} {{ return(judged) }}{%- endif -%}
    {%- set values = query.derived | selectattr("must_stay") | map(attribute="name") | list -%}
    {#- Where nothing but values is left, to compare these is to compute all of the query. -#}
    {%- if not query.reads.tables | reject("in", values) | list -%}
        {{ return(judged) }}
    {%- endif -%}
    {%- set around = dbt_mview._canonical(spec, job, query) -%}
    {%- set names = query.derived | rejectattr("must_stay") | map(attribute="name") | list -%}
    {%- set read = (changed + names) | select("in", query.reads.tables) | list -%}
    {%- set plan = dbt_mview._empty_delta_plan() -%}
    {%- if read -%}
        {%- set plan = dbt_mview._classify_repeatable(spec, job, around, read) -%}
    {%- endif -%}
    {%- if plan.reason or around.reason -%} {{ return(judged) }}{%- endif -%}
    {%- set text = plan["text"] or around.reads.bound_text -%}
    {%- do plan.update({"text": text, "derived": query.derived}) -%}
    {{ return({"plan": plan, "reads": around.reads, "whole": found.reads}) }}
{% endmacro %}


{#
How the query follows changes as it is written; where it does not, and CTEs may be why, as it reads
with these inlined. So inlining takes FAST from no query.

Args: see _judge. Returns: mapping plan, reads (see _judge), inlined (see _inlined_query; none: it
    was not asked for).
#}
{% macro _judge_whole(spec, job, found, changed) %}
    {%- set plan = dbt_mview._classify_repeatable(spec, job, found, changed) -%}
    {%- set judged = {"plan": plan, "reads": found.reads, "inlined": none} -%}
    {%- if not plan.reason -%} {{ return(judged) }} {%- endif -%}
    {%- set inlined = dbt_mview._inlined_query(spec, job, found) -%}
    {#- A table that only a CTE names which nobody reads is in no term. -#}
    {%- set read = changed | select("in", (inlined.reads or {}).get("tables", [])) | list -%}
    {%- if read -%}
        {%- set other = dbt_mview._canonical(spec, job, inlined) -%}
        {%- set plan = dbt_mview._classify_repeatable(spec, job, other, read) -%}
        {%- do plan.update({"text": plan["text"] or other.reads.bound_text}) -%}
        {{ return({"plan": plan, "reads": other.reads, "inlined": inlined}) }}
    {%- elif inlined.reason and "cte_is_kept" in plan.reason.also -%}
        {%- set detail = plan.reason.detail ~ "; " ~ inlined.reason -%}
        {%- do plan.update({"reason": dict(plan.reason, detail=detail)}) -%}
    {%- endif -%}
    {{ return(dict(judged, inlined=inlined)) }}
{% endmacro %}


{#
As _classify_query; and whether the tables that have not changed, and what the query computes of
them, come out the same in each delta term, see _nonrepeatable_static_input.

Args: spec, job (columns), found (see _canonical), changed (names of tables). Returns: delta plan.
#}
{% macro _classify_repeatable(spec, job, found, changed) %}
    {%- set plan = dict(dbt_mview._classify_query(spec, found, changed)) -%}
    {%- if not plan.reason -%}
        {%- set named = plan["keys"] -%}
        {%- set columns = job.columns | selectattr("name", "in", named) -%}
        {%- set types = columns | map(attribute="type") | join(" ") -%}
        {%- set tree = dbt_mview._query_tree(found.reads) -%}
        {%- set reason = dbt_mview._nonrepeatable_static_input(
            tree, found.reads, changed, types
        ) -%}
        {%- set why = dbt_mview._in_own_names(dbt_mview._no_delta_plan(reason), found).reason -%}
        {%- do plan.update({"reason": why}) -%}
    {%- endif -%}
    {{ return(plan) }}
{% endmacro %}


{# Args: spec, found (see _canonical), changed (names of tables). Returns: delta plan. #}
{% macro _classify_query(spec, found, changed) %}
    {%- if found.reason -%} {{ return(dbt_mview._no_delta_plan(found.reason)) }}{%- endif -%}
    {%- set plan = dbt_mview._classify(found.reads, found.columns, changed) -%}
    {%- if plan.reason -%}
        {%- set unique = [] -%}
        {%- set keys = spec.unique_key | map("lower") | list -%}
        {%- for name, own in found.names.items() if own | lower in keys -%}
            {%- do unique.append(name) -%}
        {%- endfor -%}
        {%- set unique = unique if found.names else spec.unique_key -%}
        {%- set plan = dbt_mview._affected_keys(found, unique, changed, plan.reason) -%}
    {%- endif -%}
    {{ return(dbt_mview._in_own_names(plan, found)) }}
{% endmacro %}


{#
A delta plan in the names of the query's own columns.

Args: plan (delta plan), found (see _canonical). Returns: delta plan.
#}
{% macro _in_own_names(plan, found) %}
    {%- if not found.names -%} {{ return(plan) }}{%- endif -%}
    {%- set own = dict(found.names) -%}
    {%- for name, made in found.reads.made.items() -%}
        {%- do own.update({made: name}) -%}
    {%- endfor -%}
    {%- set named = dict(plan) -%}
    {%- if plan.reason -%}
        {%- set detail = dbt_mview._words_renamed(plan.reason.detail or "", own) or none -%}
        {%- do named.update({"reason": dict(plan.reason, detail=detail)}) -%}
    {%- endif -%}
    {%- set keys = [] -%}
    {%- for key in plan["keys"] -%} {%- do keys.append(own[key]) -%} {%- endfor -%}
    {%- set renamed = {"values": {}, "averages": {}, "wanted": {}} -%}
    {%- for part, by_name in renamed.items() -%}
        {%- for name, value in plan[part].items() -%}
            {%- do by_name.update({own[name]: dbt_mview._value_renamed(part, value, own)}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- do named.update(
        {
            "keys": keys,
            "values": renamed["values"],
            "averages": renamed.averages,
            "wanted": renamed.wanted,
        }
    ) -%}
    {{ return(named) }}
{% endmacro %}


{# What a delta plan says of one column. Args: part (of it), value, own (made name -> own). #}
{% macro _value_renamed(part, value, own) %}
    {%- if part == "wanted" -%} {{ return(dbt_mview._words_renamed(value, own)) }}
    {%- elif part == "values" -%} {{ return(value) }}
    {%- endif -%}
    {%- set renamed = {} -%}
    {%- for role, name in value.items() -%}
        {%- do renamed.update({role: own.get(name, name)}) -%}
    {%- endfor -%}
    {{ return(renamed) }}
{% endmacro %}


{# Args: text, own (made name -> own). Returns: string. #}
{% macro _words_renamed(text, own) %}
    {%- set parts = [] -%}
    {%- for part in modules.re.split("(\\w+)", text) -%}
        {%- do parts.append(own.get(part, part)) -%}
    {%- endfor -%}
    {{ return(parts | join) }}
{% endmacro %}
