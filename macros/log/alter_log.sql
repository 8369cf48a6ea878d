{#
Step alter_log: brings the table properties that the model sets up to date. What it no longer sets
stays: state does not keep what a log was built with.

Args: spec, job (gap, coverage).
#}
{% macro _alter_log(spec, job) %}
    {%- if job.gap -%} {{ return(none) }}{%- endif -%}
    {%- set wanted = {} -%}
    {%- for key, value in spec.layout.tblproperties.items() -%}
        {%- if job.coverage.properties.get(key) != value -%}
            {%- do wanted.update({key: value}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if wanted -%}
        {%- set clause = " set tblproperties (" ~ dbt_mview._properties_sql(wanted) ~ ")" -%}
        {%- do dbt_mview._run("alter_log", "alter table " ~ spec.name ~ clause, job) -%}
    {%- endif -%}
{% endmacro %}
