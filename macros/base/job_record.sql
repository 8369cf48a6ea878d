{# The record of one refresh, which its steps fill in. #}
{#
One refresh of one view, or an operation that takes its lock.

    begun by _job, or by an operation
      id                       of the refresh; another one where _acquire had to try again
      spec                     what the view is, see _spec_record
      unique_id                of the model, or the mview_id
      owner                    invocation id
      dry_run                  print the statements instead
      record_now               there is no on-run-end that would record the outcome
      started                  when (microseconds)
      scheduled                whether it is the run that was planned
      state                    row of the view as it was looked at, or none
      run_text                 see _bare_job
    asked by an operation
      force                    take the lock even while its lease runs
      explain_only             what cannot be FAST is told, not refused
      release_after_recover    the lock goes with the last holder that is recovered
      unfinished_reason        why the holder did not finish, or none
      counts_as_failure        whether what the holder did not publish is a failure of the view
    found by _look
      reads, bindings, unbound, made_elsewhere, travelled, at_two_times  of the query, see _reads
                               and _bindings
      definition_hash          see _definition_hash
      date_change              see _date_change; or none
      target                   what stands under the view's name, see _target
      sources                  pinned, see _pinned_sources; _pin: as of now
      sources_behind           those that the view has read further, see _check_not_behind
      holder                   who held the lock before this run, see _check_lock; none: nobody
      reason                   why it is refreshed, see _why_refresh; none: it need not be
      skip                     why nothing is to be done, or none
    made by _plan_before_lock
      preplanned               the job with its plan, until it has the lock
    found by _check_lock and _acquire
      token                    of the lock
      lease                    mapping seconds, since (microseconds, by this machine); or none
      left_to_other            another run has it, see _check_lock
      wait_until               when waiting for it ends (microseconds); none: it has not begun
      refused                  another run has it, or the row is missing: state is not to tell of it
    made by _pin
      query                    SQL text, bound to versions
      read_time                as of when (microseconds)
    made by _plan
      method                   complete or fast
      publish                  how, see _plan
      columns                  list of name, type, expression
      schema_change            how these are not the view's, for people; or none
      order                    as the query has them, lower case
      alterations              ALTER clauses, see _alterations
      deferred                 an empty table is built
      waits                    it waits for its refresh_group
      staged                   it is looked at before it is published
      followed                 how FAST follows, and how many changed rows, for people; or none
      not_fast                 why it is COMPLETE, unless reason says it; or none
      fast                     the delta plan, see _delta_plan_record; of COMPLETE the one of the
                               difference, see _publish_difference; none: all rows are published
      asserted                 audits that the publish of FAST asserts, see _asserted_value_sql
      invariants               it asserts what holds of every such publish, see _broken_invariant;
                               a group that has decided must not fail any more
      changes                  of its sources, see _source_changes
    found by _stage
      stage_is_complete        the stage is there as a whole
      undecided, bounds, lossy_partition_column, broken, missing_rows  see _inspect_stage
    noted by _decide, _publish and _check_published
      commit_decided           its group's publish is decided
      publish_sent             the publish was sent to the engine
      commit                   of the publish, mapping version, rows
      ended                    when (microseconds)
    noted by _assign_failure
      group_failure            message of the node that failed in its place, or none
      failed_for_member        its node failed for another member
    of a refresh that is published for a dead run, see _publish_decided
      asserted_job_id, asserted_token  of the lock that is asserted

Args: values (mapping, some of these). Returns: mapping with all of them.
Errors: a key that is none of them.
#}
{% macro _job_record(values) %}
    {%- set begun = {
        "id": none,
        "spec": none,
        "unique_id": none,
        "owner": none,
        "dry_run": false,
        "record_now": false,
        "started": none,
        "scheduled": false,
        "state": none,
        "run_text": "",
    } -%}
    {%- set asked = {
        "force": false,
        "explain_only": false,
        "release_after_recover": false,
        "unfinished_reason": none,
        "counts_as_failure": true,
    } -%}
    {%- set looked = {
        "reads": none,
        "bindings": {},
        "unbound": [],
        "made_elsewhere": false,
        "travelled": {},
        "at_two_times": {},
        "definition_hash": none,
        "date_change": none,
        "target": none,
        "sources": [],
        "sources_behind": [],
        "holder": none,
        "reason": none,
        "skip": none,
    } -%}
    {%- set locked = {
        "preplanned": none,
        "token": none,
        "lease": none,
        "left_to_other": false,
        "wait_until": none,
        "refused": false,
    } -%}
    {%- set planned = {
        "query": none,
        "read_time": none,
        "method": none,
        "publish": none,
        "columns": [],
        "schema_change": none,
        "order": [],
        "alterations": [],
        "deferred": false,
        "waits": false,
        "staged": false,
        "followed": none,
        "not_fast": none,
        "fast": none,
        "asserted": [],
        "invariants": false,
        "changes": [],
    } -%}
    {%- set staged = {
        "stage_is_complete": false,
        "undecided": none,
        "bounds": none,
        "lossy_partition_column": none,
        "broken": none,
        "missing_rows": 0,
    } -%}
    {%- set published = {
        "commit_decided": false,
        "publish_sent": false,
        "commit": none,
        "ended": none,
        "group_failure": none,
        "failed_for_member": false,
        "asserted_job_id": none,
        "asserted_token": none,
    } -%}
    {%- set all = dict(begun, **asked) -%}
    {%- set all = dict(all, **looked) -%}
    {%- set all = dict(all, **locked) -%}
    {%- set all = dict(all, **planned) -%}
    {%- set all = dict(all, **staged) -%}
    {{ return(dbt_mview._new_record("job", dict(all, **published), values)) }}
{% endmacro %}
