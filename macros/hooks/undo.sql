{#
Takes away what a failed refresh of this run left: its stage, its half rename chain. Its publish may
still be running where dbt was told that it failed (a timeout, --fail-fast, a lost connection), and
the lock is about to be free: so it is fenced before it is looked for. An error with an SQLSTATE,
and the one that a thrift server answers with, say that the statement has ended in the engine. Then
there is no fence, which would fail where the table cannot be written, and nothing could catch that.

Args: job, message (of the failure). Returns: the commit, if it was published all the same, else
    none.
#}
{% macro _undo(job, message="") %}
    {%- if not job.get("publish") -%} {{ return(none) }}{%- endif -%}
    {%- if job.get("staged") -%}
        {%- do dbt_mview._drop_stage("sweep", job.id, job, job.get("stage_is_whole")) -%}
    {%- endif -%}
    {%- if job.get("publish") == "swap" -%}
        {%- do dbt_mview._replay_swap(job.spec, dbt_mview._intent(job.spec, job).swap, job) -%}
    {%- endif -%}
    {%- set target = dbt_mview._target(job.spec, job.state) -%}
    {%- set published = dbt_mview._published(target, job.id) -%}
    {%- set answered = "\\bSQLSTATE\\b|HiveSQLException: Error running query" -%}
    {%- set ended = modules.re.search(answered, message) -%}
    {%- set unsure = job.get("sent") and not ended and not published and target.kind == "delta" -%}
    {%- if unsure and dbt_mview._holds_lock(job.spec.mview_id, job) -%}
        {%- set fence = dbt_mview._try_sql(dbt_mview._fence_sql(job.spec, job)) -%}
        {%- do dbt_mview._run("fence", fence, job) -%}
        {%- set target = dbt_mview._target(job.spec, job.state) -%}
        {%- set published = dbt_mview._published(target, job.id) -%}
    {%- endif -%}
    {{ return(published) }}
{% endmacro %}
