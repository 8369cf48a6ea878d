{# Step look: what the view reads, at which versions, and whether there is anything to do. #}
{#
Step look: what the view reads, at which versions, and whether any of it is new since the last
success. Takes no lock and writes nothing; job.skip says why there is nothing to do.

Args: spec (see _spec_from_model), job (see _job).
Errors: the query does not analyze; the view reads itself; see _check_lock;
    the row of a built view is missing in state; a refused change of configuration; a column
    of a config that the query lacks; see _check_not_behind.
#}
{% macro _look(spec, job) %}
    {%- set today = dbt_mview._date_query(spec, job.state) -%}
    {%- set reads = dbt_mview._reads(spec.definition) -%}
    {%- if spec.mview_id in reads.tables -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "the query reads the view itself.",
            "A view cannot feed itself.",
        ) -%}
    {%- endif -%}
    {%- set bound = dbt_mview._bindings(spec.definition, reads, spec.namespace) -%}
    {%- do reads.update({"nondeterministic": dbt_mview._nondeterministic(reads, bound)}) -%}
    {%- do dbt_mview._check_schedule(spec.schedule, job.state.schedule if job.state else none) -%}
    {%- set target_table = dbt_mview._target(spec, job.state) -%}
    {%- set hash = dbt_mview._definition_hash(bound) -%}
    {%- do job.update(
        {
            "reads": reads,
            "bindings": bound.bindings,
            "definition_hash": hash,
            "date_change": dbt_mview._date_change(spec, today, job.state, bound),
            "unbound": bound.unbound,
            "made_elsewhere": bound.made_elsewhere,
            "travelled": bound.travelled,
            "at_two_times": bound.at_two_times,
            "target": target_table,
        }
    ) -%}
    {%- do job.update({"sources": dbt_mview._pinned_sources(spec, job)}) -%}
    {%- if spec.stored -%}
        {%- set zone = dbt_mview._time_zone() -%}
        {#- What another query took says nothing of this one. -#}
        {%- set same = job.state and (job.state.definition_hash == hash or job.date_change) -%}
        {%- set took = (job.state.spec or {}).get("took") if same else none -%}
        {%- set stored = dict(spec.stored, time_zone=zone, took=took) -%}
        {%- do stored.pop("today", none) -%}
        {%- if today -%} {%- do stored.update({"today": today}) -%} {%- endif -%}
        {%- do spec.update({"stored": stored}) -%}
    {%- endif -%}
    {%- set waited = dbt_mview._check_lock(spec, job) -%}
    {%- if waited -%} {{ return(dbt_mview._look(spec, job)) }}{%- endif -%}
    {%- if job.left_to_other -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._check_not_behind(spec, job) -%}
    {%- set why = dbt_mview._why_refresh(spec, job) -%}
    {%- set skip = none if why else dbt_mview._skip_reason(spec, job) -%}
    {%- do job.update({"reason": why, "skip": skip}) -%}
    {%- if not job.skip -%} {%- do dbt_mview._inspect_configuration(spec, job) -%} {%- endif -%}
    {%- if not job.skip -%} {%- do dbt_mview._check_named_columns(spec, job) -%} {%- endif -%}
{% endmacro %}


{# Args: spec, job. Returns: string, what a skip is founded on. #}
{% macro _skip_reason(spec, job) %}
    {%- set held = dbt_mview._held_at(spec, job.state) -%}
    {%- if held -%}
        {{
            return(
                "held by mview_restore at "
                ~ held
                ~ ": mview_refresh or --full-refresh lets it go on"
            )
        }}
    {%- endif -%}
    {%- if job.sources_behind -%}
        {%- set further = [] -%}
        {%- for source in job.sources_behind -%}
            {%- set name = dbt_mview._short_name(source.relation) -%}
            {%- do further.append(
                name ~ " v" ~ source.was.version ~ ", not v" ~ source.pin.version
            ) -%}
        {%- endfor -%}
        {{ return("another run has read further meanwhile: " ~ further | join(", ")) }}
    {%- endif -%}
    {%- set versions = [] -%}
    {%- for source in job.sources -%}
        {%- set name = dbt_mview._short_name(source.relation) -%}
        {%- do versions.append(name ~ " v" ~ source.version) -%}
    {%- endfor -%}
    {{ return("nothing changed since " ~ (versions | join(", ") or "the first build")) }}
{% endmacro %}
