{#
Tries all that the package needs of an engine on a scratch table of the schema of state, and says of
each whether it works, or what will not work without it.

Where something fails, the engine's own error ends the operation, after the table. The scratch table
then stays, as a stage of this run that the next run drops.

Args: dry_run (bool: print the statements).
Errors: something does not work.
Example: dbt run-operation mview_doctor
#}
{% macro mview_doctor(dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set id = local_md5(invocation_id) -%}
    {%- set job = dbt_mview._bare_job(dry_run, id) -%}
    {%- set scratch = dbt_mview._stage_name(id) -%}
    {%- set failed = [] -%}
    {%- set lines = [] -%}
    {%- for probe in dbt_mview._probes(scratch, id) -%}
        {%- if dry_run -%} {%- do print(probe.try ~ ";") -%}
        {%- else -%}
            {#- Here, for what a script cannot catch: the last line says what was tried. -#}
            {%- do log("mview_doctor tries " ~ probe.what, info=true) -%}
            {%- set works = dbt_mview._probe(probe, scratch, id) -%}
            {%- if not works -%} {%- do failed.append(probe) -%}
            {%- endif -%}
            {%- do lines.append([probe.what, "ok" if works else "no: " ~ probe.without]) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if dry_run -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._print_table(["what", "works"], lines) -%}
    {%- if failed -%}
        {%- do dbt_mview._run("doctor", failed[0].try, job) -%}
        {%- do dbt_mview._raise(
            "this engine",
            failed
            | map(attribute="what")
            | join(", ") ~ ": no error, and not what is needed.",
            "The table above says what will not work; docs/deploy.md has the engines that do.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._drop_stage("doctor", id, job) -%}
{% endmacro %}


{# Whether it works. Args: probe (see _probes), scratch (quoted name), id. Returns: bool. #}
{% macro _probe(probe, scratch, id) %}
    {%- if probe.shows == "plan" -%}
        {%- set read = dbt_mview._reads("select * from " ~ scratch) -%}
        {{ return(read.tables | length == 1 and not read.other) }}
    {%- endif -%}
    {%- set outcome = dbt_mview._read("doctor", dbt_mview._try_sql(probe.try)).rows[0][0] -%}
    {%- if probe.shows == "failure" -%} {{ return(outcome == "failed") }}
    {%- elif outcome != "done" -%} {{ return(false) }}
    {%- elif probe.shows == "commit" -%}
        {%- set commit = dbt_mview._delta_history(scratch, 1)[0] -%}
        {{ return((commit.meta or {}).get("refresh_job_id") == id) }}
    {%- elif probe.shows -%}
        {{ return(dbt_mview._read("doctor", probe.shows).rows[0][0] | int == 1) }}
    {%- endif -%}
    {{ return(true) }}
{% endmacro %}
