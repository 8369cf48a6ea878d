{#
Sees that a publish is in the view's history, because Delta drops a fenced one without an error.
#}
{#
Sees that the publish is in the view's own history, because Delta drops an INSERT with an older
token without an error. It records no commit that changes no row either: then the lock is still
ours, the view is what it was, and what was read is news for state alone.

Args: spec, job. Sets job.commit, job.ended (not in a dry run).
Errors: «lock lost»; Delta has dropped the publish; the engine does not record who made a commit.
#}
{% macro _check_published(spec, job) %}
    {%- if job.dry_run -%}
        {%- do job.update({"commit": {"version": none, "rows": none}}) -%} {{ return(none) }}
    {%- endif -%}
    {%- set history = dbt_mview._delta_history(spec.name, 10) -%}
    {%- set commit = dbt_mview._published({"history": history}, job.id) -%}
    {%- if commit is none -%}
        {%- do dbt_mview._check_lock_is_ours(spec, job) -%}
        {%- do dbt_mview._check_not_dropped(spec, job, history) -%}
        {%- do dbt_mview._check_recorded(spec, job, history) -%}
        {%- set commit = {"version": job.state.target_version, "rows": 0} -%}
    {%- endif -%}
    {%- if job.fast and dbt_mview._somebody_wrote(job, history, commit.version) -%}
        {#- As of the version before, so that the next look finds the view changed. -#}
        {%- set commit = dict(commit, version=job.state.target_version) -%}
    {%- endif -%}
    {%- do job.update({"commit": commit, "ended": dbt_mview._now_micros()}) -%}
{% endmacro %}


{#
A publish that left no commit changed no row, unless the view's history holds its token or a later
one: Delta has dropped it then. The next token is above the highest, so the next refresh succeeds.

Args: spec, job, history. Errors: the publish was dropped.
#}
{% macro _check_not_dropped(spec, job, history) %}
    {%- for commit in history if (commit.meta or {}).get("lock_token", 0) >= job.token -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "its history holds token "
            ~ commit.meta.lock_token
            ~ ", so that Delta dropped what was published under "
            ~ job.token
            ~ ": nothing was.",
            "Run again.",
        ) -%}
    {%- endfor -%}
{% endmacro %}


{#
What builds the table leaves a commit in any case. Where the history has it without the refresh,
the engine has dropped `userMetadata`.

Args: spec, job, history. Errors: the engine does not record who made a commit.
#}
{% macro _check_recorded(spec, job, history) %}
    {%- if job.publish in ["create", "replace", "swap"] -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "version "
            ~ history[0].version
            ~ " of its history, by "
            ~ history[0].operation
            ~ ", lacks the metadata that the refresh gave to its statement: after a crash nobody"
            ~ " could tell whether it had published.",
            "This engine does not record userMetadata: `dbt run-operation mview_doctor` says what"
            ~ " works here, docs/deploy.md where it does.",
        ) -%}
    {%- endif -%}
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
