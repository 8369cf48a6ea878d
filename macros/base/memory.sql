{#
What one invocation remembers between its models. Nothing else keeps state in `graph`; a new key is
described here.
#}
{#
What this invocation remembers between its models: dbt hands the same `graph` to every thread. A
program that invokes dbt again may hand it the same manifest again, so what an earlier invocation
knew is forgotten.

    set by _on_run_start, or by an operation
      states                   mview_id -> row of mview_refresh_info as of the start of the run
    set by _ensure_state
      ensured, ensured_logs    whether state is there, and its tables of logs
      ensured_flashback        and those of flashback
      stages                   job ids of those that were there then
      new_schemas              those of state and stages that were not there
      without_state            whether this is a dry run that found no rows of state to read
    set where first asked for
      clock                    the engine's, see _clock
      places                   what vars say of schemas, see _schema_from_var
      schemas                  those that are known to be there, lower case
      tables                   source name -> how it was looked at last, see _inspect_table
      counts                   (source name, version) -> how many rows it has; (source name, two
                               versions, what is compared) -> how many came and went, see
                               _count_compared
      pins                     source name -> its pinned version, so that all views of a run read
                               one snapshot; (refresh group, source name) for what a run builds
      travelled                (source name, time or version) -> its pin, see _travel; of a view
                               the text in place of it, see _view_at
      changes                  what happened to a source since it was read, see _source_change
      groups                   name -> what is known of a refresh group, see _group
      built                    what this run builds, see _run_start; none: not asked for
      functions                see _why_not_deterministic; none: not asked for
      rules                    see _rules
    set by mview_explain without a view
      foretold                 name of a table that is not there yet -> its columns
      queries                  unique_id -> see _query_of_model
      explained                query -> its plan, of the view that is looked at; none: asked anew
      names                    schema -> the tables and views in it
      feeds                    name of a table -> why its changes cannot be had, or none
    set by what is done
      reader                   what this run reads of the past, see _register_reader
      begun                    mview_id, mlog_id -> how many refreshes, purges of it have begun
      jobs                     unique_id -> the job of that model
      purges                   unique_id of a log's model -> its purge, see _purge_when_due
      outcomes                 unique_id -> what on-run-end records
      recorded                 on-run-end has recorded them

Returns: mapping with all of them.
#}
{% macro _memory() %}
    {%- set memories = graph.setdefault("dbt_mview", {}) -%}
    {%- if invocation_id in memories -%} {{ return(memories[invocation_id]) }}{%- endif -%}
    {%- set fresh = {
        "states": {},
        "pins": {},
        "travelled": {},
        "jobs": {},
        "outcomes": {},
        "clock": {},
        "schemas": [],
        "new_schemas": [],
        "tables": {},
        "counts": {},
        "changes": {},
        "groups": {},
        "purges": {},
        "begun": {},
        "without_state": false,
        "ensured": false,
        "ensured_logs": false,
        "ensured_flashback": false,
        "reader": {},
        "recorded": false,
        "stages": [],
        "places": {},
        "built": none,
        "functions": none,
        "rules": {},
        "foretold": {},
        "queries": {},
        "explained": none,
        "names": {},
        "feeds": {},
    } -%}
    {%- for earlier in memories.keys() | reject("equalto", invocation_id) | list -%}
        {%- do memories.pop(earlier, none) -%}
    {%- endfor -%}
    {{ return(memories.setdefault(invocation_id, fresh)) }}
{% endmacro %}


{#
What parts a refresh or purge from an earlier one of the same view or log in this run: an on-run-end
hook may do it once more.

Args: id (mview_id or mlog_id). Returns: string, empty the first time.
#}
{% macro _time_in_run(id) %}
    {%- set begun = dbt_mview._memory().begun -%}
    {%- set times = begun.get(id, 0) -%}
    {%- do begun.update({id: times + 1}) -%}
    {{ return("/" ~ times if times else "") }}
{% endmacro %}
