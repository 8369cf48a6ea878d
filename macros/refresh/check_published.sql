{#
Sees that the publish is in the view's own history, because Delta drops an INSERT with an older
token without an error. It records no commit that changes no row either: then the lock is still
ours, the view is what it was, and what was read is news for state alone.

Args: spec, job. Sets job.commit. Errors: «lock lost».
#}
{% macro _check_published(spec, job) %}
    {%- if job.dry_run -%}
        {%- do job.update({"commit": {"version": none, "rows": none}}) -%} {{ return(none) }}
    {%- endif -%}
    {%- set history = dbt_mview._delta_history(spec.name, 10) -%}
    {%- set commit = dbt_mview._published({"history": history}, job.id) -%}
    {%- if commit is none -%}
        {%- do dbt_mview._check_lock_is_ours(spec, job) -%}
        {%- set commit = {"version": job.state.target_version, "rows": 0} -%}
    {%- endif -%}
    {%- if job.fast and dbt_mview._somebody_wrote(job, history, commit.version) -%}
        {#- As of the version before, so that the next look finds the view changed. -#}
        {%- set commit = dict(commit, version=job.state.target_version) -%}
    {%- endif -%}
    {%- do job.update({"commit": commit, "ended": dbt_mview._now_micros()}) -%}
{% endmacro %}


{# Whether the view that FAST built on was changed before it was published on. Returns: bool. #}
{% macro _somebody_wrote(job, history, published) %}
    {%- for commit in history if dbt_mview._is_data_commit(commit) -%}
        {%- set sent_twice = (commit.meta or {}).get("refresh_job_id") == job.id -%}
        {%- if job.target.history[0].version < commit.version < published and not sent_twice -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{#
Asks for the lock where a statement could not assert it in its own text: before a rename, and
after a publish that left no commit.

Args: spec, job. Errors: «lock lost».
#}
{% macro _check_lock_is_ours(spec, job) %}
    {%- if job.dry_run -%} {{ return(none) }}{%- endif -%}
    {%- set state = dbt_mview._read_state(spec.mview_id) -%}
    {%- if not state or state.lock_token != job.token or state.refresh_job_id != job.id -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "lock lost: another run took over the refresh, nothing was published by this one.",
            "The view holds the other run's result.",
        ) -%}
    {%- endif -%}
{% endmacro %}
