{#
The outcomes as rows of a subquery; sources travel as JSON.

Args: outcomes (list of mappings). Returns: SQL text.
#}
{% macro _outcomes_sql(outcomes) %}
    {%- set rows = [] -%}
    {%- for o in outcomes -%}
        {%- set row = [
            dbt_mview._literal(o.mview_id), dbt_mview._literal(o.job_id),
            dbt_mview._literal(o.owner), dbt_mview._bigint(o.token),
            dbt_mview._literal(o.result), dbt_mview._literal(o.type),
            "true" if o.release else "false", dbt_mview._literal(o.method),
            dbt_mview._literal(o.reason), dbt_mview._literal(o.failed_reason),
            dbt_mview._timestamp(o.started), dbt_mview._timestamp(o.ended),
            dbt_mview._bigint(o.rows),
            dbt_mview._json_literal(o.sources), dbt_mview._timestamp(o.read_time),
            dbt_mview._bigint(o.target_version),
            dbt_mview._literal(o.definition), dbt_mview._literal(o.definition_hash),
            dbt_mview._json_literal(o.spec), dbt_mview._literal(o.invocation_id),
            dbt_mview._literal(o.refresh_group),
            "true" if o.plan else "false",
            dbt_mview._json_literal(o.plan.schedule if o.plan else none),
            dbt_mview._timestamp(o.plan.next_time if o.plan else none),
            dbt_mview._timestamp(o.seen),
        ] -%}
        {%- do rows.append("        (" ~ row | join(", ") ~ ")") -%}
    {%- endfor -%}
    select
        * except (sources_json),
        {{ dbt_mview._sources_of_json_sql("sources_json") }} as sources
    from values
{{ rows | join(",\n") }}
        as outcome (
            mview_id, job_id, owner, token, result, type, release, method, reason,
            failed_reason, started, ended, rows, sources_json, read_time, target_version,
            definition, definition_hash, spec, invocation_id, refresh_group, planned, schedule,
            next_time, seen
        )
{%- endmacro %}


{# Sources as the column holds them. Args: json (SQL text). Returns: SQL text. #}
{% macro _sources_of_json_sql(json) -%}
transform(
            from_json(
                {{ json }},
                'array<struct<relation: string, table_id: string, version: bigint,'
                || ' commit_time: bigint>>'
            ),
            s -> named_struct(
                'relation', s.relation, 'table_id', s.table_id, 'version', s.version,
                'commit_time', timestamp_micros(s.commit_time)
            )
        )
{%- endmacro %}
