{#
The outcome of a refresh: one constructor with every key, outcomes as rows of SQL, and why one
failed that has no error of its own.
#}
{#
One end of a refresh.

    said by whoever ends it
      mview_id, job_id, owner  owner: invocation id
      token                    of the lock, or none if it never had one
      result                   success or failed
      type                     complete, fast or skip; none: it failed before there was a plan
      method, reason, failed_reason, started, ended, rows, sources, read_time, target_version,
      definition, definition_hash, spec, invocation_id, refresh_group  as the columns of state
      plan                     of its schedule, see _reschedule; none: it stays as it is
      seen                     last_refresh_time of the row that it went by, asked of skips and of
                               failures without a lock
      noted                    false: a skip of which state need not know, see _is_news
    said by _recover
      release                  the lock goes
      charge                   a failure counts; the same for all that are written at once

Args: mview_id, job_id, owner, token, result, type; others by name.
Returns: mapping with all of them. Errors: a key that is none of them.
#}
{% macro _outcome(mview_id, job_id, owner, token, result, type) %}
    {%- set outcome = {
        "mview_id": mview_id,
        "job_id": job_id,
        "owner": owner,
        "token": token,
        "result": result,
        "type": type,
        "release": true,
        "method": type,
        "reason": none,
        "failed_reason": none,
        "started": none,
        "ended": none,
        "rows": none,
        "sources": none,
        "read_time": none,
        "target_version": none,
        "definition": none,
        "definition_hash": none,
        "spec": none,
        "invocation_id": owner,
        "refresh_group": none,
        "plan": none,
        "seen": none,
        "noted": true,
        "charge": true,
    } -%}
    {{ return(dbt_mview._new_record("outcome", outcome, kwargs)) }}
{% endmacro %}


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


{#
Sources of which nothing was read yet: a view that was never built names them too, and a purge of
their logs counts it as version 0.

Args: relations (list of names, or none). Returns: list as of the column sources, or none.
#}
{% macro _named_sources(relations) %}
    {%- if not relations -%} {{ return(none) }}{%- endif -%}
    {%- set sources = [] -%}
    {%- for name in relations -%}
        {%- do sources.append(
            {"relation": name, "table_id": none, "version": none, "commit_time": none}
        ) -%}
    {%- endfor -%}
    {{ return(sources) }}
{% endmacro %}


{#
Why a refresh failed that has no error of its own, as state says it: these are the only texts of
state that are read back.

Args: code (not_finished: its run died; taken_over: so it did, and nobody said why;
    group_not_published: another member of its refresh_group held it up), detail (string, or none:
    why it died; the invocation that took over; the name of the group).
Returns: string.
#}
{% macro _failed_reason(code, detail=none) %}
    {%- if code == "group_not_published" -%}
        {{ return("refresh_group '" ~ detail ~ "' " ~ dbt_mview._group_not_published()) }}
    {%- endif -%}
    {%- set taken = "; its lock was taken over by " -%}
    {%- set more = (": " if code == "not_finished" else taken) ~ detail -%}
    {{ return(dbt_mview._not_finished() ~ (more if detail else "")) }}
{% endmacro %}


{#
The code of a text that state holds; releases before this one wrote the same texts.

Args: text (string, or none). Returns: string, see _failed_reason; none: any other failure.
#}
{% macro _failed_code(text) %}
    {%- set died = dbt_mview._not_finished() -%}
    {%- set taken = "; its lock was taken over by .*" -%}
    {%- set held_up = "refresh_group '[^']*' " ~ dbt_mview._group_not_published() -%}
    {%- for code, pattern in [
        ("not_finished", died ~ "(: .*)?"),
        ("taken_over", died ~ taken),
        ("group_not_published", held_up),
    ] -%}
        {%- if modules.re.fullmatch("(?s)" ~ pattern, text or "") -%}
            {{ return(code) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{% macro _not_finished() %} {{ return("the run did not finish") }} {% endmacro %}


{% macro _group_not_published() %}
    {{ return("was not published, because not all of its members got that far") }}
{% endmacro %}
