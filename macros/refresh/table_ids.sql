{#
Notes which tables the sources are. What leads on from its recorded version is the table that was
recorded; only of the others Delta is asked, which lists their files for that.

Args: job (state, sources). Sets table_id of each source.
#}
{% macro _note_table_ids(job) %}
    {%- set before = {} -%}
    {%- for was in (job.state.sources if job.state else none) or [] -%}
        {%- do before.update({was.relation: was}) -%}
    {%- endfor -%}
    {#- What has no version is no Delta table: Delta would not describe it. -#}
    {%- for source in job.sources if source.table_id is none and source.version is not none -%}
        {%- set was = before.get(source.relation) -%}
        {%- if was and was.table_id and dbt_mview._leads_on(was, source) -%}
            {%- do source.update({"table_id": was.table_id}) -%}
        {%- else -%}
            {%- set name = dbt_mview._quoted_name(source.relation) -%}
            {%- do source.update({"table_id": dbt_mview._delta_detail(name)["id"]}) -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}
