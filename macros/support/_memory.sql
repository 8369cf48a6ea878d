{#
What this invocation remembers between its models: dbt hands the same `graph` to every thread.

Returns: mapping with
  states         mview_id -> row of mview_refresh_info as of the start of the run, or none
  pins           source name -> its pinned version, so that all views of a run read one snapshot
  jobs           unique_id -> the job of that model
  outcomes       unique_id -> what on-run-end records
  clock          the engine's, see _clock
  new_schemas    those of state and stages that were not there
  without_state  whether this is a dry run that found no rows of state to read
  counts         (source name, version) -> how many rows it has
  changes        what happened to a source since it was read, see _change_of
  groups         name -> what is known of a refresh group, see _group
and, once they were asked for, functions and built.
#}
{% macro _memory() %}
    {%- set fresh = {
        "states": {},
        "pins": {},
        "jobs": {},
        "outcomes": {},
        "clock": {},
        "new_schemas": [],
        "counts": {},
        "changes": {},
        "groups": {},
        "without_state": false,
    } -%}
    {{ return(graph.setdefault("dbt_mview", fresh)) }}
{% endmacro %}
