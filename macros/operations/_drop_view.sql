{#
Drops the view's table under its lock, then its row. What stands under the name but was not built
by a refresh is not ours to drop.

Args: spec, state (row), dry_run (bool), node (of the graph, that has the name now, or none).
Errors: as _take_lock.
#}
{% macro _drop_view(spec, state, dry_run, node=none) %}
    {#- What a dead run decided to publish is dropped with the rest. -#}
    {%- do spec.update({"full_refresh": true}) -%}
    {%- set job = dbt_mview._operation_job(spec, state, dry_run) -%}
    {%- do dbt_mview._take_lock(spec, job) -%}
    {%- do dbt_mview._recover(spec, job) -%}
    {%- set ours = dbt_mview._is_ours_to_drop(spec, state, job.target, node) -%}
    {%- if ours -%}
        {%- do dbt_mview._run("drop", "drop table if exists " ~ spec.name, job) -%}
    {%- endif -%}
    {%- do dbt_mview._delete_state(spec.mview_id, job) -%}
    {%- set kept = job.target.kind != "missing" and not ours -%}
    {%- set done = "forgotten, what has its name stays" if kept else "dropped" -%}
    {%- if not dry_run -%} {%- do print(spec.mview_id ~ ": " ~ done) -%} {%- endif -%}
{% endmacro %}


{#
Whether the table under the view's name is the one that refreshes built, whatever was written to it
since.

Args: spec, state (row), target (see _target), node (see _successor_of). Returns: bool.
#}
{% macro _is_ours_to_drop(spec, state, target, node) %}
    {%- if target.kind != "delta" -%} {{ return(false) }}{%- endif -%}
    {%- if node -%}
        {#- Until its model has run, the table is the view's. -#}
        {%- set newest = dbt_mview._newest_data_commit(target) -%}
        {{ return(dbt_mview._is_refresh_of(newest, spec.mview_id)) }}
    {%- endif -%}
    {%- set told = dbt_mview._whose_table(target.history, spec.mview_id) -%}
    {%- if told is none -%}
        {%- set history = dbt_mview._delta_history(spec.name, none) -%}
        {%- set told = dbt_mview._whose_table(history, spec.mview_id) -%}
    {%- endif -%}
    {%- if told is not none or state.target_version is none -%}
        {{ return(told or false) }}
    {%- endif -%}
    {{ return(dbt_mview._was_seen_before_cleaning({"state": state}, target.history[-1])) }}
{% endmacro %}


{# Args: history (newest first), mview_id. Returns: bool; none if no commit tells. #}
{% macro _whose_table(history, mview_id) %}
    {%- for commit in history -%}
        {%- if dbt_mview._is_refresh_of(commit, mview_id) -%} {{ return(true) }}{%- endif -%}
        {%- if commit.operation.startswith(("CREATE", "REPLACE", "CLONE", "CONVERT")) -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Args: commit (see _delta_history, or none), mview_id. Returns: bool. #}
{% macro _is_refresh_of(commit, mview_id) %}
    {{ return(commit is not none and (commit.meta or {}).get("mview_id") == mview_id) }}
{% endmacro %}


{# Args: mview_id. Returns: the model, seed or snapshot that builds what has this name, or none. #}
{% macro _node_called(mview_id) %}
    {%- for node in graph.nodes.values() if node.resource_type in ["model", "seed", "snapshot"] -%}
        {%- set builds = node.config.get("materialized") != "ephemeral" -%}
        {%- if builds and dbt_mview._mview_id(dbt_mview._relation_of(node)) == mview_id -%}
            {{ return(node) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# As _node_called, for a node that is no view any more. #}
{% macro _successor_of(mview_id) %}
    {%- set node = dbt_mview._node_called(mview_id) -%}
    {{ return(none if node and dbt_mview._kind_of_model(node) == "view" else node) }}
{% endmacro %}
