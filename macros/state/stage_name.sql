{# Stages: their names, which there are, which are still needed, and how one is dropped. #}
{# The stage of one refresh. Args: job_id (string). Returns: quoted SQL name. #}
{% macro _stage_name(job_id) %}
    {%- set table = dbt_mview._quote(dbt_mview._stage_prefix() ~ job_id) -%}
    {{ return(dbt_mview._quote(dbt_mview._stage_schema()) ~ "." ~ table) }}
{% endmacro %}


{#
How the names of this state's stages begin. In a schema that several states share they say whose
stages they are: only a state's own locks show which stages belong to running refreshes.

Returns: string.
#}
{% macro _stage_prefix() %}
    {%- set owner = local_md5(dbt_mview._state_schema() | lower)[:8] ~ "_" -%}
    {{ return("mview_stage_" ~ (owner if dbt_mview._has_stage_schema() else "")) }}
{% endmacro %}


{# Whether stages have a schema of their own, which several states may share. Returns: bool. #}
{% macro _has_stage_schema() %}
    {{ return(dbt_mview._stage_schema() | lower != dbt_mview._state_schema() | lower) }}
{% endmacro %}


{#
Drops a stage. A statement that fails or dies while it builds one leaves files that no name leads
to, and Spark drops files with a table of their name only: so there is a table first.

Args: step (string), job_id (string, of the refresh whose stage it is), job (this refresh), whole
    (bool: it was built to its end).
#}
{% macro _drop_stage(step, job_id, job, whole=true) %}
    {%- set stage = dbt_mview._stage_name(job_id) -%}
    {%- if not whole -%}
        {%- set named = "create or replace table " ~ stage ~ " using delta as select 0 as n" -%}
        {%- do dbt_mview._run(step, named, job) -%}
    {%- endif -%}
    {%- do dbt_mview._run(step, "drop table if exists " ~ stage, job) -%}
    {%- set known = dbt_mview._memory().stages -%}
    {%- if job_id in known -%} {%- do known.remove(job_id) -%} {%- endif -%}
{% endmacro %}


{#
The stages of this state that there are. Only names as _stage_name gives them: job ids are MD5 sums,
and a table that somebody called mview_stage_of_ann is not ours.

Args: tables (list of the names of tables in the schema of state, or none to have them listed).
Returns: list of job ids.
#}
{% macro _stages(tables=none) %}
    {%- if tables is none or dbt_mview._has_stage_schema() -%}
        {%- set tables = dbt_mview._tables_like(dbt_mview._stage_schema(), "mview_stage_*") -%}
    {%- endif -%}
    {%- set stage = modules.re.compile(dbt_mview._stage_prefix() ~ "([0-9a-f]{32})") -%}
    {%- set job_ids = [] -%}
    {%- for table in tables -%}
        {%- set found = stage.fullmatch(table) -%}
        {%- if found -%} {%- do job_ids.append(found.group(1)) -%} {%- endif -%}
    {%- endfor -%}
    {{ return(job_ids) }}
{% endmacro %}


{#
The stages that a row still needs: that of its lock's holder, and those that a dead run of a refresh
group had decided to publish, which the next run does.

Args: state (row of a view), lost (bool: whether a holder whose lease is over has lost its own).
Returns: list of job ids.
#}
{% macro _stages_needed(state, lost) %}
    {%- if not state.lock_owner -%} {{ return([]) }}{%- endif -%}
    {%- set job_ids = [] if lost and state.lease_over else [state.refresh_job_id] -%}
    {%- set last = {"job_id": state.refresh_job_id, "intent": state.intent} -%}
    {%- for holder in dbt_mview._predecessors(last) if (holder.intent or {}).get("redo") -%}
        {%- do job_ids.append(holder.job_id) -%}
    {%- endfor -%}
    {{ return(job_ids) }}
{% endmacro %}
