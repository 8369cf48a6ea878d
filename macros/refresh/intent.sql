{#
What others need to know of a refresh that has not finished: the definition that it was about to
publish, the tables that it reads (a purge waits for them), the names of a rename chain, written
before the first rename, and what an earlier holder left that this one has yet to recover.
#}
{% macro _intent(spec, job) %}
    {%- set intent = {"definition": spec.definition, "spec": spec.stored} -%}
    {%- if job.get("reads") -%} {%- do intent.update({"reads": job.reads.tables}) -%} {%- endif -%}
    {%- if job.holder -%}
        {%- set left = dict(job.holder) -%}
        {%- do left.pop("published", none) -%}
        {%- do intent.update({"holder": left}) -%}
    {%- endif -%}
    {%- if job.target.kind not in ["missing", "delta"] -%}
        {%- do intent.update(
            {
                "swap": {
                    "schema": spec.schema,
                    "identifier": spec.identifier,
                    "kind": job.target.kind,
                    "new": "dbt_mview_new_" ~ job.id,
                    "backup": "dbt_mview_backup_" ~ job.id,
                }
            }
        ) -%}
    {%- endif -%}
    {{ return(intent) }}
{% endmacro %}
