{#
Can this query be FAST? The entry: the delta plan of a refresh, or the reason why there is none. The
checks are in the order in which they are asked.
#}
{#
The exact way to follow the changes, or the reason why there is none.

Args: spec, job, first (bool: there is no baseline; only the query is classified), alone (names of
    tables: with first, for changes of these; none: of all).
Returns: delta plan, see _delta_plan_record.
#}
{% macro _delta_plan(spec, job, first, alone=none) %}
    {%- if job.reads.nondeterministic -%}
        {%- set calls = job.reads.nondeterministic | join(", ") -%}
        {{
            return(
                dbt_mview._no_delta_plan(dbt_mview._reason("EXPRESSION_NOT_DETERMINISTIC", calls))
            )
        }}
    {%- elif job.unbound -%}
        {%- set names = job.unbound | join(", ") -%}
        {%- set also = ["view_made_elsewhere"] if job.made_elsewhere else [] -%}
        {{ return(dbt_mview._no_delta_plan(dbt_mview._reason("SOURCE_NOT_BOUND", names, also))) }}
    {%- elif job.at_two_times -%}
        {%- set names = job.at_two_times.keys() | join(", ") -%}
        {{ return(dbt_mview._no_delta_plan(dbt_mview._reason("SOURCE_AT_TWO_TIMES", names))) }}
    {%- endif -%}
    {#- What is decided must not fail any more: constraints are checked on the stage. -#}
    {%- set of_group = none -%}
    {%- if job.waits and spec.layout.constraints -%}
        {%- set of_group = dbt_mview._reason("CONSTRAINTS_OF_A_GROUP") -%}
    {%- endif -%}
    {%- if first and of_group -%} {{ return(dbt_mview._no_delta_plan(of_group)) }}{%- endif -%}
    {%- set other = [
        "TARGET_CHANGED",
        "DEFINITION_CHANGED",
        "TIME_ZONE_CHANGED",
        "configuration_changed",
    ] -%}
    {%- if not first and job.reason.code in other and "by_alter" not in job.reason.also -%}
        {{ return(dbt_mview._no_delta_plan(job.reason)) }}
    {%- endif -%}
    {%- if not first and job.publish != "insert" -%}
        {%- set changed = dbt_mview._reason("SCHEMA_CHANGED", job.schema_change) -%}
        {{ return(dbt_mview._no_delta_plan(changed)) }}
    {%- endif -%}
    {%- for column in job.columns -%}
        {#- As on_schema_change has it: cast, or NULL. Two keys may become one by that. -#}
        {%- if column.expression | lower != dbt_mview._quote(column.name) | lower -%}
            {%- set kept = "on_schema_change keeps " ~ column.name ~ " as it was" -%}
            {{
                return(
                    dbt_mview._no_delta_plan(
                        dbt_mview._reason("SCHEMA_CHANGED", kept, ["column_kept"])
                    )
                )
            }}
        {%- endif -%}
    {%- endfor -%}
    {%- set text = dbt_mview._bind(spec.definition, job.bindings, spec.namespace).sql -%}
    {%- set words = dbt_mview._words(text) -%}
    {%- set reason = dbt_mview._why_not_deterministic(words) -%}
    {%- if reason -%} {{ return(dbt_mview._no_delta_plan(reason)) }}{%- endif -%}
    {%- set news = {"reason": none, "changes": []} -%}
    {%- if not first -%} {%- set news = dbt_mview._source_changes(job) -%} {%- endif -%}
    {%- if news.reason -%}
        {{ return(dbt_mview._no_delta_plan(of_group or news.reason)) }}
    {%- endif -%}
    {%- for change in news.changes if not (change.get("log") or change.compared) -%}
        {%- set reason = dbt_mview._why_repartitioned(change) -%}
        {%- set name = dbt_mview._short_name(change.relation) -%}
        {%- if reason -%}
            {{ return(dbt_mview._no_delta_plan(dbt_mview._reason_at(reason, name))) }}
        {%- endif -%}
    {%- endfor -%}
    {%- set moved, other_columns = [], [] -%}
    {%- for change in news.changes -%}
        {%- if change.inserts or change.deletes -%} {%- do moved.append(change.relation) -%}
        {%- elif change.get("columns_since") is not none -%} {%- do other_columns.append(change) -%}
        {%- endif -%}
    {%- endfor -%}
    {#- Whatever is said first: a change of tblproperties comes with it, too. -#}
    {%- set another_day = not first and job.date_change is not none -%}
    {%- if not (first or moved or other_columns or another_day) -%}
        {{ return(dbt_mview._empty_delta_plan(news.changes)) }}
    {%- endif -%}
    {%- if of_group -%} {{ return(dbt_mview._no_delta_plan(of_group)) }}{%- endif -%}
    {%- set found = dbt_mview._canonical(spec, job) -%}
    {%- set unlike = none if found.reason else dbt_mview._why_gathered_unlike(found.reads) -%}
    {%- if unlike -%} {{ return(dbt_mview._no_delta_plan(unlike)) }}{%- endif -%}
    {%- for change in news.changes if dbt_mview._columns_differ(found.reads, change) -%}
        {%- set name = dbt_mview._short_name(change.relation) -%}
        {{ return(dbt_mview._no_delta_plan(dbt_mview._reason("SCHEMA_CHANGED", name))) }}
    {%- endfor -%}
    {%- for change in news.changes if change.compared -%}
        {%- set reason = dbt_mview._why_not_compared(spec, change) -%}
        {%- if not reason -%}
            {%- set reason = dbt_mview._count_compared(found.reads, change) -%}
        {%- endif -%}
        {%- if reason -%}
            {{ return(dict(dbt_mview._no_delta_plan(reason), changes=news.changes)) }}
        {%- endif -%}
        {%- if not change.rows -%} {%- do moved.remove(change.relation) -%} {%- endif -%}
    {%- endfor -%}
    {%- if not (first or moved or another_day) -%}
        {{ return(dbt_mview._empty_delta_plan(news.changes)) }}
    {%- endif -%}
    {%- set dated = [] -%}
    {%- if another_day and not found.reason -%}
        {%- set dated = dbt_mview._dated_filters(job, found.reads) -%}
    {%- endif -%}
    {%- set let_in = dated | map(attribute="relation") | list -%}
    {%- set changed = (alone or job.reads.tables) if first else (moved + let_in) | unique | list -%}
    {%- if another_day and not dated -%}
        {{ return(dbt_mview._no_delta_plan(job.reason)) }}
    {%- endif -%}
    {%- set judged = dbt_mview._judge(spec, job, found, changed) -%}
    {#- What enters and leaves by the clock is looked for in the query as it is written. -#}
    {%- if dated and judged.plan.first_rows -%}
        {{ return(dbt_mview._no_delta_plan(job.reason)) }}
    {%- endif -%}
    {%- set plan, reads = dict(judged.plan, changes=news.changes), judged.reads -%}
    {%- if another_day and not plan.reason -%}
        {%- set known = dated if reads is sameas(found.reads) else none -%}
        {%- set plan = dbt_mview._dated_plan(job, plan, reads, known, changed) -%}
    {%- endif -%}
    {%- if not plan.reason -%}
        {%- do plan.update({"reason": dbt_mview._view_casts(job.bindings)}) -%}
    {%- endif -%}
    {%- if not plan.reason -%}
        {%- do plan.update({"reason": dbt_mview._why_not_fast(spec, job, plan, first)}) -%}
    {%- endif -%}
    {%- if not plan.reason and not first -%}
        {%- set derived = plan.derived -%}
        {%- for change in news.changes -%}
            {%- do dbt_mview._note_used_columns(judged.whole, change) -%}
            {%- do dbt_mview._note_derived_columns(derived, change) -%}
            {%- set lacks = dbt_mview._log_lacks(job.reads, change) -%}
            {%- set lacks = lacks or dbt_mview._why_not_as_it_was(derived, change) -%}
            {%- if lacks -%} {{ return(dbt_mview._no_delta_plan(lacks)) }}{%- endif -%}
        {%- endfor -%}
        {%- set moved_value = dbt_mview._why_moved(derived, news.changes) -%}
        {%- if moved_value -%} {{ return(dbt_mview._no_delta_plan(moved_value)) }}{%- endif -%}
        {%- set terms = dbt_mview._delta_terms(judged.spec, judged.job, reads, plan) -%}
        {%- do plan.update({"terms": terms}) -%}
        {%- if plan.terms | rejectattr("bound") | list -%}
            {%- do plan.update({"reason": dbt_mview._not_bound("a subquery does not fit")}) -%}
        {%- endif -%}
    {%- endif -%}
    {{ return(plan) }}
{% endmacro %}
