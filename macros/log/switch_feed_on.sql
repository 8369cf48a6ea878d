{#
Step switch_feed_on: without its change data feed a table cannot be logged. What changed before is
lost to the log, see gap.sql. Not with --empty or --sample: then the base may be another target's.

Args: spec, job (base, feed_is_on). Sets job.now, as the log can begin only now.
Errors: see _refuse_deferred_base.
#}
{% macro _switch_feed_on(spec, job) %}
    {%- if job.feed_is_on or dbt_mview._is_cut_short() -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._refuse_deferred_base(spec) -%}
    {%- do dbt_mview._run(
        "switch_feed_on",
        "alter table "
        ~ job.base
        ~ " set tblproperties ('delta.enableChangeDataFeed' = 'true')",
        job,
    ) -%}
    {%- do log(
        "dbt_mview: switched the change data feed of "
        ~ spec.base
        ~ " on, for the materialized view log "
        ~ spec.mlog_id,
        info=true,
    ) -%}
    {%- do job.update({"now": dbt_mview._pin_table(spec.base, none)}) -%}
{% endmacro %}
