{#
Column comments, all in one commit, and only those that differ; the table's own comment.

Args: spec, job.
#}
{% macro _persist_docs(spec, job) %}
    {%- set name = spec.name -%}
    {%- set kept = job.get("skip") or job.publish in ["insert", "merge", "append", "nothing"] -%}
    {%- set was = (job.state.spec if job.state else none) or {} -%}
    {%- set other = was.get("unfinished") or (was.get("description") or "") != spec.description -%}
    {%- if kept and spec.description is not none and other -%}
        {%- do dbt_mview._run(
            "docs",
            "comment on table " ~ name ~ " is " ~ dbt_mview._literal(spec.description),
            job,
        ) -%}
    {%- endif -%}
    {%- set present = {} -%}
    {%- set names = [] -%}
    {%- if spec.documented -%}
        {%- for row in dbt_mview._read(
            "describe_query", "describe query select * from " ~ name
        ).rows -%}
            {%- do present.update({row[0] | lower: row[2] or ""}) -%}
            {%- do names.append(row[0]) -%}
        {%- endfor -%}
        {%- set documented = spec.documented -%}
        {#- Newer dbt warns about documented columns that are missing, and knows `quote`. -#}
        {%- if validate_doc_columns is defined -%}
            {%- set relation = api.Relation.create(
                database=spec.database, schema=spec.schema, identifier=spec.identifier
            ) -%}
            {%- set documented = validate_doc_columns(relation, documented, names) -%}
        {%- endif -%}
        {%- set changes = [] -%}
        {%- for column in documented.values() if column.name | lower in present -%}
            {%- set description = column.description or "" -%}
            {%- if present[column.name | lower] != description -%}
                {%- do changes.append(
                    dbt_mview._quote(column.name)
                    ~ " comment "
                    ~ dbt_mview._literal(description)
                ) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if changes -%}
            {%- do dbt_mview._run(
                "docs",
                "alter table " ~ name ~ " alter column " ~ changes | join(", "),
                job,
            ) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
