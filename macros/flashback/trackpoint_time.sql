{#
A track point: the version of each table at one moment, which is before the first look at any of
them. So it is a causal cut: what was made after a commit was visible is later than that.
#}
{#
The moment of a track point: 2 s ago, by which each commit of that time is visible. Asked before
anything is looked at.

Returns: int (microseconds).
#}
{% macro _trackpoint_time() %} {{ return(dbt_mview._clock().now - 2000000) }} {% endmacro %}


{#
Makes a track point, and sees to it that its tables stay readable.

Args: at (see _trackpoint_time), names (of the tables to look at, or none: of all), job (see
    _bare_job), acts (bool: what keeps tables readable is done, not only judged).
Returns: mapping at, tables, changed (ints), key_frame (bool) and why_not (string: no track point;
    or none).
#}
{% macro _create_trackpoint(at, names, job, acts) %}
    {%- set settings = dbt_mview._flashback_settings() -%}
    {%- set last = dbt_mview._last_trackpoints() -%}
    {%- set made = {"at": at, "tables": 0, "changed": 0, "key_frame": false, "why_not": none} -%}
    {%- set since = at - (last.time or 0) -%}
    {%- if since < settings.create_interval * 1000000 -%}
        {%- set age = "the last track point is of " ~ dbt_mview._moment_text(last.time or 0) -%}
        {%- set rule = ", and they are " ~ settings.create_interval ~ " s apart at least" -%}
        {{ return(dict(made, why_not=age ~ rule)) }}
    {%- endif -%}
    {%- do dbt_mview._ensure_flashback_state(job.dry_run) -%}
    {%- set day = dbt_mview._iso(at)[:10] -%}
    {%- set key_frame = last.day is none or day > last.day -%}
    {%- if names is none or key_frame -%}
        {%- set names = dbt_mview._registered_tables() -%}
    {%- endif -%}
    {%- set rows, changed = [], [] -%}
    {%- for name in names -%}
        {%- set row = dbt_mview._version_at(name, at) -%}
        {%- if row -%}
            {%- do rows.append(row) -%}
            {%- set was = last.rows.get(name) -%}
            {%- if key_frame or was is none or not dbt_mview._same_commit(was, row) -%}
                {%- do changed.append(row) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do dbt_mview._note_table_ids(
        {"state": {"sources": last.rows.values() | list}, "sources": changed}
    ) -%}
    {%- if changed -%}
        {%- set sql = dbt_mview._insert_trackpoint_sql(at, day, changed, key_frame) -%}
        {%- do dbt_mview._run("trackpoint", dbt_mview._retry_on_conflict_sql(sql), job) -%}
    {%- endif -%}
    {%- do dbt_mview._guarantee(rows, last.rows, settings, job, acts) -%}
    {{
        return(
            dict(
                made,
                tables=rows | length,
                changed=changed | length,
                key_frame=key_frame and changed != [],
            )
        )
    }}
{% endmacro %}


{#
The last commit of a table at or before a moment, by a look that this invocation made after it.

Args: name, at. Returns: mapping relation, table_id (none as yet), version, commit_time; none for
    what is no Delta table, or was not there then.
#}
{% macro _version_at(name, at) %}
    {%- set seen = dbt_mview._memory().tables.get(name) or dbt_mview._inspect_table(name) -%}
    {%- set pin = dbt_mview._pin_as_seen(name, seen, at) -%}
    {{ return(none if pin.version is none or pin.commit_time > at else pin) }}
{% endmacro %}


{#
After a run: a track point from the looks that it made anyway, of all tables on the first of a day.
What a run must not do beside its own work, keeping tables alive, is left to the operation.
#}
{% macro _trackpoint_of_run() %}
    {%- if not dbt_mview._flashback_settings().enable -%} {{ return(none) }}{%- endif -%}
    {%- set said = dbt_mview._said_of_flashback() -%}
    {%- set names = [] -%}
    {%- for name, seen in dbt_mview._memory().tables | dictsort if seen and said.get(name, true) -%}
        {%- do names.append(name) -%}
    {%- endfor -%}
    {%- if names -%}
        {%- do dbt_mview._create_trackpoint(
            dbt_mview._trackpoint_time(), names, dbt_mview._bare_job(), acts=false
        ) -%}
    {%- endif -%}
{% endmacro %}
