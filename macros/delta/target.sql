{#
What has a view's name, and what its commits say of the refreshes that made them: the metadata that
a refresh writes into its commit, and how it is found again.
#}
{#
What has the view's name, asked from the catalog and never from dbt's cache, which can be empty by
mistake.

Args: spec, state (row of the view, or none). Returns: mapping with kind
    (missing|view|delta|parquet|...), name (quoted) and history (newest commits, for a Delta table).
#}
{% macro _target(spec, state=none) %}
    {%- set kind = dbt_mview._kind_of(spec.schema, spec.identifier, spec.database) -%}
    {%- set found = {"kind": kind, "name": spec.name, "history": []} -%}
    {%- if kind == "delta" -%}
        {%- set last = state.target_version if state else none -%}
        {%- do found.update({"history": dbt_mview._history_since(spec.name, last)}) -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}


{# Args: target (mapping), job_id. Returns: the commit of that refresh, or none. #}
{% macro _published(target, job_id) %}
    {{ return(dbt_mview._commit_of(target.history, "refresh_job_id", job_id)) }}
{% endmacro %}


{# Args: target (mapping). Returns: the newest commit that can change what readers see, or none. #}
{% macro _newest_data_commit(target) %}
    {%- for commit in target.history if dbt_mview._is_data_commit(commit) -%}
        {{ return(commit) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Args: commit (see _delta_history, or none), mview_id. Returns: bool. #}
{% macro _is_refresh_of(commit, mview_id) %}
    {{ return(commit is not none and (commit.meta or {}).get("mview_id") == mview_id) }}
{% endmacro %}


{# Args: history (newest first), mview_id. Returns: bool; none if no commit says. #}
{% macro _whose_table(history, mview_id) %}
    {%- for commit in history -%}
        {%- if dbt_mview._is_refresh_of(commit, mview_id) -%} {{ return(true) }}{%- endif -%}
        {%- if commit.operation.startswith(("CREATE", "REPLACE", "CLONE", "CONVERT")) -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Args: text (string or none). Returns: the package's own part of userMetadata, or none. #}
{% macro _commit_meta(text) %}
    {%- if not text or not (text | string).startswith('{"dbt_mview"') -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set meta = (fromjson(text, {}) or {}).get("dbt_mview") -%}
    {{ return(meta if meta is mapping else none) }}
{% endmacro %}


{# A MERGE carries its refresh as hexadecimal digits in a condition, see _merge_changes_sql. #}
{% macro _merge_meta(parameters) %}
    {%- set found = modules.re.search(
        "7b226462745f6d7669657722[0-9a-f]+",
        parameters.get("notMatchedPredicates") or "",
    ) -%}
    {{ return("".encode().fromhex(found.group(0)).decode("utf-8") if found else none) }}
{% endmacro %}


{#
What the commit says of itself: enough to record the refresh if its run dies right after.

Args: spec, job. Returns: mapping.
#}
{% macro _publish_meta(spec, job) %}
    {%- set today = (spec.stored or {}).get("today") -%}
    {%- set meta = {
        "mview_id": spec.mview_id,
        "refresh_job_id": job.id,
        "lock_token": job.token,
        "method": job.method,
        "reason": dbt_mview._reason_of_job(job),
        "started": job.started,
        "read_time": none if job.deferred else job.read_time,
        "sources": job.sources,
        "definition_hash": job.definition_hash,
        "invocation_id": job.owner,
    } -%}
    {{ return({"dbt_mview": dict(meta, today=today) if today else meta}) }}
{% endmacro %}
