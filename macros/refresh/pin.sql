{# Step pin: one version for each source, the same for all views of a run. #}
{#
Step pin: fixes the version of every source that this refresh reads, and binds the query to
them. A view never goes back: where another run has read a source further than this run's
snapshot, all sources are pinned at their latest version instead, and the view is as of now.

Args: spec, job (sources_behind, see _check_not_behind). Sets job.sources, job.read_time, job.query.
Errors: see _check_not_behind.
#}
{% macro _pin(spec, job) %}
    {%- set as_of = dbt_mview._run_as_of() -%}
    {%- set latest = spec.read_consistency == "latest" and as_of is none -%}
    {%- set newest = latest or job.sources_behind -%}
    {#- Before the sources are looked at: what comes meanwhile may be read, or not. -#}
    {%- set now = dbt_mview._engine_time(dbt_mview._now_micros()) -%}
    {%- if newest -%}
        {%- do job.update({"sources": dbt_mview._pinned_sources(spec, job, latest=true)}) -%}
        {#- As of now: what replaces a source between look and lock is inspected as well. -#}
        {%- do dbt_mview._check_not_behind(spec, job) -%}
    {%- endif -%}
    {%- for source in job.sources -%}
        {%- do job.bindings[source.relation].update({"version": source.version}) -%}
    {%- endfor -%}
    {%- do job.update(
        {
            "query": dbt_mview._bind(spec.definition, job.bindings, spec.namespace).sql,
            "read_time": now if newest else dbt_mview._run_moment(),
        }
    ) -%}
{% endmacro %}


{#
One version per table that the query reads, through views as well: the one that the query says, or
else that of the run.

Args: spec, job (reads, unbound, travelled, at_two_times), latest (bool). Returns: list of mappings
    relation, table_id, version, commit_time (microseconds); version none for what cannot be pinned.
Errors: a run as of a time cannot pin a table there, see _pin_at.
#}
{% macro _pinned_sources(spec, job, latest=false) %}
    {%- set memory = dbt_mview._memory() -%}
    {%- set sources = [] -%}
    {%- set as_of = dbt_mview._run_as_of() -%}
    {%- set now = as_of is none and (latest or spec.read_consistency == "latest") -%}
    {%- do dbt_mview._refuse_unbound_as_of(spec, job, as_of) -%}
    {%- for name in job.reads.tables -%}
        {%- set moment = none if now else dbt_mview._run_start(name) -%}
        {#- What this run builds may be built after the first view that reads it; but a refresh
            group reads one version. -#}
        {%- set key = name if moment is not none else (spec.refresh_group, name) -%}
        {%- set own = job.travelled.get(name) -%}
        {%- set kept = own is none and (moment is not none or (spec.refresh_group and not now)) -%}
        {%- set pin = memory.pins.get(key) if kept else none -%}
        {%- if own is not none -%} {%- set pin = dbt_mview._pin_version(name, own) -%}
        {%- elif pin is none -%}
            {%- set at = none if moment is none else as_of -%}
            {%- set pin = (
                dbt_mview._pin_table(name, moment)
                if at is none
                else dbt_mview._pin_at(name, at, dbt_mview._iso(at))
            ) -%}
            {%- if kept -%} {%- set pin = memory.pins.setdefault(key, pin) -%}
            {%- endif -%}
        {%- endif -%}
        {%- if name in job.unbound or job.at_two_times.get(name) is false -%}
            {%- set pin = {
                "relation": name,
                "table_id": pin.table_id,
                "version": none,
                "commit_time": none,
            } -%}
        {%- endif -%}
        {%- do sources.append(pin) -%}
    {%- endfor -%}
    {{ return(sources) }}
{% endmacro %}


{#
The moment whose data all views of this run read, or none for a table that is built in this
run, which is read as built; a member of a refresh group only once the whole group is.

Args: name (string). Returns: int (microseconds) or none.
#}
{% macro _run_start(name) %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if memory.built is none -%}
        {%- set built = {} -%}
        {%- for unique_id in dbt_mview._nodes_of_run() -%}
            {%- set node = graph.nodes.get(unique_id) -%}
            {%- if node and node.resource_type in ["model", "seed", "snapshot"] -%}
                {%- set key = (node.schema ~ "." ~ (node.alias or node.name)) | lower -%}
                {%- do built.update({key: dbt_mview._group_of(node)}) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- do memory.update({"built": built}) -%}
    {%- endif -%}
    {%- set key = dbt_mview._short_name(name) -%}
    {%- if key in memory.built and not dbt_mview._group_is_read_as_of_start(memory.built[key]) -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return(dbt_mview._run_moment()) }}
{% endmacro %}


{#
A run as of a time reads nothing as it is now: what cannot be pinned is refused.

Args: spec, job (unbound), as_of (see _run_as_of).
#}
{% macro _refuse_unbound_as_of(spec, job, as_of) %}
    {%- if as_of is not none and job.unbound -%}
        {%- set which = job.unbound | join(", ") -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "it reads "
            ~ which
            ~ ", which cannot be pinned in the query, and this run is as of "
            ~ dbt_mview._iso(as_of)
            ~ ".",
            "Leave the view out of this run, or write the query more plainly.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
Notes which tables the sources are. What leads on from its recorded version is the table that was
recorded; only of the others Delta is asked, which lists their files for that.

Args: job (state, sources). Sets table_id of each source.
#}
{% macro _note_table_ids(job) %}
    {%- set before = {} -%}
    {%- for was in (job.state.sources if job.state else none) or [] -%}
        {%- do before.update({was.relation: was}) -%}
    {%- endfor -%}
    {#- What has no version is no Delta table: Delta would not describe it. -#}
    {%- for source in job.sources if source.table_id is none and source.version is not none -%}
        {%- set was = before.get(source.relation) -%}
        {%- if was and was.table_id and dbt_mview._same_table_lineage(was, source) -%}
            {%- do source.update({"table_id": was.table_id}) -%}
        {%- else -%}
            {%- set name = dbt_mview._quoted_name(source.relation) -%}
            {%- do source.update({"table_id": dbt_mview._delta_detail(name)["id"]}) -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}
