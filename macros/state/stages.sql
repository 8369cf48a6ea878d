{# The stage of one refresh. Args: job_id (string). Returns: quoted SQL name. #}
{% macro _stage_name(job_id) %}
    {%- set table = dbt_mview._quote(dbt_mview._stage_prefix() ~ job_id) -%}
    {{ return(dbt_mview._quote(dbt_mview._stage_schema()) ~ "." ~ table) }}
{% endmacro %}


{#
How the names of this state's stages begin. In a schema that several states may share they say whose
they are: only the own locks tell which stages are of refreshes that go on.

Returns: string.
#}
{% macro _stage_prefix() %}
    {%- set state = dbt_mview._state_schema() -%}
    {%- set shared = dbt_mview._stage_schema() | lower != state | lower -%}
    {{ return("mview_stage_" ~ (local_md5(state | lower)[:8] ~ "_" if shared else "")) }}
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
{% endmacro %}


{#
The stages of this state that there are. Only names as _stage_name gives them: job ids are MD5 sums,
and a table that somebody called mview_stage_of_ann is not ours.

Returns: list of job ids.
#}
{% macro _stages() %}
    {%- set stage = modules.re.compile(dbt_mview._stage_prefix() ~ "([0-9a-f]{32})") -%}
    {%- set job_ids = [] -%}
    {%- for table in dbt_mview._tables_like(dbt_mview._stage_schema(), "mview_stage_*") -%}
        {%- set found = stage.fullmatch(table) -%}
        {%- if found -%}{%- do job_ids.append(found.group(1)) -%}{%- endif -%}
    {%- endfor -%}
    {{ return(job_ids) }}
{% endmacro %}


{#
Stages that a dead run of a refresh group had decided to publish: the next run does.

Args: state (row of a view). Returns: list of job ids.
#}
{% macro _stages_to_publish(state) %}
    {%- set job_ids = [] -%}
    {%- if state.lock_owner -%}
        {%- set last = {"job_id": state.refresh_job_id, "intent": state.intent} -%}
        {%- for holder in dbt_mview._holders(last) if (holder.intent or {}).get("redo") -%}
            {%- do job_ids.append(holder.job_id) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(job_ids) }}
{% endmacro %}
