{# Prints each source, what was read of it, where it is now, what changed. Args: job. #}
{% macro _explain_sources(job) %}
    {%- set was = {} -%}
    {%- for source in job.state.sources or [] -%}
        {%- do was.update({source.relation: source.version}) -%}
    {%- endfor -%}
    {%- set rows = {} -%}
    {%- for change in job.get("changes") or [] -%}
        {%- set known = "all" if change.rows is none else change.rows -%}
        {%- do rows.update({change.relation: known}) -%}
    {%- endfor -%}
    {%- set lines = [] -%}
    {%- for source in job.sources -%}
        {%- set read = was.get(source.relation) -%}
        {%- do lines.append(
            [
                source.relation.split(".")[1:] | join("."),
                "-" if read is none else "v" ~ read,
                "-" if source.version is none else "v" ~ source.version,
                (
                    "-"
                    if none in [read, source.version] or read > source.version
                    else source.version - read
                ),
                rows.get(source.relation, "-"),
            ]
        ) -%}
    {%- endfor -%}
    {%- do dbt_mview._print_table(["source", "read", "now", "behind", "changed rows"], lines) -%}
{% endmacro %}
