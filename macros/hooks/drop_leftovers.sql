{# Stages that dead runs left are dropped after a run. #}
{#
After a run: drops the orphaned stages that were there when it began. A statement of a dead run goes
on in the engine, and may finish its stage after the run's view was recovered.

A stage that a lock names, even one whose lease is over, is left to the run that recovers that view.
One that no lock names belongs to no running refresh, because the lock is taken first and freed
last. Even so, a lease has to pass since the stage was finished, by the engine's clock.

Nothing fails here: another run may be dropping the same stage.
#}
{% macro _drop_leftovers() %}
    {%- set left = dbt_mview._memory().stages -%}
    {#- What another run has begun since is not among them, so that its lock is not missed. -#}
    {%- set states = dbt_mview._read_states() if left else {} -%}
    {%- set needed = [] -%}
    {%- for state in states.values() -%}
        {%- do needed.extend(dbt_mview._stages_needed(state, lost=false)) -%}
    {%- endfor -%}
    {%- set dropped = [] -%}
    {%- for job_id in left | reject("in", needed) -%}
        {%- set at = dbt_mview._stage_time(job_id) -%}
        {%- set over = dbt_mview._clock().now - dbt_mview._lease_seconds() * 1000000 -%}
        {%- if at is not none and at < over -%}
            {%- set drop = "drop table if exists " ~ dbt_mview._stage_name(job_id) -%}
            {%- set job = dbt_mview._bare_job(id=job_id) -%}
            {%- set outcome = dbt_mview._run("sweep", dbt_mview._try_sql(drop), job) -%}
            {%- if outcome[0][0] == "done" -%} {%- do dropped.append(job_id) -%} {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if dropped -%}
        {%- set what = " stage" if dropped | length == 1 else " stages" -%}
        {%- do log(
            "dbt_mview: dropped " ~ dropped | length ~ what ~ " that dead runs left",
            info=true,
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
When a stage was finished, by its files; one without rows has none, and was finished long ago. In a
script, where nothing fails, Spark knows no DESCRIBE HISTORY.

Args: job_id (string). Returns: int (microseconds), or none: it is gone, or cannot be read.
#}
{% macro _stage_time(job_id) %}
    {%- set sql -%}
begin
    declare exit handler for sqlexception select cast(null as bigint) as micros;
    select coalesce(unix_micros(max(_metadata.file_modification_time)), 0) as micros
    from {{ dbt_mview._stage_name(job_id) }};
end
    {%- endset -%}
    {%- set micros = dbt_mview._read("stage_time", sql).rows[0][0] -%}
    {{ return(none if micros is none else micros | int) }}
{% endmacro %}
