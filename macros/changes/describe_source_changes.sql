{#
The sources that are not as they were last read: newer, replaced, gone, or pinned before what was
read.
#}
{#
The sources that are not as they were read last, or none.

Args: old, new (lists of mappings relation, table_id, version, commit_time), unbound (list), ahead
    (list of the relations that were read further than new: those are no news).
Returns: see _reason, or none.
#}
{% macro _describe_source_changes(old, new, unbound, ahead=[]) %}
    {%- if unbound -%}
        {%- set detail = unbound | join(", ") ~ " cannot be pinned in the query" -%}
        {{ return(dbt_mview._reason("SOURCE_NOT_BOUND", detail)) }}
    {%- endif -%}
    {%- set before = {} -%}
    {%- for source in old or [] -%}
        {%- do before.update({source.relation: source}) -%}
    {%- endfor -%}
    {%- set news, codes = [], [] -%}
    {%- for source in new -%}
        {%- set name = dbt_mview._short_name(source.relation) -%}
        {%- set was = before.pop(source.relation, none) -%}
        {%- if source.version is none -%}
            {{ return(dbt_mview._reason("INPUT_NOT_IN_DELTA", name ~ " has no versions")) }}
        {%- elif was is none -%} {%- do news.append(name ~ " is new") -%}
        {%- elif source.relation in ahead -%}
        {%- elif was.version is none or was.version > source.version or (
            was.version == source.version and not dbt_mview._same_commit(was, source)
        ) -%}
            {%- do codes.append("SOURCE_REPLACED") -%}
            {%- do news.append("SOURCE_REPLACED: " ~ name ~ " v" ~ source.version) -%}
        {%- elif was.version != source.version -%}
            {%- do news.append(name ~ " v" ~ was.version ~ " -> v" ~ source.version) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for name in before -%}
        {%- do news.append(dbt_mview._short_name(name) ~ " is no longer read") -%}
    {%- endfor -%}
    {%- if not news -%} {{ return(none) }}{%- endif -%}
    {{ return(dbt_mview._reason("sources_changed", news | join(", "), codes | unique | list)) }}
{% endmacro %}


{#
The sources that were already read further than they are pinned now, by the times of the commits:
the versions of a table that was dropped and created start at 0 again. Times within one second may
come out of order, see _same_commit. A version that the query says is meant, unless a run that began
later has refreshed the view: `'-1 day'` leads further there.

Args: job (state, sources, travelled). Returns: list of mappings relation, was, pin (mappings
    version, commit_time).
#}
{% macro _sources_behind(job) %}
    {%- set now = {} -%}
    {%- set read_time = (job.state or {}).get("last_successful_refresh_read_time") or 0 -%}
    {%- set overtaken = job.travelled and read_time > dbt_mview._run_moment() -%}
    {%- for source in job.sources if overtaken or source.relation not in job.travelled -%}
        {%- do now.update({source.relation: source}) -%}
    {%- endfor -%}
    {%- set found = [] -%}
    {%- for was in (job.state.sources if job.state else none) or [] -%}
        {%- set pin = now.get(was.relation) or {} -%}
        {%- if pin.get("commit_time") and was.commit_time -%}
            {%- set behind = was.version <= pin.version -%}
            {%- set blur = dbt_mview._commit_time_tolerance() if behind else 0 -%}
            {%- set later = was.commit_time > pin.commit_time + blur -%}
            {%- if later and not (behind and dbt_mview._is_told_in_another_zone(was, pin)) -%}
                {%- do found.append({"relation": was.relation, "was": was, "pin": pin}) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Whether a commit that was read is in the history of its table with a time of another zone: releases
until 2026-11-27 took what PySpark gave in the client's for the session's. Zones are quarters of an
hour apart, 26 hours at most. Such a source counts as replaced, so the view is refreshed once.

Args: was, pin (mappings relation, version, commit_time). Returns: bool.
#}
{% macro _is_told_in_another_zone(was, pin) %}
    {%- set commits = dbt_mview._commits_since(pin.relation, was, pin) -%}
    {%- if not commits -%} {{ return(false) }}{%- endif -%}
    {%- set quarter = 15 * 60 * 1000000 -%}
    {%- set apart = (commits[-1].commit_time - was.commit_time) | abs -%}
    {%- set rest = apart % quarter -%}
    {%- set blur = dbt_mview._commit_time_tolerance() -%}
    {{ return(apart < 105 * quarter and [rest, quarter - rest] | min <= blur) }}
{% endmacro %}
