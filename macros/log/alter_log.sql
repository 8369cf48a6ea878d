{#
Step alter_log: brings the table properties that the model sets up to date. What it no longer sets
stays: state does not keep what a log was built with.

Args: spec, job (gap, coverage).
#}
{% macro _alter_log(spec, job) %}
    {%- if job.gap -%} {{ return(none) }}{%- endif -%}
    {%- set present = {"delta.enableChangeDataFeed": "false"} -%}
    {%- do present.update(job.coverage.properties) -%}
    {%- set wanted = dbt_mview._differing(present, spec.layout.tblproperties) -%}
    {%- if wanted -%}
        {%- set clause = " set tblproperties (" ~ dbt_mview._properties_sql(wanted) ~ ")" -%}
        {%- do dbt_mview._run("alter_log", "alter table " ~ spec.name ~ clause, job) -%}
    {%- endif -%}
{% endmacro %}
