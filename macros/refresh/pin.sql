{#
Step pin: fixes the version of every source that this refresh reads, and binds the query to
them. A view never goes back: where another run has read a source further than this run's
snapshot, all sources are pinned at their latest version instead. A member of a refresh group has
to read the snapshot of the others.

Args: spec, job. Sets job.sources, job.read_time, job.query.
Errors: a member of a group was refreshed further by another run.
#}
{% macro _pin(spec, job) %}
    {%- set back = dbt_mview._would_go_back(job) -%}
    {%- if back and spec.refresh_group -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "another run has refreshed refresh_group '"
            ~ spec.refresh_group
            ~ "' from newer data than there was when this run began.",
            "Nothing is to be done, or run again.",
        ) -%}
    {%- endif -%}
    {%- if spec.read_consistency == "latest" or back -%}
        {%- do job.update({"sources": dbt_mview._pinned_sources(spec, job, latest=true)}) -%}
    {%- endif -%}
    {%- for source in job.sources -%}
        {%- do job.bindings[source.relation].update({"version": source.version}) -%}
    {%- endfor -%}
    {%- do job.update(
        {
            "query": dbt_mview._bind(spec.definition, job.bindings, spec.namespace).sql,
            "read_time": (
                dbt_mview._engine_time(dbt_mview._now_micros())
                if spec.read_consistency == "latest"
                else dbt_mview._clock().now
            ),
        }
    ) -%}
{% endmacro %}


{#
Whether a source was already read further than it is pinned now, by the times of the commits: the
versions of a table that was dropped and created begin anew. Times of one second may be told out of
order, see _same_commit.

Args: job. Returns: bool.
#}
{% macro _would_go_back(job) %}
    {%- set now = {} -%}
    {%- for source in job.sources -%}
        {%- do now.update({source.relation: source}) -%}
    {%- endfor -%}
    {%- for was in (job.state.sources if job.state else none) or [] -%}
        {%- set pin = now.get(was.relation) or {} -%}
        {%- if pin.get("commit_time") and was.commit_time -%}
            {%- set blur = dbt_mview._blur() if was.version <= pin.version else 0 -%}
            {%- if was.commit_time > pin.commit_time + blur -%} {{ return(true) }}{%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
