{#
What a log holds, how far it may be purged, and whether that was done already. The log's row of
state is read before: a lock that is taken by the token of that row proves that no other purge came
between, and that all this still holds.

Args: mlog_id, job (row, pass_over). Sets job.log (see _log_to_purge), job.safe (see _safe_version),
    job.needless.
#}
{% macro _look_at_purge(mlog_id, job) %}
    {%- set log_ = dbt_mview._log_to_purge(mlog_id, job.pass_over) -%}
    {%- do job.update({"log": log_, "needless": true}) -%}
    {%- if log_ is none -%} {{ return(none) }}{%- endif -%}
    {%- set safe = dbt_mview._safe_version(log_) -%}
    {%- set last = job.row.last_purged_version -%}
    {#- A log that began anew, over a base that did, holds versions that were purged of the old. -#}
    {%- set begins = log_.coverage.start.version -%}
    {%- set needless = last is not none and safe.version <= [last, begins] | min -%}
    {%- do job.update({"safe": safe, "needless": needless}) -%}
{% endmacro %}
