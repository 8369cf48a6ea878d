{#
One refresh of one view after _look found something to do, as the protocol reads
(docs/protocol.md). The same steps serve the materialization and the run-operation, and print
themselves in a dry run. A member of a refresh group ends here with what it staged; the last one to
get there publishes for all (see _arrive).

Args: spec (what the view is, see _spec_from_model), job (this refresh, see _job).
#}
{% macro _refresh(spec, job) %}
    {%- do dbt_mview._refuse(spec, job) -%}
    {%- do dbt_mview._acquire(spec, job) -%}
    {%- do dbt_mview._recover(spec, job) -%}
    {%- if job.skip -%}
        {%- do dbt_mview._record_skip(spec, job) -%} {{ return(none) }}
    {%- endif -%}
    {%- if job.kept -%} {%- do job.update(dict(job.kept, token=job.token)) -%}
    {%- else -%} {%- do dbt_mview._pin(spec, job) -%} {%- do dbt_mview._plan(spec, job) -%}
    {%- endif -%}
    {%- do dbt_mview._stage(spec, job) -%}
    {%- do dbt_mview._audit(spec, job) -%}
    {%- if not job.waits -%} {%- do dbt_mview._finish(spec, job) -%} {%- endif -%}
{% endmacro %}


{# The second half: what readers and others get to see. Args: spec, job. #}
{% macro _finish(spec, job) %}
    {%- do dbt_mview._alter(spec, job) -%}
    {%- do dbt_mview._publish(spec, job) -%}
    {%- do dbt_mview._sweep(spec, job) -%}
    {%- do dbt_mview._record(spec, job) -%}
    {%- do dbt_mview._persist_docs(spec, job) -%}
{% endmacro %}
