{#
Runs one writing statement under the name of its protocol step, or prints it in a dry run.
The name is the one of the file, of the log line and of the crash point.

Args: step (string), sql (string), job (mapping: id, dry_run).
Returns: list of result rows; none in a dry run. Errors: the engine's own, unchanged.
#}
{% macro _run(step, sql, job) %}
    {%- set text = "/* dbt_mview step=" ~ step ~ " job=" ~ job.id ~ " */\n" ~ sql | trim -%}
    {%- if job.dry_run -%} {%- do print(text ~ ";") -%} {{ return(none) }} {%- endif -%}
    {%- do dbt_mview._keep_text(text ~ ";", job) -%}
    {%- call statement(step, fetch_result=True) -%} {{ text }}{%- endcall -%}
    {{ return(load_result(step)["data"]) }}
{% endmacro %}


{#
Adds to the model's file in target/run, where people look for what dbt sent. Members of a group are
published by another model's run, and what a hook or an operation sends is no model's.

Args: text (string), job (mapping unique_id). Sets job.run_text.
#}
{% macro _keep_text(text, job) %}
    {%- if job.get("unique_id") == model.unique_id -%}
        {%- do job.update({"run_text": job.get("run_text", "") ~ text ~ "\n\n"}) -%}
        {%- do write(job.run_text) -%}
    {%- endif -%}
{% endmacro %}


{#
Runs one reading statement, in a dry run as well.

Args: step (string), sql (string). Returns: agate table.
#}
{% macro _read(step, sql) %}
    {#- Put together here, because a text in the block below would be indented as the block is. -#}
    {%- set text = "/* dbt_mview step=" ~ step ~ " */\n" ~ sql | trim -%}
    {%- call statement("read_" ~ step, fetch_result=True) -%} {{ text }}{%- endcall -%}
    {{ return(load_result("read_" ~ step)["table"]) }}
{% endmacro %}


{# Whether the engine can read it. Args: step (string), sql (string). Returns: bool. #}
{% macro _succeeds(step, sql) %}
    {{ return(dbt_mview._read(step, dbt_mview._try_sql(sql)).rows[0][0] == "done") }}
{% endmacro %}


{#
One clear error: the object, the rule, the way out.

Args: mview_id (string), rule (string), way_out (string).
#}
{% macro _raise(mview_id, rule, way_out) %}
    {%- do exceptions.raise_compiler_error(
        "dbt_mview: " ~ mview_id ~ ": " ~ rule ~ " " ~ way_out
    ) -%}
{% endmacro %}
