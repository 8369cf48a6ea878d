{#
What keeps a table readable as it was. Delta refuses a version whose commit is older than the table
keeps deleted files, unless it is the newest, and cleans its log with a checkpoint. So (a) both have
to be kept for the window, a lease and a day, and (b) the newest commit must not grow old: VACUUM
commits a version of the same rows, and breaks no writer.
#}
{#
Judges tables, does what the var dbt_mview:flashback_protect allows, and notes what has changed.

Args: rows (of a track point, see _last_trackpoints), known (mapping relation -> its row before),
    settings (see _flashback_settings), job, acts (bool).
#}
{% macro _guarantee(rows, known, settings, job, acts) %}
    {%- set infos = dbt_mview._flashback_infos() if dbt_mview._has_flashback_state() else {} -%}
    {%- set changed = {} -%}
    {%- for row in rows -%}
        {%- set name = row.relation -%}
        {%- set blank = {
            "table_id": none,
            "guaranteed_since": none,
            "reason": none,
            "properties_before": none,
            "keep_alive_time": none,
        } -%}
        {%- set was = infos.get(name, blank) -%}
        {%- set table_id = row.table_id or known.get(name, {}).get("table_id") -%}
        {#- What replaced a table is not the one that was changed. -#}
        {%- set old = was if was.table_id in [none, table_id] else blank -%}
        {%- set info = dict(old, table_id=table_id) -%}
        {%- do dbt_mview._keep_readable(name, info, settings, job, acts) -%}
        {%- set since = info.guaranteed_since or dbt_mview._clock().now -%}
        {%- do info.update({"guaranteed_since": none if info.reason else since}) -%}
        {%- if info != was -%} {%- do changed.update({name: info}) -%} {%- endif -%}
    {%- endfor -%}
    {%- if changed -%} {%- do dbt_mview._note_infos(changed, job) -%} {%- endif -%}
    {%- if acts -%}
        {%- set looked = rows | map(attribute="relation") | list -%}
        {%- do dbt_mview._take_back(infos, infos | reject("in", looked) | list, job) -%}
    {%- endif -%}
{% endmacro %}


{# Args: infos (mapping relation -> see _flashback_infos), job. #}
{% macro _note_infos(infos, job) %}
    {%- set sql = dbt_mview._merge_flashback_infos_sql(infos) -%}
    {%- do dbt_mview._run("guarantee", dbt_mview._retry_on_conflict_sql(sql), job) -%}
{% endmacro %}


{#
One table. Args: name, info (see _flashback_infos), settings, job, acts (see _guarantee).
Sets info.reason, info.properties_before and info.keep_alive_time.
#}
{% macro _keep_readable(name, info, settings, job, acts) %}
    {%- set seen = dbt_mview._memory().tables[name] -%}
    {%- set may = acts and settings.protect != "none" -%}
    {%- do info.update({"reason": dbt_mview._why_not_kept(seen.properties, settings)}) -%}
    {%- if info.reason and may and settings.protect == "set" -%}
        {%- do dbt_mview._prolong_retention(name, info, seen.properties, settings, job) -%}
        {%- do info.update({"reason": none}) -%} {{ return(none) }}
    {%- elif info.reason -%} {{ return(none) }}
    {%- endif -%}
    {%- set needed = (settings.window + dbt_mview._lease_seconds()) * 1000000 -%}
    {%- set most = dbt_mview._retention_micros(seen.properties) - needed -%}
    {%- set now = dbt_mview._clock().now -%}
    {%- set age = now - seen.commits[0].commit_time -%}
    {%- set tried = info.keep_alive_time or 0 -%}
    {%- if age > most // 2 and may and tried < now - 86400 * 1000000 -%}
        {%- do info.update({"keep_alive_time": now}) -%}
        {%- set silent = dbt_mview._vacuum(name, false, job) -%}
        {%- do info.update({"reason": silent}) -%}
    {%- elif age > most -%}
        {%- do info.update(
            {
                "reason": (
                    "its newest commit is older than Delta lets others be read:"
                    ~ " mview_trackpoint_create keeps it alive, unless"
                    ~ " dbt_mview:flashback_protect forbids it"
                )
            }
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
Whether a table keeps files and log as long as flashback may read them.

Args: properties (of it), settings. Returns: string, why not; or none.
#}
{% macro _why_not_kept(properties, settings) %}
    {%- set needed = dbt_mview._needed_seconds(settings) -%}
    {%- set files = dbt_mview._retention_micros(properties) // 1000000 -%}
    {%- set log_ = dbt_mview._log_retention_micros(properties) // 1000000 -%}
    {%- if files >= needed and log_ >= files -%} {{ return(none) }}{%- endif -%}
    {{
        return(
            "it keeps deleted files for "
            ~ files
            ~ " s and its log for "
            ~ log_
            ~ " s, and a window of "
            ~ settings.window
            ~ " s takes "
            ~ needed
            ~ " s of both: give it longer delta.deletedFileRetentionDuration and"
            ~ " delta.logRetentionDuration, or let dbt_mview:flashback_protect be 'set'"
        )
    }}
{% endmacro %}


{# The window, a lease and a day. Args: settings. Returns: int (seconds). #}
{% macro _needed_seconds(settings) %}
    {{ return(settings.window + dbt_mview._lease_seconds() + 86400) }}
{% endmacro %}


{#
One ALTER of both properties; what they were is noted before, so that it can be taken back.

Args: name, info, properties (of the table), settings, job. Sets info.properties_before.
#}
{% macro _prolong_retention(name, info, properties, settings, job) %}
    {%- set hours = (dbt_mview._needed_seconds(settings) + 3599) // 3600 -%}
    {%- set known = {
        "delta.deletedFileRetentionDuration": dbt_mview._retention_micros(properties),
        "delta.logRetentionDuration": dbt_mview._log_retention_micros(properties),
    } -%}
    {%- set most = ([hours * 3600000000] + known.values() | list) | max -%}
    {%- set before, set_ = {}, {} -%}
    {%- for key, kept in known.items() -%}
        {%- set wanted = most if "log" in key else hours * 3600000000 -%}
        {%- if kept < wanted -%}
            {%- do before.update({key: properties.get(key)}) -%}
            {%- do set_.update({key: "interval " ~ (wanted // 3600000000) ~ " hours"}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set ours = info.properties_before or {"before": {}, "set": {}} -%}
    {%- do info.update(
        {
            "properties_before": {
                "before": dict(before, **ours.before),
                "set": dict(ours.set, **set_),
            }
        }
    ) -%}
    {%- do dbt_mview._note_infos({name: info}, job) -%}
    {%- set text = "alter table " ~ dbt_mview._quoted_name(name) ~ " set tblproperties (" -%}
    {%- do dbt_mview._run("protect", text ~ dbt_mview._properties_sql(set_) ~ ")", job) -%}
{% endmacro %}
