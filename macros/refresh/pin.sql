{#
Step pin: fixes the version of every source that this refresh reads, and binds the query to
them. A view never goes back: where another run has read a source further than this run's
snapshot, all sources are pinned at their latest version instead, and the view is as of now.

Args: spec, job (ahead, see _look_back). Sets job.sources, job.read_time, job.query.
Errors: see _look_back.
#}
{% macro _pin(spec, job) %}
    {%- set newest = spec.read_consistency == "latest" or job.ahead -%}
    {#- Before the sources are looked at: what comes meanwhile may be read, or not. -#}
    {%- set now = dbt_mview._engine_time(dbt_mview._now_micros()) -%}
    {%- if newest -%}
        {%- do job.update({"sources": dbt_mview._pinned_sources(spec, job, latest=true)}) -%}
        {#- As of now: what takes a source's place between look and lock is looked at as well. -#}
        {%- do dbt_mview._look_back(spec, job) -%}
    {%- endif -%}
    {%- for source in job.sources -%}
        {%- do job.bindings[source.relation].update({"version": source.version}) -%}
    {%- endfor -%}
    {%- do job.update(
        {
            "query": dbt_mview._bind(spec.definition, job.bindings, spec.namespace).sql,
            "read_time": now if newest else dbt_mview._clock().now,
        }
    ) -%}
{% endmacro %}
