{#
The sources that were already read further than they are pinned now, by the times of the commits:
the versions of a table that was dropped and created begin anew. Times of one second may be told
out of order, see _same_commit.

Args: job (state, sources). Returns: list of mappings relation, was, pin (mappings version,
    commit_time).
#}
{% macro _read_further(job) %}
    {%- set now = {} -%}
    {%- for source in job.sources -%}
        {%- do now.update({source.relation: source}) -%}
    {%- endfor -%}
    {%- set found = [] -%}
    {%- for was in (job.state.sources if job.state else none) or [] -%}
        {%- set pin = now.get(was.relation) or {} -%}
        {%- if pin.get("commit_time") and was.commit_time -%}
            {%- set behind = was.version <= pin.version -%}
            {%- set blur = dbt_mview._blur() if behind else 0 -%}
            {%- set later = was.commit_time > pin.commit_time + blur -%}
            {%- if later and not (behind and dbt_mview._told_elsewhere(was, pin)) -%}
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
{% macro _told_elsewhere(was, pin) %}
    {%- set commits = dbt_mview._commits_since(pin.relation, was, pin) -%}
    {%- if not commits -%} {{ return(false) }}{%- endif -%}
    {%- set quarter = 15 * 60 * 1000000 -%}
    {%- set apart = (commits[-1].commit_time - was.commit_time) | abs -%}
    {%- set rest = apart % quarter -%}
    {%- set blur = dbt_mview._blur() -%}
    {{ return(apart < 105 * quarter and [rest, quarter - rest] | min <= blur) }}
{% endmacro %}
