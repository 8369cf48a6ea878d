{#
The spec, what a view is: the part that follows from its name, the part that state keeps, and a spec
from state, without the model.
#}
{# A view of which no more is known than its name. Args: relation. Returns: see _spec_record. #}
{% macro _spec_of_relation(relation) %}
    {{ return(dbt_mview._spec_record(dbt_mview._names_of(relation))) }}
{% endmacro %}


{#
How a view or a log is called, and where names in its query are looked up.

Args: relation. Returns: mapping mview_id, name (quoted), rendered, schema, identifier, database,
    namespace.
Errors: a name that the catalog cannot hold.
#}
{% macro _names_of(relation) %}
    {%- set mview_id = dbt_mview._mview_id(relation) -%}
    {%- if not dbt_mview._is_name_of_view(relation) -%}
        {%- do dbt_mview._raise(
            mview_id,
            "'"
            ~ relation.identifier
            ~ "' cannot be the name of a view: Spark's catalog allows "
            ~ "letters, digits and _, and catalog.schema.name may have 240 characters.",
            "Give the model another name or alias.",
        ) -%}
    {%- endif -%}
    {{
        return(
            {
                "mview_id": mview_id,
                "name": dbt_mview._name(relation),
                "rendered": relation.render(),
                "schema": relation.schema,
                "identifier": relation.identifier,
                "database": relation.database,
                "namespace": dbt_mview._current_catalog() ~ ".default",
            }
        )
    }}
{% endmacro %}


{# Whether the catalog can hold a view or a log of this name. Args: relation. Returns: bool. #}
{% macro _is_name_of_view(relation) %}
    {%- set pattern = "\\w+" if adapter.type() == "spark" else "[^.]+" -%}
    {%- set word = modules.re.compile(pattern, modules.re.ASCII) -%}
    {{
        return(
            word.fullmatch(relation.identifier) is not none
            and relation.identifier | length <= 255
            and dbt_mview._mview_id(relation) | length <= 240
        )
    }}
{% endmacro %}


{# The part of a spec that is kept in state. Args: spec. Returns: mapping. #}
{% macro _stored_spec(spec) %}
    {%- set stored = {} -%}
    {%- for key in [
        "schema",
        "identifier",
        "refresh",
        "unique_key",
        "audit",
        "layout",
        "on_configuration_change",
        "on_schema_change",
        "read_consistency",
        "description",
        "refresh_group",
    ] -%}
        {%- do stored.update({key: spec[key]}) -%}
    {%- endfor -%}
    {%- set comments = {} -%}
    {%- for column in spec.documented.values() -%}
        {%- do comments.update({column.name: column.description}) -%}
    {%- endfor -%}
    {%- do stored.update(
        {
            "project": project_name,
            "target": target.name,
            "target_schema": target.schema,
            "grants": config.get("grants") or {},
            "column_comments": local_md5(tojson(comments)),
        }
    ) -%}
    {%- if dbt_mview._is_partial_run() -%}
        {%- do stored.update({"cut_short": true}) -%}
    {%- endif -%}
    {{ return(stored) }}
{% endmacro %}


{#
The spec as the last refresh left it in state.

Args: relation (Relation), state (row mapping). Returns: see _spec_record.
#}
{% macro _spec_from_state(relation, state) %}
    {%- set spec = dbt_mview._spec_of_relation(relation) -%}
    {%- do spec.update(dbt_mview._known_keys(spec, state.spec or {})) -%}
    {%- do spec.update(
        {
            "definition": state.definition,
            "schedule": state.schedule,
            "stored": dbt_mview._without_hold(state.spec),
        }
    ) -%}
    {{ return(spec) }}
{% endmacro %}


{#
What is refreshed by its name alone, by mview_refresh, is held no longer.

Args: stored (spec of a row, or none). Returns: the same without `held`, which mview_restore adds.
#}
{% macro _without_hold(stored) %}
    {%- set rest = dict(stored or {}) -%}
    {%- do rest.pop("held", none) -%}
    {{ return(none if stored is none else rest) }}
{% endmacro %}


{#
What mview_restore took a view back to, if runs are to leave it there.

Args: spec, state (row, or none). Returns: string, or none.
#}
{% macro _held_at(spec, state) %}
    {%- set free = not spec.from_model or spec.full_refresh or state is none -%}
    {{ return(none if free else (state.spec or {}).get("held")) }}
{% endmacro %}


{# Args: mview_id, state (row). Returns: Relation, with the case of the names as written. #}
{% macro _relation_of_state(mview_id, state) %}
    {%- set parts = mview_id.split(".") -%}
    {%- set stored = state.spec or {} -%}
    {{
        return(
            api.Relation.create(
                database=none if parts[0] == "spark_catalog" else parts[0],
                schema=stored.get("schema", parts[1]),
                identifier=stored.get("identifier", parts[2]),
            )
        )
    }}
{% endmacro %}


{#
Who answers for a view: a dbt project, one of its targets and its schema. Several may share state.

Args: state (row, or none for this invocation). Returns: list of three strings.
#}
{% macro _owner_of(state=none) %}
    {%- if state is none -%} {{ return([project_name, target.name, target.schema]) }}{%- endif -%}
    {%- set stored = state.spec or {} -%}
    {{ return([stored.get("project"), stored.get("target"), stored.get("target_schema")]) }}
{% endmacro %}
