{#
What happened to the sources of a view since it was last refreshed, from Delta's history, or from a
log of them.
#}
{#
What happened to each source since the last success, from its Delta history alone.

Args: job (state, sources). Returns: mapping
    reason   why the changes cannot be had, or none
    changes  list of mappings relation, start, end (versions; start is what was read last), rows
             (estimated changed rows, none if unknown), inserts, deletes (bools: may hold some),
             columns_since (version whose columns may be others, or none)
#}
{% macro _source_changes(job) %}
    {%- set before = {} -%}
    {%- for source in job.state.sources or [] -%}
        {%- do before.update({source.relation: source}) -%}
    {%- endfor -%}
    {%- set changes = [] -%}
    {%- for source in job.sources -%}
        {%- set was = before.get(source.relation) -%}
        {%- set name = source.relation.split(".")[1:] | join(".") -%}
        {%- if source.version is none or (was and was.version is none) -%}
            {{ return({"reason": "INPUT_NOT_IN_DELTA: " ~ name, "changes": []}) }}
        {%- elif was is none -%} {{ return({"reason": "DEFINITION_CHANGED", "changes": []}) }}
        {%- elif not dbt_mview._same_commit(was, source) -%}
            {%- set change = dbt_mview._source_change(source.relation, was, source) -%}
            {%- if change.reason -%}
                {{ return({"reason": change.reason ~ ": " ~ name, "changes": []}) }}
            {%- endif -%}
            {%- do changes.append(change) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"reason": none, "changes": changes}) }}
{% endmacro %}


{#
The change of one source: from its own feed, else from a log of it. Views of a run that have read
equally far share one look.

Args: relation (name), was, now (pins). Returns: see _source_changes.
#}
{% macro _source_change(relation, was, now) %}
    {%- set changes = dbt_mview._memory().changes -%}
    {%- set key = (relation, was.version, was.commit_time, now.version, now.commit_time) -%}
    {%- if key not in changes -%}
        {%- set change = dbt_mview._feed_change(relation, was, now) -%}
        {%- if change.reason -%}
            {%- set change = dbt_mview._change_from_log(relation, was, now, change.reason) -%}
        {%- endif -%}
        {%- if not change.reason -%}
            {%- set reason = dbt_mview._note_columns_since(change, was, now) -%}
            {%- if reason -%} {%- set change = {"reason": reason} -%} {%- endif -%}
        {%- endif -%}
        {%- do changes.update({key: change}) -%}
    {%- endif -%}
    {{ return(dict(changes[key])) }}
{% endmacro %}


{#
Why the feed does not give what went away as it was: Delta reads the files of older versions by the
partitions of the newest one there is, and those that the oldest commit took away by its columns.
Tables that are replaced, overwritten with another schema or restored may have others.

Args: change (from the feed, see _source_changes). Returns: named reason, or none.
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
        {{ return("CHANGE_DATA_UNAVAILABLE: it was replaced or restored with other columns") }}
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
    {{ return("CHANGE_DATA_UNAVAILABLE: it was replaced or restored with other partitions") }}
{% endmacro %}
