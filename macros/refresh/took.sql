{#
The spec for state, with what this refresh took before what is known of those before it: AUTO
compares with it. A refresh that looked and found no changed row says nothing of one that does.

Args: spec (stored: took as state has it), job (method, reason, changes, fast, started, ended).
Returns: as spec.stored; took: mapping last (list, newest first, of method, changed rows and
    seconds of at most twenty refreshes; the first build is a method of its own), complete, first.
#}
{% macro _with_time(spec, job) %}
    {%- set rows = job.changes | map(attribute="rows") | list -%}
    {%- set idle = job.fast and (job.fast.strategy == "nothing" or none in rows) -%}
    {%- if not spec.stored or job.deferred or idle -%} {{ return(spec.stored) }}{%- endif -%}
    {%- set first = job.reason.startswith("first build") -%}
    {%- set seconds = ((job.get("ended") or dbt_mview._now_micros()) - job.started) / 1000000 -%}
    {%- set one = [
        "first" if first else job.method,
        rows | sum if job.fast else 0,
        seconds | round(2),
    ] -%}
    {%- set was = spec.stored.get("took") -%}
    {%- set last = [one] + (was or {"last": []}).last -%}
    {%- set known = dbt_mview._complete_took(dict(was or {}, last=last)) -%}
    {{ return(dict(spec.stored, took=dict(known, last=last[:20]))) }}
{% endmacro %}
