{#
The changes of which sources a query follows: of all at once, else of each alone, as far as these
keep what changes in them.
#}
{#
Args: spec, query (see _query_of_model). Returns: mapping reads, follows (lists of names
    schema.identifier), strategy and keys (of what it follows, or none and []), reason (why not all;
    or none).
#}
{% macro _what_it_follows(spec, query) %}
    {%- set none_of = {"reads": [], "follows": [], "strategy": none, "keys": []} -%}
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
    {%- do reads.update({"unstable": dbt_mview._nondeterministic(reads, bound)}) -%}
    {%- set columns = dbt_mview._describe_query(dated.sql) -%}
    {%- set job = dbt_mview._job_record(
        {
            "spec": spec,
            "reads": reads,
            "bindings": bound.bindings,
            "unbound": bound.unbound,
            "travelled": bound.travelled,
            "at_two_times": bound.at_two_times,
            "columns": columns,
            "order": columns | map(attribute="name") | map("lower") | list,
            "reason": dbt_mview._reason("first_build"),
            "waits": spec.refresh_group is not none,
        }
    ) -%}
    {%- set found = dbt_mview._delta_plan(spec, job, true) -%}
    {%- set follows, reason = reads.tables, found.reason -%}
    {%- if reason -%}
        {%- set follows = [] -%}
        {%- for table in reads.tables if dbt_mview._may_depend_on_source(reason, reads) -%}
            {%- set alone = dbt_mview._delta_plan(spec, job, true, [table]) -%}
            {%- if not alone.reason -%}
                {%- do follows.append(table) -%} {%- do found.update(alone) -%}
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
    {%- if not reason and lost -%}
        {%- set names = dbt_mview._short_names(lost) | join(", ") -%}
        {%- set reason = dbt_mview._reason_at((lost.values() | list)[0], names) -%}
    {%- endif -%}
    {%- set plain = found.get("strategy") == "row delta" -%}
    {{
        return(
            {
                "reads": dbt_mview._short_names(reads.tables),
                "follows": dbt_mview._short_names(kept),
                "strategy": found.get("strategy") if kept else none,
                "keys": found["keys"] if kept and not plain else [],
                "reason": reason,
            }
        )
    }}
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
    {%- set found = [] -%}
    {%- for name in names -%} {%- do found.append(dbt_mview._short_name(name)) -%} {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
