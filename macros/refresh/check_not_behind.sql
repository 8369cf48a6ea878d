{# No run goes back: refuses a refresh whose sources are older than what the view has read. #}
{#
Whether a source is pinned before what the view has read of it. If its newest version is not before
that, another run has read it since this one began: the view is ahead, and pin reads the newest. If
it is, an older table replaced the source, or this run is as of a time before the view's. What it
would publish is older, and only --full-refresh says that this is intended.

Args: spec, job (state, sources, target). Sets job.sources_behind, see _sources_behind.
Errors: a source is older than what the view has read; a member of a refresh group is ahead, which
    has to read the snapshot of the others.
#}
{% macro _check_not_behind(spec, job) %}
    {%- do job.update({"sources_behind": []}) -%}
    {%- set further = dbt_mview._sources_behind(job) -%}
    {%- for source in further -%}
        {%- set why = dbt_mview._why_older(source) -%}
        {%- if why and (spec.full_refresh or job.target.kind == "missing") -%} {{ return(none) }}
        {%- elif why -%} {%- do dbt_mview._raise(spec.mview_id, why[0], why[1]) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if further and spec.refresh_group -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "another run has refreshed refresh_group '"
            ~ spec.refresh_group
            ~ "' from newer data than there was when this run began.",
            "Nothing is to be done, or run again.",
        ) -%}
    {%- endif -%}
    {%- do job.update({"sources_behind": further}) -%}
{% endmacro %}


{#
Whether a source that was read further is older than that, now or for this run. What another run
has read since this one began lies in no future, but for clocks that differ: by a quarter of an hour
at most, as far as stores like S3 let anybody in.

Args: source (see _sources_behind). Returns: pair of strings (what is wrong, the way out), or none.
#}
{% macro _why_older(source) %}
    {%- set read = (
        "it has read " ~ source.relation ~ " at " ~ dbt_mview._version_text(source.was)
    ) -%}
    {#- It may have been read before the other run wrote. -#}
    {%- set seen = dbt_mview._inspect_table(source.relation) -%}
    {%- if seen and source.was.commit_time > seen.commits[
        0
    ].commit_time + dbt_mview._commit_time_tolerance() -%}
        {{
            return(
                [
                    read
                    ~ ", and the newest version of that table is "
                    ~ dbt_mview._version_text(seen.commits[0])
                    ~ ": it was replaced by an older table.",
                    "Rebuild the view from it with --full-refresh, or run into another target.",
                ]
            )
        }}
    {%- endif -%}
    {%- set soon = dbt_mview._engine_time(dbt_mview._now_micros()) + 900 * 1000000 -%}
    {%- if source.was.commit_time > soon or dbt_mview._run_as_of() is not none -%}
        {{
            return(
                [
                    read
                    ~ ", and this run reads it as of "
                    ~ dbt_mview._iso(dbt_mview._run_moment())
                    ~ ", at "
                    ~ dbt_mview._version_text(source.pin)
                    ~ ".",
                    "Build what is as of an earlier time into another target, or take the view back"
                    ~ " with --full-refresh.",
                ]
            )
        }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
