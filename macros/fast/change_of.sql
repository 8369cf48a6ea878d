{#
The change of one source: from its own feed, else from a log of it. Views of a run that have read
equally far share one look.

Args: relation (name), was, now (pins). Returns: see _source_changes.
#}
{% macro _change_of(relation, was, now) %}
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


{# As _change_of, from the feed alone. #}
{% macro _feed_change(relation, was, now) %}
    {%- if now.version <= was.version -%} {{ return({"reason": "SOURCE_REPLACED"}) }}{%- endif -%}
    {%- set commits = dbt_mview._commits_since(relation, was, now) -%}
    {%- set properties = dbt_mview._seen_properties(relation) -%}
    {%- set feed_is_on = properties.get("delta.enableChangeDataFeed", "") | lower == "true" -%}
    {%- set moved = [] -%}
    {%- for commit in commits if was.version < commit.version <= now.version -%}
        {%- if dbt_mview._is_data_commit(commit) -%} {%- do moved.append(commit) -%} {%- endif -%}
    {%- endfor -%}
    {#- Commits that changed no row need no feed. -#}
    {%- if not feed_is_on and (moved or not commits) -%}
        {{ return({"reason": "CHANGE_DATA_UNAVAILABLE: no change data feed"}) }}
    {%- endif -%}
    {%- if not commits -%} {{ return({"reason": "CHANGE_DATA_UNAVAILABLE"}) }}{%- endif -%}
    {%- if not dbt_mview._same_commit(commits[-1], was) -%}
        {{ return({"reason": "SOURCE_REPLACED"}) }}
    {%- endif -%}
    {%- set change = {
        "reason": none,
        "relation": relation,
        "start": was.version,
        "first": was.version + 1,
        "end": now.version,
        "rows": 0,
        "inserts": false,
        "deletes": false,
        "new_columns": [],
    } -%}
    {%- for commit in moved -%} {%- do dbt_mview._add_commit(change, commit) -%} {%- endfor -%}
    {#- Newest first: the last one is the oldest that has rows to be read. -#}
    {%- set first = moved[-1] if moved else none -%}
    {%- for commit in commits if commit.version > was.version -%}
        {%- set reason = dbt_mview._feed_broken_by(commit, first) -%}
        {%- if reason -%} {{ return({"reason": reason}) }}{%- endif -%}
    {%- endfor -%}
    {%- if first -%}
        {%- do change.update({"first": first.version, "first_time": first.commit_time}) -%}
        {%- set feed = dbt_mview._feed_sql(change) -%}
        {%- if dbt_mview._is_refused(feed, first, properties) -%}
            {{ return({"reason": "CHANGE_DATA_UNAVAILABLE: older than the table keeps"}) }}
        {%- endif -%}
    {%- endif -%}
    {{ return(change) }}
{% endmacro %}


{#
Notes the version since which a table may have other columns, by its history; none where no commit
may have changed them. A log compares the names and types of its own columns alone.

Args: change, was, now (pins). Sets change.columns_since, and may_be_char where a CHAR may have
    become another text.
Returns: named reason, where the columns of then may have been others and cannot be looked at any
    more, or none.
#}
{% macro _note_columns_since(change, was, now) %}
    {#- None where history does not reach what was read. -#}
    {%- set commits = dbt_mview._commits_since(change.relation, was, now) -%}
    {%- do change.update({"columns_since": none if commits else was.version}) -%}
    {%- if not commits -%} {%- do change.update({"may_be_char": true}) -%} {%- endif -%}
    {%- for commit in commits if was.version < commit.version <= change.end -%}
        {%- if dbt_mview._may_change_columns(commit) -%}
            {%- do change.update({"columns_since": was.version}) -%}
        {%- endif -%}
        {%- if commit.operation.startswith(
            ("CHANGE COLUMN", "RESTORE")
        ) or dbt_mview._lays_out(commit) -%}
            {%- do change.update({"may_be_char": true}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if change.columns_since is none -%} {{ return(none) }}{%- endif -%}
    {%- set then = dbt_mview._quoted_name(change.relation) ~ " version as of " ~ was.version -%}
    {%- set properties = dbt_mview._seen_properties(change.relation) -%}
    {%- if dbt_mview._is_refused(then, commits[-1] if commits else none, properties) -%}
        {{ return("CHANGE_DATA_UNAVAILABLE: its columns of then cannot be read") }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
