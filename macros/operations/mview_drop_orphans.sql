{#
Drops orphans: views of this project, target and schema whose model is gone or disabled, rows of
state whose view or log is gone or is now another kind of model, stages of refreshes that no longer
run. Use dry_run first.

Args: dry_run (bool: print what would be dropped).
Example: dbt run-operation mview_drop_orphans --args '{dry_run: true}'
#}
{% macro mview_drop_orphans(dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {#- Before the locks: a stage that is begun after this is not among them. -#}
    {%- set stages = dbt_mview._stages() -%}
    {%- set running, found_any = [], [] -%}
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
                {%- do found_any.append(id) -%}
                {%- do dbt_mview._drop_orphan(spec, state, dry_run, successor) -%}
            {%- endif -%}
        {%- elif not dbt_mview._node_called(id) and (
            mine
            or dbt_mview._kind_of(spec.schema, spec.identifier, spec.database)
            == "missing"
        ) -%}
            {%- do found_any.append(id) -%} {%- do dbt_mview._drop_orphan(spec, state, dry_run) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for job_id in stages if job_id not in running -%}
        {%- do found_any.append(job_id) -%}
        {%- if dry_run -%} {%- do print("would drop " ~ dbt_mview._stage_name(job_id)) -%}
        {%- else -%} {%- do dbt_mview._drop_stage("sweep", job_id, dbt_mview._bare_job()) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do found_any.extend(dbt_mview._forget_gone_logs(dry_run)) -%}
    {%- if not found_any -%} {%- do print("mview_drop_orphans: there are none") -%} {%- endif -%}
{% endmacro %}


{# As _drop_view; a dry run says in a line what would become of the view. #}
{% macro _drop_orphan(spec, state, dry_run, node=none) %}
    {%- if not dry_run -%}
        {%- do dbt_mview._drop_view(spec, state, false, node) -%} {{ return(none) }}
    {%- endif -%}
    {%- set target_table = dbt_mview._target(spec, state) -%}
    {%- set ours = dbt_mview._is_ours_to_drop(spec, state, target_table, node) -%}
    {%- set kept = target_table.kind != "missing" and not ours -%}
    {%- do print(
        "would forget " ~ spec.mview_id ~ ", what has its name stays"
        if kept
        else "would drop " ~ spec.mview_id
    ) -%}
{% endmacro %}


{#
Deletes the rows of logs whose tables are gone and that no model of this project answers for; a log
that is being purged keeps its row.

Args: dry_run (bool: print what would be forgotten). Returns: list of their ids.
#}
{% macro _forget_gone_logs(dry_run=false) %}
    {%- set models, gone = [], [] -%}
    {%- for node in graph.nodes.values() if node.resource_type == "model" -%}
        {%- if node.config.get("materialized") == "materialized_view_log" -%}
            {%- do models.append(dbt_mview._mview_id(dbt_mview._relation_of(node))) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set logs = dbt_mview._logs_of() -%}
    {%- if logs -%} {%- do dbt_mview._ensure_state(dry_run, logs=true) -%} {%- endif -%}
    {%- for mlog_id in logs if mlog_id not in models -%}
        {%- set locked = not dbt_mview._read_log_row(mlog_id).lease_over -%}
        {%- if not locked and not dbt_mview._find_log(mlog_id).coverage.base -%}
            {%- do gone.append(mlog_id) -%}
            {%- if dry_run -%} {%- do print("would forget " ~ mlog_id) -%}
            {%- else -%}
                {%- do dbt_mview._forget_log(mlog_id, dbt_mview._bare_job()) -%}
                {%- do print(mlog_id ~ ": forgotten") -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(gone) }}
{% endmacro %}
