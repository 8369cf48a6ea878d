{#
Drops orphans: views of this project, target and schema whose model is gone or disabled, rows of
state whose view or log is gone or is now another kind of model, stages of refreshes that no longer
run. Use dry_run first.

Args: dry_run (bool: print the statements).
Example: dbt run-operation mview_drop_orphans --args '{dry_run: true}'
#}
{% macro mview_drop_orphans(dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {#- Before the locks: a stage that is begun after this is not among them. -#}
    {%- set stages = dbt_mview._stages() -%}
    {%- set running = [] -%}
    {%- for id, state in dbt_mview._read_states().items() -%}
        {%- set relation = dbt_mview._relation_of_state(id, state) -%}
        {%- set spec = dbt_mview._spec_of_relation(relation) -%}
        {%- set mine = dbt_mview._owner_of(state) == dbt_mview._owner_of() -%}
        {%- set successor = dbt_mview._successor_of(id) -%}
        {%- do running.extend(dbt_mview._stages_needed(state, lost=true)) -%}
        {%- if state.lock_owner and not state.lease_over -%}
        {%- elif successor -%}
            {%- set found = dbt_mview._target(spec, state) -%}
            {%- if not dbt_mview._is_ours_to_drop(spec, state, found, successor) -%}
                {%- do dbt_mview._drop_view(spec, state, dry_run, successor) -%}
            {%- endif -%}
        {%- elif not dbt_mview._node_called(id) and (
            mine
            or dbt_mview._kind_of(spec.schema, spec.identifier, spec.database)
            == "missing"
        ) -%}
            {%- do dbt_mview._drop_view(spec, state, dry_run) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for job_id in stages if job_id not in running -%}
        {%- set job = dbt_mview._bare_job(dry_run) -%}
        {%- do dbt_mview._drop_stage("sweep", job_id, job) -%}
    {%- endfor -%}
    {%- do dbt_mview._forget_gone_logs(dry_run) -%}
{% endmacro %}


{#
Deletes the rows of logs whose tables are gone and that no model of this project answers for; a log
that is being purged keeps its row.

Args: dry_run (bool: print the statements).
#}
{% macro _forget_gone_logs(dry_run=false) %}
    {%- set models = [] -%}
    {%- for node in graph.nodes.values() if node.resource_type == "model" -%}
        {%- if node.config.get("materialized") == "materialized_view_log" -%}
            {%- do models.append(dbt_mview._mview_id(dbt_mview._relation_of(node))) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set job = dbt_mview._bare_job(dry_run) -%}
    {%- set logs = dbt_mview._logs_of() -%}
    {%- if logs -%} {%- do dbt_mview._ensure_state(dry_run, logs=true) -%} {%- endif -%}
    {%- for mlog_id in logs if mlog_id not in models -%}
        {%- set locked = not dbt_mview._read_log_row(mlog_id).lease_over -%}
        {%- if not locked and not dbt_mview._find_log(mlog_id).coverage.base -%}
            {%- do dbt_mview._forget_log(mlog_id, job) -%}
            {%- if not dry_run -%} {%- do print(mlog_id ~ ": forgotten") -%} {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}
