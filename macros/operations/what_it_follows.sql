{#
The changes of which sources a query follows: of all at once, else of each alone, as far as these
keep what changes in them.
#}
{#
Args: spec, query (see _query_of_model). Returns: mapping reads, follows (lists of names
    schema.identifier), strategy and keys (of what it follows, or none and []), only_while (what
    must hold besides, see _must_hold), reason (why not all; or none).
#}
{% macro _what_it_follows(spec, query) %}
    {%- set none_of = {
        "reads": [],
        "follows": [],
        "strategy": none,
        "keys": [],
        "only_while": none,
    } -%}
    {%- if query.why -%}
        {%- set why = dbt_mview._reason("not_known_yet", query.why) -%}
        {{ return(dict(none_of, reason=why)) }}
    {%- endif -%}
    {%- set dated = dbt_mview._dated_where_safe(query.sql) -%}
    {%- set reads = dbt_mview._reads(dated.sql) -%}
    {%- set why = dbt_mview._why_not_analyzed(reads) -%}
    {%- if why -%}
        {{ return(dict(none_of, reason=dbt_mview._reason("not_known_yet", why))) }}
    {%- endif -%}
    {%- if dated.today -%}
        {%- set today = dated.today -%}
        {%- set definition = dbt_mview._dated(
            spec.definition, today.day, today.get("moment")
        ).sql -%}
        {%- do spec.update({"definition": definition}) -%}
    {%- endif -%}
    {%- set bound = dbt_mview._bindings(spec.definition, reads, spec.namespace) -%}
    {%- do reads.update({"nondeterministic": dbt_mview._nondeterministic(reads, bound)}) -%}
    {%- set columns = dbt_mview._describe_query(dated.sql) -%}
    {%- set job = dbt_mview._job_record(
        {
            "spec": spec,
            "reads": reads,
            "bindings": bound.bindings,
            "unbound": bound.unbound,
            "made_elsewhere": bound.made_elsewhere,
            "travelled": bound.travelled,
            "at_two_times": bound.at_two_times,
            "columns": columns,
            "order": columns | map(attribute="name") | map("lower") | list,
            "reason": dbt_mview._reason("first_build"),
            "waits": spec.refresh_group is not none,
        }
    ) -%}
    {%- set found = dbt_mview._delta_plan(spec, job, true) -%}
    {%- set follows, reason, plans = reads.tables, found.reason, [found] -%}
    {%- if reason -%}
        {%- set follows, plans = [], [] -%}
        {%- for table in reads.tables if dbt_mview._may_depend_on_source(reason, reads) -%}
            {%- set alone = dbt_mview._delta_plan(spec, job, true, [table]) -%}
            {%- if not alone.reason -%}
                {%- do follows.append(table) -%} {%- do plans.append(alone) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {%- set kept, lost = [], {} -%}
    {%- for table in follows -%}
        {%- set why = dbt_mview._why_no_feed(table) -%}
        {%- if why -%} {%- do lost.update({table: why}) -%}
        {%- else -%} {%- do kept.append(table) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not reason and lost -%} {%- set reason = dbt_mview._why_lost(lost) -%} {%- endif -%}
    {%- set moving = plans | rejectattr("strategy", "equalto", "nothing") | list -%}
    {%- set shown = (moving or plans)[-1] if kept else dbt_mview._delta_plan_record({}) -%}
    {{
        return(
            {
                "reads": dbt_mview._short_names(reads.tables),
                "follows": dbt_mview._short_names(kept),
                "strategy": dbt_mview._strategy_name(shown),
                "keys": [] if shown.strategy == "row delta" else shown["keys"],
                "only_while": dbt_mview._must_hold(plans, kept),
                "reason": reason,
            }
        )
    }}
{% endmacro %}


{#
What must hold for a view to be FAST after changes of some tables, whatever these are.

Args: plans (delta plans), tables (names). Returns: string, or none.
#}
{% macro _must_hold(plans, tables) %}
    {%- set values = [] -%}
    {%- for plan in plans -%}
        {%- for one in plan.derived if one.must_stay -%}
            {%- set asks = one.changed | select("in", tables) | list -%}
            {%- if asks and one.name not in values -%}
                {%- do values.append(one.name) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set musts = [] -%}
    {%- if values | length > 1 -%} {%- do musts.append("the values of its subqueries stay") -%}
    {%- elif values -%} {%- do musts.append("the value of its subquery stays") -%}
    {%- endif -%}
    {%- if plans | map(attribute="first_rows") | select | list -%}
        {%- do musts.append("no row beyond its LIMIT is needed") -%}
    {%- endif -%}
    {{ return(musts | join(", ") or none) }}
{% endmacro %}


{#
Whether a query that does not follow changes of all its tables may follow those of one. Of many
tables nobody asks each: the engine is asked again for some.

Args: reason (see _reason), reads. Returns: bool.
#}
{% macro _may_depend_on_source(reason, reads) %}
    {%- set codes = [
        "AGGREGATE_NOT_TOP_NODE",
        "OPERATOR_NOT_INCREMENTAL",
        "SOURCE_NOT_BOUND",
        "SUBQUERY_NOT_INCREMENTAL",
    ] -%}
    {{ return(reason.code in codes and 1 < reads.tables | length <= 8) }}
{% endmacro %}


{#
Why the changes of a table cannot be had, whatever they are; of one that is not there yet nothing
speaks against it.

Args: name (catalog.schema.identifier). Returns: reason, or none.
#}
{% macro _why_no_feed(name) %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if name in memory.foretold -%} {{ return(none) }}{%- endif -%}
    {%- if name not in memory.feeds -%}
        {%- set properties = dbt_mview._delta_properties(dbt_mview._quoted_name(name)) -%}
        {%- set why = none -%}
        {%- if properties is none -%} {%- set why = dbt_mview._reason("INPUT_NOT_IN_DELTA") -%}
        {%- elif not dbt_mview._is_feed_on(properties) and not dbt_mview._has_log(name) -%}
            {%- set why = dbt_mview._reason(
                "CHANGE_DATA_UNAVAILABLE", "no change data feed", ["feed_is_off"]
            ) -%}
        {%- endif -%}
        {%- do memory.feeds.update({name: why}) -%}
    {%- endif -%}
    {{ return(memory.feeds[name]) }}
{% endmacro %}


{#
Why the changes of some tables cannot be had, by the first of them; for a feed that is off, what
switches it on.

Args: lost (mapping name -> reason, not empty). Returns: reason.
#}
{% macro _why_lost(lost) %}
    {%- set reason = (lost.values() | list)[0] -%}
    {%- set ways = {} -%}
    {%- for name, why in lost.items() if why.code == reason.code -%}
        {%- set off = "feed_is_off" in why.also -%}
        {%- set way = " (" ~ dbt_mview._way_to_feed(name) ~ ")" if off else "" -%}
        {%- set short = dbt_mview._short_name(name) -%}
        {%- do ways.setdefault(way.replace(short, "..."), []).append(short) -%}
    {%- endfor -%}
    {%- set parts = [] -%}
    {%- for way, names in ways.items() -%}
        {%- set way = way.replace("...", names[0]) if names | length == 1 else way -%}
        {%- do parts.append(names | join(", ") ~ way) -%}
    {%- endfor -%}
    {{ return(dbt_mview._reason_at(reason, parts | join(", "))) }}
{% endmacro %}


{# Whether a materialized view log keeps the changes of a table. Args: name. Returns: bool. #}
{% macro _has_log(name) %}
    {%- for mlog_id in dbt_mview._logs_of() -%}
        {%- if dbt_mview._find_log(mlog_id).coverage.base == name -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{# Args: names (catalog.schema.identifier, iterable). Returns: list of schema.identifier. #}
{% macro _short_names(names) %}
    {%- set short = [] -%}
    {%- for name in names -%} {%- do short.append(dbt_mview._short_name(name)) -%} {%- endfor -%}
    {{ return(short) }}
{% endmacro %}
