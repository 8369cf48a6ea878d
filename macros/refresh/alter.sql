{#
Step alter: brings the table properties up to date, which ALTER can change without a
rebuild. Runs right before publish; a run that dies in between finds the same difference again.

Args: spec, job (alterations, see _alterations).
#}
{% macro _alter(spec, job) %}
    {%- for clause in job.alterations -%}
        {%- if loop.first -%}
            {%- do log("Applying ALTER to: " ~ spec.rendered, info=false) -%}
        {%- endif -%}
        {%- do dbt_mview._run("alter", "alter table " ~ spec.name ~ " " ~ clause, job) -%}
    {%- endfor -%}
{% endmacro %}


{#
The ALTER clauses that lead from the recorded layout to the wanted one.

Args: spec, job. Returns: list of SQL clauses; none if it takes a replace.
#}
{% macro _alterations(spec, job) %}
    {%- if not job.state or not job.state.spec -%} {{ return(none) }}{%- endif -%}
    {%- set old = job.state.spec.layout -%}
    {%- set new = spec.layout -%}
    {%- set clauses = [] -%}
    {%- for key in dbt_mview._changed_keys(old, new) -%}
        {%- if key != "tblproperties" -%} {{ return(none) }}{%- endif -%}
    {%- endfor -%}
    {%- set gone = [] -%}
    {%- for key in old.tblproperties if key not in new.tblproperties -%}
        {%- do gone.append(dbt_mview._literal(key)) -%}
    {%- endfor -%}
    {%- set set_ = dbt_mview._differing(old.tblproperties, new.tblproperties) -%}
    {%- if gone -%}
        {%- do clauses.append("unset tblproperties if exists (" ~ gone | join(", ") ~ ")") -%}
    {%- endif -%}
    {%- if set_ -%}
        {%- do clauses.append("set tblproperties (" ~ dbt_mview._properties_sql(set_) ~ ")") -%}
    {%- endif -%}
    {{ return(clauses) }}
{% endmacro %}


{# The properties to set. Args: old, new (mappings). Returns: mapping, of new. #}
{% macro _differing(old, new) %}
    {%- set found = {} -%}
    {%- for key, value in new.items() if old.get(key) != value -%}
        {%- do found.update({key: value}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
