{#
dbt's own line of the model: what was done, why, and which version came of it.

Args: job.
#}
{% macro _tell(job) %}
    {%- if job.skip -%}
        {%- do store_raw_result("main", message="SKIP " ~ job.skip, code="SKIP", rows_affected=0) -%}
    {%- else -%}
        {%- set method = "DEFERRED" if job.deferred else job.method | upper -%}
        {%- do store_raw_result(
            "main",
            message=method ~ " v" ~ job.commit.version ~ ", " ~ job.commit.rows ~ " rows: "
            ~ job.reason,
            code=method, rows_affected=job.commit.rows
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
Column comments, all in one commit, and only those that differ; the table's own comment.

Args: spec, job.
#}
{% macro _persist_docs(spec, job) %}
    {%- set name = spec.name -%}
    {%- if spec.description and job.publish == "insert"
        and job.state.spec.description != spec.description -%}
        {%- do dbt_mview._run(
            "docs", "comment on table " ~ name ~ " is " ~ dbt_mview._literal(spec.description), job
        ) -%}
    {%- endif -%}
    {%- set present = {} -%}
    {%- if config.persist_column_docs() and model.columns -%}
        {%- for row in dbt_mview._read("describe_query", "describe query select * from " ~ name).rows -%}
            {%- do present.update({row[0] | lower: row[2] or ""}) -%}
        {%- endfor -%}
        {%- set changes = [] -%}
        {%- for column in model.columns.values() if column.name | lower in present -%}
            {%- if column.description and present[column.name | lower] != column.description -%}
                {%- do changes.append(
                    dbt_mview._quote(column.name) ~ " comment "
                    ~ dbt_mview._literal(column.description)
                ) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if changes -%}
            {%- do dbt_mview._run(
                "docs", "alter table " ~ name ~ " alter column " ~ changes | join(", "), job
            ) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
