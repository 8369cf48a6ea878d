{# Step capture: the base's changes since the last capture, appended in one commit. #}
{#
Step capture: appends the base's changes since the last capture, in one commit that says how far it
went. The statement itself checks whether the log holds them already. So it reads the log, and of
two captures at the same moment Delta lets one commit; the other is run again and finds them there.
If the feed turns out to be unreadable, because its files are gone, the log is started again.

Args: spec, job (change, coverage, now, added). Sets job.rows, job.was, job.coverage.
Errors: see _explain_empty_capture.
#}
{% macro _capture(spec, job) %}
    {%- set was = job.coverage.captured -%}
    {%- set at = {"version": job.now.version, "commit_time": job.now.commit_time} -%}
    {%- do job.update({"rows": 0, "was": was}) -%}
    {%- if job.added -%}
        {%- do dbt_mview._run("add_columns", dbt_mview._add_columns_sql(spec, job.added), job) -%}
    {%- endif -%}
    {%- if dbt_mview._is_partial_run() -%}
        {%- do job.update({"empty": "--empty" if flags.EMPTY else "--sample"}) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set version = job.coverage.version + (1 if job.added else 0) -%}
    {%- if job.change.inserts or job.change.deletes -%}
        {%- set capture = dbt_mview._capture_sql(spec, job, at) -%}
        {%- set capture = dbt_mview._retry_on_conflict_sql(capture) -%}
        {%- set outcome = dbt_mview._run("capture", dbt_mview._try_sql(capture), job) -%}
        {%- if outcome[0][0] != "done" -%}
            {%- if dbt_mview._feed_is_gone(spec.base, job) -%}
                {%- do job.update({"gap": "CHANGE_DATA_UNAVAILABLE: the feed cannot be read"}) -%}
                {{ return(dbt_mview._start_log(spec, job)) }}
            {%- endif -%}
            {#- Anything else is the user's to see. -#}
            {%- do dbt_mview._run("capture", capture, job) -%}
        {%- endif -%}
        {#- None if no row came. -#}
        {%- set commits = dbt_mview._delta_history(spec.name, 20) -%}
        {%- set commit = dbt_mview._commit_of(commits, "capture_job_id", job.id) -%}
        {%- if commit -%}
            {%- set coverage = dict(job.coverage, captured=at, version=commit.version) -%}
            {%- do job.update({"rows": commit.rows, "coverage": coverage}) -%}
        {%- else -%} {%- do dbt_mview._explain_empty_capture(spec, job) -%}
        {%- endif -%}
    {%- else -%} {%- do job.update({"coverage": dict(job.coverage, version=version)}) -%}
    {%- endif -%}
    {#- No row came, and Delta makes no commit without one; or somebody else changed the log. -#}
    {%- if job.coverage.captured.version == was.version < at.version -%}
        {%- if job.coverage.version == version -%}
            {%- do dbt_mview._note_capture(spec, job, at) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}


{#
Whether the changes themselves are gone: a VACUUM that left no trace may have taken them, and they
cannot be read. What fails for another reason (rights, a store that is away) may be read by the next
run; the log is not to lose its rows for that.

Args: base (name), job (columns, change). Returns: bool.
#}
{% macro _feed_is_gone(base, job) %}
    {%- set kept = dbt_mview._retention_micros(dbt_mview._seen_properties(base)) -%}
    {%- if job.change.first_time > dbt_mview._now_micros() - kept -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set names = dbt_mview._quote_all(job.columns | map(attribute="name") | list) -%}
    {%- set rows = "select " ~ names ~ " from " ~ dbt_mview._feed_sql(job.change) -%}
    {#- Every value is read: a count of rows reads none. -#}
    {%- set sql = "select max(length(cast(struct(*) as string))) from (" ~ rows ~ ")" -%}
    {{ return(not dbt_mview._succeeds("feed", sql)) }}
{% endmacro %}


{#
A capture that inserted nothing: there were no rows, or another one was quicker.

Args: spec, job (was). Sets job.coverage.
Errors: the log holds later rows that it does not say it has. To note more would hide what is
    missing between.
#}
{% macro _explain_empty_capture(spec, job) %}
    {%- set coverage = dbt_mview._coverage(spec.name) -%}
    {%- do job.update({"coverage": coverage}) -%}
    {%- if coverage.captured.version == job.was.version -%}
        {%- set last = dbt_mview._last_logged(spec.name, coverage.version) -%}
        {%- if last and last.version > job.was.version -%}
            {%- do dbt_mview._raise(
                spec.mlog_id,
                "the log holds rows of v"
                ~ last.version
                ~ " of its base, and was captured up to v"
                ~ job.was.version
                ~ ".",
                "Rebuild it with --full-refresh.",
            ) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}


{# Step note_capture: the log goes further, without a row. Args: spec, job, at. #}
{% macro _note_capture(spec, job, at) %}
    {%- do job.update({"coverage": dict(job.coverage, captured=at)}) -%}
    {%- do dbt_mview._run(
        "note_capture",
        "alter table "
        ~ spec.name
        ~ " set tblproperties ("
        ~ dbt_mview._captured_property(job.coverage)
        ~ ")",
        job,
    ) -%}
{% endmacro %}


{#
Appends what changed since the last capture. Rows of one version stay together: one file each, or
a few where they are many. No txnVersion: the versions of a base that was dropped and created start
at 0 again, and Delta would silently drop the captures of the new one.

Args: spec, job (columns, change, coverage), at (mapping version, commit_time: how far).
Returns: SQL text.
#}
{% macro _capture_sql(spec, job, at) -%}
{%- set names = dbt_mview._quote_all(job.columns | map(attribute="name") | list) -%}
{%- set names = names ~ ", " ~ dbt_mview._change_columns() | join(", ") -%}
{%- set told = dict(job.coverage, captured=at) -%}
insert into {{ spec.name }}
with ('userMetadata' = {{ dbt_mview._capture_meta(spec, job, told) }}) ({{ names }})
select /*+ rebalance(_commit_version) */ {{ names }}
from {{ dbt_mview._feed_sql(job.change) }}
where
    not exists (
        select 1 from {{ spec.name }} as logged
        where logged._commit_version > {{ job.coverage.captured.version }}
    )
{%- endmacro %}


{# Args: spec, columns (that the base got). Returns: SQL text. #}
{% macro _add_columns_sql(spec, columns) -%}
{%- set items = [] -%}
{%- for column in columns -%}
{%- do items.append(dbt_mview._quote(column.name) ~ " " ~ column.type) -%}
{%- endfor -%}
alter table {{ spec.name }} add columns ({{ items | join(", ") }})
{%- endmacro %}
