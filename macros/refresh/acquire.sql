{#
Step acquire: takes the lock in the view's one row of state, in one commit that succeeds only
if the row is still as it was looked at. A loser looks again: the lock is held, and it stops at
once (NOWAIT); or the other was quicker, and there may be nothing left to do.

Args: spec, job. Sets job.token, job.state.
Errors: another run is refreshing the view; refresh info row missing.
#}
{% macro _acquire(spec, job) %}
    {%- for attempt in range(20) if job.token is none and not job.skip -%}
        {%- if job.state is none -%}{%- do dbt_mview._check_row_missing(spec, job) -%}{%- endif -%}
        {%- set seen = 0 if job.state is none else job.state.lock_token or 0 -%}
        {%- set outcome = dbt_mview._run("acquire", dbt_mview._acquire_sql(spec, job, seen), job) -%}
        {%- if job.dry_run or outcome[0][0] == "acquired" -%}
            {%- do job.update({"token": seen + 1}) -%}
        {%- else -%}
            {%- do job.update({"state": dbt_mview._read_state(spec.mview_id), "holder": none}) -%}
            {%- do dbt_mview._look(spec, job) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if job.token is none and not job.skip -%}
        {%- do dbt_mview._raise(
            spec.mview_id, "the lock could not be taken in 20 tries, other runs were quicker.",
            "Run again."
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
A view that holds a refresh of ours but has no row in state lost it: to go on would forget the
versions that it was built from.
#}
{% macro _check_row_missing(spec, job) %}
    {%- set newest = dbt_mview._newest_data_commit(job.target) -%}
    {%- if newest and newest.meta and newest.meta.get("mview_id") == spec.mview_id
        and not spec.full_refresh -%}
        {%- do exceptions.raise_compiler_error(
            "dbt_mview: refresh info row missing for " ~ spec.mview_id ~ ". The view was built, but "
            ~ dbt_mview._state_table("mview_refresh_info") ~ " has no row of it. Restore the row "
            ~ "from the view's own history with `dbt run-operation mview_recover --args '{view: "
            ~ spec.mview_id ~ "}'`, or build the view anew with --full-refresh."
        ) -%}
    {%- endif -%}
{% endmacro %}


{# Args: spec, job, seen (int, the lock's token as looked at). Returns: SQL text, a script. #}
{% macro _acquire_sql(spec, job, seen) %}
    {%- set published = job.holder.job_id if job.holder and job.holder.published else none -%}
    {%- set intent = dbt_mview._json_literal(dbt_mview._intent(spec, job)) -%}
    {%- set lease = "current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, "
        ~ (var("dbt_mview:lease_seconds", 3600) | int) ~ ")" -%}
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    {%- if job.state is none %}
    merge into {{ dbt_mview._state_table("mview_refresh_info") }} as t
    using (select 1 as one) as s
    on t.mview_id = {{ dbt_mview._literal(spec.mview_id) }}
    when matched then update set lock_owner = raise_error('busy')
    when not matched then insert
        (mview_id, last_refresh_result, lock_owner, lock_token, lock_time, lease_until,
        refresh_job_id, intent)
        values (
            {{ dbt_mview._literal(spec.mview_id) }}, 'running', {{ dbt_mview._literal(job.owner) }},
            {{ seen + 1 }}, current_timestamp(), {{ lease }}, {{ dbt_mview._literal(job.id) }},
            {{ intent }}
        );
    {%- else %}
    update {{ dbt_mview._state_table("mview_refresh_info") }}
    set
        lock_owner = case
            when lock_token = {{ seen }} and (
                lock_owner is null or lease_until < current_timestamp()
                {%- if job.force %} or true{% endif %}
                {%- if published %} or refresh_job_id = {{ dbt_mview._literal(published) }}{% endif %}
            ) then {{ dbt_mview._literal(job.owner) }}
            else raise_error('busy')
        end,
        lock_token = {{ seen + 1 }},
        lock_time = current_timestamp(),
        lease_until = {{ lease }},
        last_refresh_result = 'running',
        refresh_job_id = {{ dbt_mview._literal(job.id) }},
        intent = {{ intent }}
    where mview_id = {{ dbt_mview._literal(spec.mview_id) }};
    {%- endif %}
    select 'acquired' as outcome;
end
{%- endmacro %}


{#
What a recovery needs to know of a refresh that did not finish: the definition that it was
about to publish, the names of a rename chain, written before the first rename, and what an
earlier holder left that this one has yet to recover.
#}
{% macro _intent(spec, job) %}
    {%- set intent = {"definition": spec.definition, "spec": spec.stored} -%}
    {%- if job.holder -%}
        {%- set left = dict(job.holder) -%}
        {%- do left.pop("published", none) -%}
        {%- do intent.update({"holder": left}) -%}
    {%- endif -%}
    {%- if job.target.kind not in ["missing", "delta"] -%}
        {%- do intent.update({"swap": {
            "schema": spec.schema, "identifier": spec.identifier, "kind": job.target.kind,
            "new": "dbt_mview_new_" ~ job.id, "backup": "dbt_mview_backup_" ~ job.id
        }}) -%}
    {%- endif -%}
    {{ return(intent) }}
{% endmacro %}
