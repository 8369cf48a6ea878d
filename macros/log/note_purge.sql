{# Step note_purge: the log begins later from here on; rows go only after that. Args: log_, job. #}
{% macro _note_purge(log_, job) %}
    {%- if job.safe.version <= log_.coverage.start.version -%} {{ return(none) }}{%- endif -%}
    {%- set note = dbt_mview._purged_property(log_.coverage, job.safe) -%}
    {%- do dbt_mview._run(
        "note_purge",
        "alter table " ~ log_.name ~ " set tblproperties (" ~ note ~ ")",
        job,
    ) -%}
{% endmacro %}
