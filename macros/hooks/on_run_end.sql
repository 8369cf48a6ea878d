{#
What dbt_project.yml calls after a run: all outcomes are recorded together. Errors of the engine
reach macros only here, as messages.
#}
{#
After a run: the outcomes of all its views are recorded together, two commits however many they
are. Jinja cannot catch a database error, so this is also where a failed refresh is written
down and its lock freed; the user has seen the original error.

Args: results (list of dbt's run results).
#}
{% macro _on_run_end(results) %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if not execute or memory.recorded -%} {{ return("") }}{%- endif -%}
    {%- do memory.update({"recorded": true}) -%}
    {%- for result in results -%}
        {%- do dbt_mview._assign_failure(result, memory) -%}
    {%- endfor -%}
    {%- set outcomes = [] -%}
    {%- for result in results -%}
        {%- set outcome = dbt_mview._outcome_of(result, memory) -%}
        {%- if outcome -%} {%- do outcomes.append(outcome) -%} {%- endif -%}
    {%- endfor -%}
    {%- if outcomes -%}
        {%- do dbt_mview._write_outcomes(outcomes, dbt_mview._bare_job()) -%}
    {%- endif -%}
    {%- set recorded = outcomes | map(attribute="job_id") | list -%}
    {%- do dbt_mview._finish_late(memory.jobs.values() | rejectattr("id", "in", recorded)) -%}
    {%- do dbt_mview._failed_purges(results) -%}
    {%- do dbt_mview._hints(results) -%}
    {%- do dbt_mview._summary(results, outcomes, memory) -%}
    {%- do dbt_mview._drop_leftovers() -%}
    {%- do dbt_mview._release_reader() -%}
    {%- do dbt_mview._trackpoint_of_run() -%}
    {{ return("") }}
{% endmacro %}


{# Args: result (of a node), memory. Returns: mapping, or none if nothing is to be recorded. #}
{% macro _outcome_of(result, memory) %}
    {%- set unique_id = result.node.unique_id -%}
    {%- set outcome = memory.outcomes.get(unique_id) -%}
    {%- set job = memory.jobs.get(unique_id) -%}
    {#- A project may give the materialization another name: what began a job is a view. -#}
    {%- set is_view = result.node.config.materialized == "mview" or job is not none -%}
    {%- set status = result.status | string -%}
    {#- What --fail-fast cancelled in the middle is called skipped. -#}
    {%- set cancelled = status == "skipped" and job is not none and outcome is none -%}
    {%- set failed = cancelled or dbt_mview._has_failed(result) -%}
    {%- set staged_only = job is not none and job.waits and job.commit is none -%}
    {%- if staged_only and job.commit_decided -%} {{ return(none) }}{%- endif -%}
    {%- if failed and job is not none and job.failed_for_member -%} {{ return(outcome) }}
    {%- elif is_view and (failed or staged_only) -%}
        {{ return(dbt_mview._failed_outcome(result, job, outcome)) }}
    {%- endif -%}
    {{ return(outcome) }}
{% endmacro %}


{# Args: result (of a node). Returns: bool. #}
{% macro _has_failed(result) %}
    {{ return(result.status | string in ["error", "fail", "runtime error"]) }}
{% endmacro %}


{#
The error of a member of a refresh group that another one's node was publishing is its own, not that
one's.

Args: result (of a node), memory.
#}
{% macro _assign_failure(result, memory) %}
    {%- set job = memory.jobs.get(result.node.unique_id) -%}
    {%- set name = job.spec.refresh_group if job else none -%}
    {%- set alone = memory.groups.get(name, {}).get("alone") -%}
    {%- if alone and alone.unique_id != job.unique_id and dbt_mview._has_failed(result) -%}
        {%- do alone.update({"group_failure": result.message | string}) -%}
        {%- do job.update({"failed_for_member": true}) -%}
    {%- endif -%}
{% endmacro %}


{#
What a group decided is published, and what it published is recorded, also where another member
failed meanwhile: last, so that an error here takes nothing from what the others have to record.

Args: jobs (those that have no outcome yet).
#}
{% macro _finish_late(jobs) %}
    {%- for job in jobs if job.commit_decided or job.commit -%}
        {%- do job.update({"record_now": true}) -%}
        {%- if not job.commit -%}
            {%- set target = dbt_mview._target(job.spec, job.state) -%}
            {%- set commit = dbt_mview._published(target, job.id) -%}
            {%- do job.update({"commit": commit, "ended": dbt_mview._now_micros()}) -%}
        {%- endif -%}
        {%- if not job.commit -%} {%- do dbt_mview._finish(job.spec, job) -%}
        {%- else -%}
            {%- do dbt_mview._sweep(job.spec, job) -%} {%- do dbt_mview._record(job.spec, job) -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}
