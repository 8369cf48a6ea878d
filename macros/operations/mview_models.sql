{#
What the scheduler service has to know of this project, as one line `models: {...}` of JSON: its
views and logs, what each reads, and where state and their sources lie. Only reads.

    clock          the engine's, microseconds since the epoch
    project, target, method (of the target's connection), broken_after, lease (seconds that a lock
                   holds)
    flashback      see _flashback_settings
    tables         of the state: views and logs, each name and location; logs is null without any
    models         id, node (dbt's unique id), kind (view|log), select (of `dbt run --select`; a
                   group's for its members), group, parents (the views that it reads, also through
                   ephemeral models and plain views, by id), and priority, pool, timeout (seconds)
                   of meta.dbt_mview
    took           id -> seconds of its last refresh
    sources        id -> list of relation and version, of views whose schedule waits for a change
    locations      relation -> where such a source lies; null for what is no Delta table, or gone

Args: dry_run (bool: print what would create state where there is none; else the same, as this
    operation only reads).
Errors: meta.dbt_mview of a model has an unknown key, or a value that is none of its kind.
Example: dbt run-operation mview_models
#}
{% macro mview_models(dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- set models = dbt_mview._models_to_serve() -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set has_views = not dbt_mview._memory().without_state -%}
    {%- set has_logs = dbt_mview._has_log_state() -%}
    {%- if has_logs -%} {%- do dbt_mview._ensure_state(dry_run, logs=true) -%} {%- endif -%}
    {%- set found = dbt_mview._known_of(models) -%}
    {%- do found.update(
        {
            "models": models,
            "project": project_name,
            "target": target.name,
            "method": dbt_mview._method_of_target(),
            "broken_after": dbt_mview._broken_after(),
            "lease": dbt_mview._lease_seconds(),
            "flashback": dbt_mview._flashback_settings(),
            "tables": {
                "views": (
                    dbt_mview._name_and_location(dbt_mview._info_table())
                    if has_views
                    else none
                ),
                "logs": (
                    dbt_mview._name_and_location(dbt_mview._log_info_table())
                    if has_logs
                    else none
                ),
            },
            "clock": dbt_mview._engine_time(dbt_mview._now_micros()),
        }
    ) -%}
    {%- do print("models: " ~ tojson(found)) -%}
{% endmacro %}


{#
How dbt reaches the engine; `target` does not say it. dbt-databricks has one way alone.

Returns: string: session, thrift, http, ..., or databricks.
#}
{% macro _method_of_target() %}
    {%- set credentials = adapter.config.credentials -%}
    {{ return(credentials.method | string if credentials.method is defined else target.type) }}
{% endmacro %}


{# Returns: list of mappings, see mview_models. #}
{% macro _models_to_serve() %}
    {%- set selectors = dbt_mview._models_by_id() -%}
    {%- set models = [] -%}
    {%- for node in graph.nodes.values() if dbt_mview._kind_of_model(node) -%}
        {%- set id = dbt_mview._mview_id(dbt_mview._relation_of(node)) -%}
        {%- set kind = dbt_mview._kind_of_model(node) -%}
        {%- set model_ = {
            "id": id,
            "node": node.unique_id,
            "kind": kind,
            "select": selectors[id],
            "group": dbt_mview._group_of(node),
            "parents": dbt_mview._views_read_by(node) if kind == "view" else [],
        } -%}
        {%- do models.append(dict(model_, **dbt_mview._service_config(id, node.config))) -%}
    {%- endfor -%}
    {{ return(models) }}
{% endmacro %}


{#
What state knows of the project's views.

Args: models (see _models_to_serve). Returns: mapping took, sources, locations, see mview_models.
#}
{% macro _known_of(models) %}
    {%- set took, sources, locations = {}, {}, {} -%}
    {%- set states = dbt_mview._read_states() -%}
    {%- for id in models | map(attribute="id") if id in states -%}
        {%- set state = states[id] -%}
        {%- set last = ((state.spec or {}).get("took") or {}).get("last") -%}
        {%- if last -%} {%- do took.update({id: last[0][2]}) -%} {%- endif -%}
        {%- if state.schedule and dbt_mview._waits_for_sources(state.schedule) -%}
            {%- set read = [] -%}
            {%- for source in state.sources or [] -%}
                {%- set name = source.relation -%}
                {%- do read.append({"relation": name, "version": source.version}) -%}
                {%- if name not in locations -%}
                    {%- do locations.update({name: dbt_mview._location_of(name)}) -%}
                {%- endif -%}
            {%- endfor -%}
            {%- do sources.update({id: read}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"took": took, "sources": sources, "locations": locations}) }}
{% endmacro %}
