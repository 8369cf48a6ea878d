{#
Records the ends of refreshes, many views in two commits: the history rows first, each at
most once by its refresh_job_id, then the info rows and their locks. A crash between the two
is repaired by whoever records the same job again.

Args: outcomes (list of mappings, see _outcome), job (mapping: id, dry_run).
#}
{% macro _write_outcomes(outcomes, job) %}
    {%- set ended = outcomes | rejectattr("type", "equalto", "skip") | list -%}
    {%- if ended -%}
        {%- do dbt_mview._run(
            "record", dbt_mview._retry_on_conflict_sql(dbt_mview._insert_history_sql(ended)), job
        ) -%}
    {%- endif -%}
    {%- if outcomes -%}
        {%- do dbt_mview._run(
            "record", dbt_mview._retry_on_conflict_sql(dbt_mview._merge_info_sql(outcomes)), job
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
One end of a refresh.

Args: mview_id, job_id, owner (invocation id), token (the lock's, or none if it never had one),
    result (success|failed), type (complete|fast|skip or none), others as the columns of state.
Returns: mapping.
#}
{% macro _outcome(mview_id, job_id, owner, token, result, type) %}
    {%- set outcome = {
        "mview_id": mview_id, "job_id": job_id, "owner": owner, "token": token, "result": result,
        "type": type, "release": true, "method": type, "reason": none, "failed_reason": none,
        "started": none, "rows": none, "sources": none, "read_time": none,
        "target_version": none, "definition": none, "definition_hash": none, "spec": none,
        "invocation_id": owner
    } -%}
    {%- do outcome.update(kwargs) -%}
    {{ return(outcome) }}
{% endmacro %}


{#
The outcomes as rows of a subquery; sources travel as JSON.

Args: outcomes (list of mappings). Returns: SQL text.
#}
{% macro _outcomes_sql(outcomes) %}
    {%- set rows = [] -%}
    {%- for o in outcomes -%}
        {%- set row = [
            dbt_mview._literal(o.mview_id), dbt_mview._literal(o.job_id),
            dbt_mview._literal(o.owner), "cast(" ~ ("null" if o.token is none else o.token) ~ " as bigint)",
            dbt_mview._literal(o.result), dbt_mview._literal(o.type),
            "true" if o.release else "false", dbt_mview._literal(o.method),
            dbt_mview._literal(o.reason), dbt_mview._literal(o.failed_reason),
            dbt_mview._timestamp(o.started),
            "cast(" ~ ("null" if o.rows is none else o.rows) ~ " as bigint)",
            dbt_mview._json_literal(o.sources), dbt_mview._timestamp(o.read_time),
            "cast(" ~ ("null" if o.target_version is none else o.target_version) ~ " as bigint)",
            dbt_mview._literal(o.definition), dbt_mview._literal(o.definition_hash),
            dbt_mview._json_literal(o.spec), dbt_mview._literal(o.invocation_id),
        ] -%}
        {%- do rows.append("        (" ~ row | join(", ") ~ ")") -%}
    {%- endfor -%}
    select
        * except (sources_json),
        transform(
            from_json(
                sources_json,
                'array<struct<relation: string, table_id: string, version: bigint, commit_time: bigint>>'
            ),
            s -> named_struct(
                'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
                'commit_time', timestamp_micros(s.commit_time)
            )
        ) as sources
    from values
{{ rows | join(",\n") }}
        as outcome (
            mview_id, job_id, owner, token, result, type, release, method, reason, failed_reason,
            started, rows, sources_json, read_time, target_version, definition, definition_hash,
            spec, invocation_id
        )
{%- endmacro %}


{% macro _insert_history_sql(outcomes) %}
    {%- set ids = outcomes | map(attribute="mview_id") | list -%}
    {%- set jobs = outcomes | map(attribute="job_id") | list -%}
insert into {{ dbt_mview._state_table("mview_refresh_hist") }}
select
    job_id, mview_id, method, reason, started, current_timestamp(), rows, result,
    failed_reason, sources, invocation_id
from (
{{ dbt_mview._outcomes_sql(outcomes) }}
) as s
left anti join (
    select refresh_job_id
    from {{ dbt_mview._state_table("mview_refresh_hist") }}
    where mview_id in ({{ dbt_mview._literals(ids) }})
        and refresh_job_id in ({{ dbt_mview._literals(jobs) }})
) as h on h.refresh_job_id = s.job_id
{%- endmacro %}


{#
A success replaces what is known of the view; a failure leaves the sources of the last success
alone. A lock goes only if it is still this refresh's; a skip touches no row that is locked.
#}
{% macro _merge_info_sql(outcomes) %}
    {%- set ids = outcomes | map(attribute="mview_id") | list -%}
merge into {{ dbt_mview._state_table("mview_refresh_info") }} as t
using (
{{ dbt_mview._outcomes_sql(outcomes) }}
) as s
on t.mview_id = s.mview_id and t.mview_id in ({{ dbt_mview._literals(ids) }})
when matched and s.type <=> 'skip' and t.lock_owner is null then update set
    last_refresh_result = s.result,
    last_refresh_type = s.type,
    last_refresh_time = current_timestamp(),
    last_refresh_failed_reason = null
when matched and s.result = 'success' and not (s.type <=> 'skip') and t.lock_token = s.token
    and t.lock_owner = s.owner then update set
    definition = coalesce(s.definition, t.definition),
    definition_hash = coalesce(s.definition_hash, t.definition_hash),
    spec = coalesce(s.spec, t.spec),
    sources = s.sources,
    last_successful_refresh_read_time = s.read_time,
    last_refresh_result = s.result,
    last_refresh_type = s.type,
    last_refresh_time = current_timestamp(),
    last_refresh_failed_reason = s.failed_reason,
    target_version = s.target_version,
    intent = if(s.release, null, t.intent),
    lock_owner = if(s.release, null, t.lock_owner),
    lock_time = if(s.release, null, t.lock_time),
    lease_until = if(s.release, null, t.lease_until)
when matched and s.result = 'failed' and (
    (s.token is null and t.lock_owner is null)
    or (t.lock_token = s.token and t.lock_owner = s.owner)
) then update set
    last_refresh_result = s.result,
    last_refresh_type = s.type,
    last_refresh_time = current_timestamp(),
    last_refresh_failed_reason = s.failed_reason,
    intent = if(s.release, null, t.intent),
    lock_owner = if(s.release, null, t.lock_owner),
    lock_time = if(s.release, null, t.lock_time),
    lease_until = if(s.release, null, t.lease_until)
when not matched and s.result = 'failed' and s.token is null then insert
    (mview_id, last_refresh_result, last_refresh_time, last_refresh_failed_reason, lock_token)
    values (s.mview_id, s.result, current_timestamp(), s.failed_reason, 0)
{%- endmacro %}


{#
A statement that is run again when another writer won the race for the same rows. Jinja
cannot catch that error, a SQL script can; the last try is outside, so its error is shown.

Args: sql (one statement). Returns: SQL text.
#}
{% macro _retry_on_conflict_sql(sql) %}
begin
    declare tries int default 0;
    while tries < 10 do
        begin
            declare exit handler for sqlstate '2D521' set tries = tries + 1;
            {{ sql }};
            set tries = 100;
        end;
    end while;
    if tries < 100 then
        {{ sql }};
    end if;
end
{%- endmacro %}


{# Deletes the row of a view. Args: mview_id, job (mapping: id, dry_run). #}
{% macro _delete_state(mview_id, job) %}
    {%- do dbt_mview._run(
        "forget",
        dbt_mview._retry_on_conflict_sql(
            "delete from " ~ dbt_mview._state_table("mview_refresh_info")
            ~ " where mview_id = " ~ dbt_mview._literal(mview_id)
        ),
        job,
    ) -%}
{% endmacro %}
