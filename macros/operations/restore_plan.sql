{# Which refresh a view is taken back to, and with cascade those that have read it. #}
{#
Args: id (mview_id), timestamp, version, cascade (as mview_restore).
Returns: list of mappings id, state (row), commits (the whole history), commit (of the refresh) and
    read (none as yet), the view first.
Errors: there is no such refresh; a view has none that is old enough.
#}
{% macro _restore_plan(id, timestamp, version, cascade) %}
    {%- set states = dbt_mview._read_states(none if cascade else [id]) -%}
    {%- set state = states.get(id) -%}
    {%- if state is none or dbt_mview._kind_at(id) != "delta" -%}
        {%- do dbt_mview._raise(
            id, "it was never built, or is no Delta table.", "Build it with dbt run."
        ) -%}
    {%- endif -%}
    {%- set one = dbt_mview._restorable(id, state) -%}
    {%- do one.update({"commit": dbt_mview._refresh_at(id, one.commits, timestamp, version)}) -%}
    {%- if not cascade -%} {{ return([one]) }}{%- endif -%}
    {%- set plan = {id: one} -%}
    {#- A view may have read another one of them: what it is taken to bounds others in turn. -#}
    {%- set turn = namespace(news=true) -%}
    {%- for _ in states if turn.news -%}
        {%- set turn.news = false -%}
        {%- for below, row in states.items() if below != id -%}
            {%- set bounds = dbt_mview._bounds_of(row, plan) -%}
            {%- if bounds -%}
                {%- set was = plan.get(below) or dbt_mview._restorable(below, row) -%}
                {%- set commit = dbt_mview._refresh_within(was, bounds) -%}
                {%- if below not in plan or commit.version != was.commit.version -%}
                    {%- do plan.update({below: dict(was, commit=commit)}) -%}
                    {%- set turn.news = true -%}
                {%- endif -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set moved = [] -%}
    {%- for one in plan.values() -%}
        {%- set newest = dbt_mview._newest_data_commit({"history": one.commits}) -%}
        {%- if one.id == id or one.commit.version != newest.version -%}
            {%- do moved.append(one) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(moved) }}
{% endmacro %}


{# Args: id, state (row). Returns: see _restore_plan, with no commit as yet. #}
{% macro _restorable(id, state) %}
    {%- set commits = dbt_mview._delta_history(dbt_mview._quoted_name(id), none) -%}
    {{ return({"id": id, "state": state, "commits": commits, "commit": none, "read": none}) }}
{% endmacro %}


{#
The refresh that was the newest at a time, or that a version is of.

Args: id, commits (newest first), timestamp, version (as mview_restore). Returns: commit.
Errors: there is none; somebody else wrote what was there then.
#}
{% macro _refresh_at(id, commits, timestamp, version) %}
    {%- if version is none -%}
        {%- set moment = dbt_mview._moment(timestamp, id) -%}
        {%- set older = commits | rejectattr("commit_time", "gt", moment) | list -%}
        {%- set asked = "'" ~ timestamp ~ "'" -%}
    {%- else -%}
        {%- set older = commits | rejectattr("version", "gt", version | int(-1)) | list -%}
        {%- set asked = "v" ~ version -%}
        {%- set known = older and older[0].version == version | int(-1) -%}
        {%- set older = older if known else [] -%}
    {%- endif -%}
    {%- if not older -%}
        {%- do dbt_mview._raise(
            id,
            "it has nothing of "
            ~ asked
            ~ ": its history goes from "
            ~ dbt_mview._version_text(commits[-1])
            ~ " to "
            ~ dbt_mview._version_text(commits[0])
            ~ ".",
            "Give a time or a version of these.",
        ) -%}
    {%- endif -%}
    {%- set commit = dbt_mview._newest_data_commit({"history": older}) -%}
    {%- if not dbt_mview._is_refresh_of(commit, id) -%}
        {%- set what = commit or older[0] -%}
        {%- do dbt_mview._raise(
            id,
            "v"
            ~ what.version
            ~ " is no refresh of this view, but "
            ~ what.operation
            ~ ".",
            "Give a version that mview_history or DESCRIBE HISTORY shows as a refresh.",
        ) -%}
    {%- endif -%}
    {{ return(commit) }}
{% endmacro %}


{#
Which of the tables that a view reads are taken back, and the last version of each that has the same
rows as what it is taken to.

Args: state (row), plan (mapping id -> see _restore_plan). Returns: mapping relation -> version.
#}
{% macro _bounds_of(state, plan) %}
    {%- set bounds = {} -%}
    {%- for source in state.sources or [] if source.relation in plan -%}
        {%- set one = plan[source.relation] -%}
        {%- set later = [] -%}
        {%- for commit in one.commits -%}
            {%- if commit.version > one.commit.version and dbt_mview._is_data_commit(commit) -%}
                {%- do later.append(commit.version) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if later -%} {%- do bounds.update({source.relation: later | min - 1}) -%} {%- endif -%}
    {%- endfor -%}
    {{ return(bounds) }}
{% endmacro %}


{#
The newest refresh of a view that read no later version of some tables.

Args: one (see _restore_plan), bounds (see _bounds_of). Returns: commit. Errors: there is none.
#}
{% macro _refresh_within(one, bounds) %}
    {%- for commit in one.commits if dbt_mview._is_refresh_of(commit, one.id) -%}
        {%- set later = [] -%}
        {%- for source in commit.meta.get("sources") or [] -%}
            {%- if source.version is none or source.version > bounds.get(
                source.relation, source.version
            ) -%}
                {%- do later.append(source.relation) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if not later -%} {{ return(commit) }}{%- endif -%}
    {%- endfor -%}
    {%- set limits = [] -%}
    {%- for relation, version in bounds | dictsort -%}
        {%- do limits.append(relation ~ " at or before v" ~ version) -%}
    {%- endfor -%}
    {%- do dbt_mview._raise(
        one.id,
        "no refresh in its history read " ~ limits | join(" and ") ~ ".",
        "Restore without cascade, and refresh it afterwards.",
    ) -%}
{% endmacro %}
