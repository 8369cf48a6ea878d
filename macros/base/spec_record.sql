{# The record of what a view is, for all steps. #}
{#
What a view is.

    named by its relation, see _names_of
      mview_id                 see _mview_id
      name                     quoted
      rendered                 as dbt prints it
      schema, identifier, database
      namespace                where names without a schema are looked up
    said by its model, see _spec_from_model; or by state, see _spec_from_state
      from_model               whether it is the model that says it
      definition               the compiled query, fit for brackets; none: an operation has none
      refresh                  auto, complete or fast
      unique_key, audit        lists
      on_configuration_change, on_schema_change, read_consistency, build  as configs have them
      on_lock, lock_wait       fail, skip or wait, and for how many seconds
      schedule                 see _schedule
      refresh_group            its name, or none
      contract                 whether one is enforced
      documented               columns whose comments are kept, by name
      description              the comment of the table; none: left alone
      layout                   what the table is made of, which on_configuration_change compares:
                               partition_by, liquid_clustered_by, location, tblproperties,
                               change_feed and constraints
      stored                   what state keeps of it, enough to refresh without the model: see
                               _stored_spec; from _look time_zone and took, see _with_durations
    asked of this run
      full_refresh             by --full-refresh, or by _drop_view
      asked                    complete, by mview_refresh

Args: values (mapping, some of these). Returns: mapping with all of them.
Errors: a key that is none of them.
#}
{% macro _spec_record(values) %}
    {%- set named = {
        "mview_id": none,
        "name": none,
        "rendered": none,
        "schema": none,
        "identifier": none,
        "database": none,
        "namespace": none,
    } -%}
    {%- set said = {
        "from_model": false,
        "definition": none,
        "refresh": "auto",
        "unique_key": [],
        "audit": [],
        "on_configuration_change": "apply",
        "on_schema_change": "sync_all_columns",
        "read_consistency": "run",
        "build": "immediate",
        "on_lock": "fail",
        "lock_wait": 300,
        "schedule": none,
        "refresh_group": none,
        "contract": false,
        "documented": {},
        "description": none,
        "layout": none,
        "stored": none,
        "full_refresh": false,
        "asked": false,
    } -%}
    {{ return(dbt_mview._new_record("view", dict(named, **said), values)) }}
{% endmacro %}
