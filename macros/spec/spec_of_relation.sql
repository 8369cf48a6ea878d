{#
The spec, what a view is: the part that follows from its name, the part that state keeps, and a spec
from state, without the model.
#}
{# The part of a spec that follows from the name. Args: relation. Returns: mapping. #}
{% macro _spec_of_relation(relation) %}
    {%- set mview_id = dbt_mview._mview_id(relation) -%}
    {%- set pattern = "\\w+" if adapter.type() == "spark" else "[^.]+" -%}
    {%- if not modules.re.compile(pattern, modules.re.ASCII).fullmatch(
        relation.identifier
    ) or relation.identifier | length > 255 or mview_id | length > 240 -%}
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
                "contract": false,
                "asked": false,
                "full_refresh": false,
                "description": none,
                "documented": {},
                "refresh_group": none,
            }
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

Args: relation (Relation), state (row mapping). Returns: mapping as _spec_from_model.
#}
{% macro _spec_from_state(relation, state) %}
    {%- set spec = dbt_mview._spec_of_relation(relation) -%}
    {%- do spec.update(state.spec or {}) -%}
    {%- do spec.update(
        {
            "definition": state.definition,
            "schedule": state.schedule,
            "stored": state.spec,
            "full_refresh": false,
            "build": "immediate",
        }
    ) -%}
    {{ return(spec) }}
{% endmacro %}


{# Args: mview_id, state (row). Returns: Relation, with the case of the names as written. #}
{% macro _relation_of_state(mview_id, state) %}
    {%- set parts = mview_id.split(".") -%}
    {%- set spec = state.spec or {} -%}
    {{
        return(
            api.Relation.create(
                database=none if parts[0] == "spark_catalog" else parts[0],
                schema=spec.get("schema", parts[1]),
                identifier=spec.get("identifier", parts[2]),
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
    {%- set spec = state.spec or {} -%}
    {{ return([spec.get("project"), spec.get("target"), spec.get("target_schema")]) }}
{% endmacro %}
