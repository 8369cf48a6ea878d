{# Step acquire: the lock, in one commit, with the intent of its holder. #}
{#
Step acquire: takes the lock in the view's one row of state, in one commit that succeeds only
if the row is still as it was read. The loser of a race reads it again: if the lock is held, it
stops at once (NOWAIT); if the other run has ended, there may be nothing left to do.

The statement may have succeeded before the connection broke, and another run may have recovered the
lock since. So the next try has another job id (docs/model found that).

Args: spec, job. Sets job.token, job.lease; after a lost race job.id, job.state, job.holder,
    job.preplanned and what _look sets; job.refused where the row is missing.
Errors: another run is refreshing the view; refresh info row missing.
#}
{% macro _acquire(spec, job) %}
    {%- for attempt in range(20) if job.token is none and not job.skip -%}
        {%- if job.state is none -%}
            {%- do dbt_mview._check_row_missing(spec, job) -%}
        {%- endif -%}
        {%- set token = dbt_mview._next_token(job) -%}
        {%- do job.update(
            {
                "lease": {
                    "seconds": dbt_mview._lease_of(spec, job),
                    "since": dbt_mview._now_micros(),
                }
            }
        ) -%}
        {%- set outcome = dbt_mview._run(
            "acquire", dbt_mview._acquire_sql(spec, job, token), job
        ) -%}
        {%- if job.dry_run or outcome[0][0] == "acquired" -%}
            {%- do job.update({"token": token}) -%}
        {%- else -%}
            {%- set state = dbt_mview._read_state(spec.mview_id) -%}
            {%- if dbt_mview._is_ours(state, job, token) -%} {%- do job.update({"token": token}) -%}
            {%- else -%}
                {%- do job.update(
                    {
                        "id": local_md5(job.id ~ token),
                        "state": state,
                        "holder": none,
                        "preplanned": none,
                    }
                ) -%}
                {%- do dbt_mview._look(spec, job) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if job.token is none and not job.skip -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "the lock could not be taken in 20 tries, other runs were quicker.",
            "Run again.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
A view that holds a refresh of ours but has no row in state has lost it: going on would forget the
versions that it was built from. A view that another run built since this one began has its row.
#}
{% macro _check_row_missing(spec, job) %}
    {%- set newest = dbt_mview._newest_data_commit(job.target) -%}
    {%- set ours = newest and (newest.meta or {}).get("mview_id") == spec.mview_id -%}
    {%- set lost = ours and not spec.full_refresh -%}
    {%- if lost and dbt_mview._read_state(spec.mview_id) is none -%}
        {%- do job.update({"refused": true}) -%}
        {%- do exceptions.raise_compiler_error(
            "dbt_mview: refresh info row missing for "
            ~ spec.mview_id
            ~ ". The view was built, but "
            ~ dbt_mview._info_table()
            ~ " has no row of it. Restore the row "
            ~ "from the view's own history with `dbt run-operation mview_recover --args '{view: "
            ~ spec.mview_id
            ~ "}'`, or rebuild the view with --full-refresh."
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
The token of the lock to take. Delta silently drops an INSERT whose token it has seen, so the next
token is above the highest that the row or the view's own history holds: the row may be missing, new
or restored to an older version. A history may have been cleaned, and that of a dropped table is
still in its location_root: if no token is known, start at the current epoch second, which is always
larger.

Args: job (spec, state, target). Returns: int.
#}
{% macro _next_token(job) %}
    {%- set tokens = [job.state.lock_token or 0 if job.state else 0] -%}
    {%- for commit in job.target.history if (commit.meta or {}).get("lock_token") -%}
        {%- do tokens.append(commit.meta.lock_token) -%}
    {%- endfor -%}
    {%- set elsewhere = (job.spec.layout or {}).get("location") -%}
    {%- set unused = job.target.kind == "missing" and not elsewhere -%}
    {%- if not unused and tokens | max == 0 -%}
        {%- do tokens.append(dbt_mview._clock().now // 1000000) -%}
    {%- endif -%}
    {{ return(tokens | max + 1) }}
{% endmacro %}


{# Args: spec, job, token (int, of the lock that is taken). Returns: SQL text, a script. #}
{% macro _acquire_sql(spec, job, token) %}
    {%- set published = job.holder.job_id if job.holder and job.holder.published else none -%}
    {%- set intent = dbt_mview._json_literal(dbt_mview._intent(spec, job)) -%}
    {%- set seconds = job.lease.seconds if job.lease else none -%}
    {%- set lease = "current_timestamp() + " ~ dbt_mview._lease_sql(seconds) -%}
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    {%- if job.state is none %}
    merge into {{ dbt_mview._info_table() }} as t
    using (select 1 as one) as s
    on t.mview_id = {{ dbt_mview._literal(spec.mview_id) }}
    when matched then update set lock_owner = raise_error('busy')
    when not matched then insert
        (mview_id, last_refresh_result, lock_owner, lock_token, lock_time, lease_until,
        refresh_job_id, intent)
        values (
            {{ dbt_mview._literal(spec.mview_id) }}, 'running', {{ dbt_mview._literal(job.owner) }},
            {{ token }}, current_timestamp(), {{ lease }}, {{ dbt_mview._literal(job.id) }},
            {{ intent }}
        );
    {%- else %}
    update {{ dbt_mview._info_table() }}
    set
        lock_owner = case
            when lock_token = {{ job.state.lock_token or 0 }} and (
                lock_owner is null or {{ dbt_mview._lease_over_sql() }}
                {%- if job.force %} or true{% endif %}
                {%- if published %}
                or refresh_job_id = {{ dbt_mview._literal(published) }}
                {%- endif %}
            ) then {{ dbt_mview._literal(job.owner) }}
            else raise_error('busy')
        end,
        lock_token = {{ token }},
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
What others need to know of a refresh that has not finished: the definition that it was about to
publish, the tables that it reads (a purge waits for them), whether it was planned, the names of a
rename chain, written before the first rename, and what an earlier holder left that this one has yet
to recover.
#}
{% macro _intent(spec, job) %}
    {%- set intent = {"definition": spec.definition, "spec": spec.stored} -%}
    {%- if job.scheduled -%} {%- do intent.update({"scheduled": true}) -%} {%- endif -%}
    {%- if job.reads -%} {%- do intent.update({"reads": job.reads.tables}) -%} {%- endif -%}
    {%- if job.holder -%}
        {%- set left = dict(job.holder) -%}
        {%- do left.pop("published", none) -%}
        {%- do intent.update({"holder": left}) -%}
    {%- endif -%}
    {%- if job.target.kind not in ["missing", "delta"] -%}
        {%- do intent.update(
            {
                "swap": {
                    "schema": spec.schema,
                    "identifier": spec.identifier,
                    "kind": job.target.kind,
                    "new": "dbt_mview_new_" ~ job.id,
                    "backup": "dbt_mview_backup_" ~ job.id,
                }
            }
        ) -%}
    {%- endif -%}
    {{ return(intent) }}
{% endmacro %}
