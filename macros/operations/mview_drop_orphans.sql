{#
Drops what nobody answers for any more: views of this project and target whose model is gone,
state rows whose table is gone, stages of refreshes that no longer run.

Args: dry_run (bool: print the statements).
Example: dbt run-operation mview_drop_orphans --args '{dry_run: true}'
#}
{% macro mview_drop_orphans(dry_run=false) %}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set models = dbt_mview._views_of_project().keys() | list -%}
    {#- Before the locks: a stage that is begun after this is not among them. -#}
    {%- set stages = dbt_mview._stages() -%}
    {%- set running = [] -%}
    {%- for id, state in dbt_mview._read_states().items() -%}
        {%- set relation = dbt_mview._relation_of_state(id, state) -%}
        {%- set spec = dbt_mview._spec_of_relation(relation) -%}
        {%- set mine = (
            state.spec
            and state.spec.project == project_name
            and state.spec.target == target.name
        ) -%}
        {%- do running.extend(dbt_mview._stages_to_publish(state)) -%}
        {%- if state.lock_owner and not state.lease_over -%}
            {%- do running.append(state.refresh_job_id) -%}
        {%- elif id not in models and (
            mine or dbt_mview._kind_of(spec.schema, spec.identifier) == "missing"
        ) -%}
            {%- do dbt_mview._drop_view(spec, state, dry_run) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for job_id in stages if job_id not in running -%}
        {%- set job = {"id": invocation_id, "dry_run": dry_run} -%}
        {%- do dbt_mview._drop_stage("sweep", job_id, job) -%}
    {%- endfor -%}
{% endmacro %}
