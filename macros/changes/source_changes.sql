{#
What happened to the sources of a view since it was last refreshed, from Delta's history, from a
log of them, or by comparing two versions.
#}
{#
What happened to each source since the last success: by its Delta history (of its feed it is only
asked whether it can be read), else by a log of it, else by comparing two versions, see
_source_change.

Args: job (state, sources). Returns: mapping
    reason   why the changes cannot be had, see _reason; or none
    changes  list of changes, see _change_record
#}
{% macro _source_changes(job) %}
    {%- set before = {} -%}
    {%- for source in job.state.sources or [] -%}
        {%- do before.update({source.relation: source}) -%}
    {%- endfor -%}
    {%- set changes = [] -%}
    {%- for source in job.sources -%}
        {%- set was = before.get(source.relation) -%}
        {%- set name = dbt_mview._short_name(source.relation) -%}
        {%- if source.version is none or (was and was.version is none) -%}
            {%- set reason = dbt_mview._reason("INPUT_NOT_IN_DELTA", name) -%}
            {{ return({"reason": reason, "changes": []}) }}
        {%- elif was is none -%}
            {{ return({"reason": dbt_mview._reason("DEFINITION_CHANGED"), "changes": []}) }}
        {%- elif not dbt_mview._same_commit(was, source) -%}
            {%- set change = dbt_mview._source_change(source.relation, was, source) -%}
            {%- if change.reason -%}
                {%- set reason = dbt_mview._reason_at(change.reason, name) -%}
                {{ return({"reason": reason, "changes": []}) }}
            {%- endif -%}
            {%- do changes.append(change) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"reason": none, "changes": changes}) }}
{% endmacro %}


{#
What happened to one source between two versions of it.

    found by _feed_change, _change_from_log or _compared_change
      reason                   why its changes cannot be had, see _reason; then no more is known
      relation                 name of the source
      start, end               versions; start is what was read last
      first                    oldest version of the feed that has rows to be read
      first_time               when that was committed
      rows                     estimated changed rows; none: unknown
      inserts, deletes         whether it may hold some
      new_columns              names that came, lower case
      large_vectors            Delta may not be able to read its feed, see _add_commit_effect
      log                      mapping name, version, end, columns, next (first version of the feed
                               behind it, may lack); none: all of it is in the feed
      compared                 the two versions are compared instead, see _compared_change
    found by _note_columns_since
      columns_since            version whose columns may be others, or none
      may_be_char              a CHAR may have become another text
    found by _note_used_columns
      columns                  of the source; none: not looked at
      used                     those that the query uses; none: all
      maps                     see _whole_maps

Args: values (mapping, some of these). Returns: mapping with all of them.
Errors: a key that is none of them.
#}
{% macro _change_record(values) %}
    {%- set all = {
        "reason": none,
        "relation": none,
        "start": none,
        "end": none,
        "first": none,
        "first_time": none,
        "rows": 0,
        "inserts": false,
        "deletes": false,
        "new_columns": [],
        "large_vectors": false,
        "log": none,
        "compared": false,
        "columns_since": none,
        "may_be_char": false,
        "columns": none,
        "used": none,
        "maps": none,
    } -%}
    {{ return(dbt_mview._new_record("change", all, values)) }}
{% endmacro %}


{# A change that cannot be had. Args: see _reason. Returns: see _change_record. #}
{% macro _no_change(code, detail=none, also=[]) %}
    {{ return(dbt_mview._change_record({"reason": dbt_mview._reason(code, detail, also)})) }}
{% endmacro %}


{#
The change of one source: from its own feed, else from a log of it, else by comparing its versions.
Views of a run that have read equally far share one look.

Args: relation (name), was, now (pins). Returns: see _change_record.
#}
{% macro _source_change(relation, was, now) %}
    {%- set changes = dbt_mview._memory().changes -%}
    {%- set key = (relation, was.version, was.commit_time, now.version, now.commit_time) -%}
    {%- if key not in changes -%}
        {%- set change = dbt_mview._feed_change(relation, was, now) -%}
        {%- if change.reason -%}
            {%- set change = dbt_mview._change_from_log(relation, was, now, change.reason) -%}
        {%- endif -%}
        {%- set change = dbt_mview._compared_change(relation, was, now, change) -%}
        {%- if not change.reason -%}
            {%- set reason = dbt_mview._note_columns_since(change, was, now) -%}
            {%- if reason -%}
                {%- set change = dbt_mview._change_record({"reason": reason}) -%}
            {%- endif -%}
        {%- endif -%}
        {%- do changes.update({key: change}) -%}
    {%- endif -%}
    {{ return(dict(changes[key])) }}
{% endmacro %}


{#
Why the feed does not give what went away as it was: Delta reads the files of older versions by the
partitions of the newest one there is, and those that the oldest commit took away by its columns.
Tables that are replaced, overwritten with another schema or restored may have others.

Args: change (from the feed). Returns: see _reason, or none.
#}
{% macro _why_repartitioned(change) %}
    {%- set was, now = {"version": change.start}, {"version": change.end} -%}
    {%- set may = [] -%}
    {%- for commit in dbt_mview._commits_since(change.relation, was, now) -%}
        {%- if commit.operation == "RESTORE" or dbt_mview._may_repartition(commit) -%}
            {%- do may.append(commit.version) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not may or may[0] <= change.start -%} {{ return(none) }}{%- endif -%}
    {#- Delta compares the columns of all versions but the first; no row of these is read. -#}
    {%- set feed = dbt_mview._feed_sql(dict(change, first=change.start)) -%}
    {%- set asked = "select 1 from " ~ feed ~ " where _commit_version > " ~ change.end -%}
    {%- if not dbt_mview._succeeds("feed", asked) -%}
        {%- set detail = "it was replaced or restored with other columns" -%}
        {{ return(dbt_mview._reason("CHANGE_DATA_UNAVAILABLE", detail)) }}
    {%- endif -%}
    {#- From the newest back to the oldest version whose files may be read. -#}
    {%- set low = namespace(version=change.start) -%}
    {%- set layouts = [] -%}
    {%- for commit in dbt_mview._delta_history(dbt_mview._quoted_name(change.relation), none) -%}
        {%- set done = layouts and layouts[-1].version <= low.version -%}
        {%- if not done and commit.operation == "RESTORE" -%}
            {%- set to = (commit.parameters.get("version") or 0) | int -%}
            {%- set low.version = [low.version, to] | min -%}
        {%- elif not done and dbt_mview._may_repartition(commit) -%}
            {%- do layouts.append(commit) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set known = layouts and layouts[-1].version <= low.version -%}
    {%- set by = layouts | map(attribute="parameters.partitionBy", default="") | unique | list -%}
    {%- if known and by | length == 1 and by[0] -%} {{ return(none) }}{%- endif -%}
    {%- set detail = "it was replaced or restored with other partitions" -%}
    {{ return(dbt_mview._reason("CHANGE_DATA_UNAVAILABLE", detail)) }}
{% endmacro %}
