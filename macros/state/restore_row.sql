{#
The row of a view as its own newest refresh tells it, where there is none.

Args: spec, commit (with meta, see _publish_meta). Returns: SQL text.
#}
{% macro _restore_row_sql(spec, commit) %}
    {%- set meta = commit.meta -%}
    {%- set outcome = dbt_mview._outcome(
        spec.mview_id, meta.refresh_job_id, none, meta.lock_token, "success", meta.method,
        sources=meta.sources, read_time=meta.read_time, target_version=commit.version,
        definition_hash=meta.definition_hash
    ) -%}
merge into {{ dbt_mview._info_table() }} as t
using (
{{ dbt_mview._outcomes_sql([outcome]) }}
) as s
on t.mview_id = s.mview_id and t.mview_id = {{ dbt_mview._literal(spec.mview_id) }}
when not matched then insert
    (mview_id, definition_hash, sources, last_successful_refresh_read_time, last_refresh_result,
    last_refresh_type, last_refresh_time, target_version, lock_token, refresh_job_id)
    values (
        s.mview_id, s.definition_hash, s.sources, s.read_time, s.result, s.type,
        {{ dbt_mview._timestamp(commit.commit_time) }}, s.target_version, s.token, s.job_id
    )
{%- endmacro %}
