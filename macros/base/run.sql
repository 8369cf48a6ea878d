{#
The only way to the engine: run a statement that writes, read one that does not, and the two scripts
that catch an error, which Jinja cannot. Also the one form of error message, and of a printed table.
#}
{#
Runs one writing statement under the name of its protocol step, or prints it in a dry run.
The name is the one of the file, of the log line and of the crash point.

Args: step (string), sql (string), job (see _bare_job).
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

Args: text (string), job (see _bare_job). Sets job.run_text.
#}
{% macro _keep_text(text, job) %}
    {%- if job.unique_id == model.unique_id -%}
        {%- do job.update({"run_text": job.run_text ~ text ~ "\n\n"}) -%}
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
A statement whose failure is an answer. SQLEXCEPTION leaves out what Spark calls internal (SQLSTATE
XX...), as is a query of which two stages fail at one moment; two handlers in one block catch less
than each alone (Spark 4.1). Spark 4.0 refuses a handler for what it does not know, unless that is
declared. What is no error of Spark's own nothing can catch.

Args: sql, answers (bool: its own rows are the answer, else 'done'). Returns: SQL text, a script,
    whose one row is 'failed' where it failed.
#}
{% macro _try_sql(sql, answers=false) -%}
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;
{{ sql }}
;
        {%- if not answers %}
        select 'done' as outcome;
        {%- endif %}
    end;
end
{%- endmacro %}


{#
A statement that is run again when another writer won the race for the same rows. Jinja
cannot catch that error, a SQL script can; the last try has no handler, so its error is shown.
Without a conflict the script evaluates only the statement: Spark plans a query for each SET and
each condition of a script.

Args: sql (one statement). Returns: SQL text.
#}
{% macro _retry_on_conflict_sql(sql) %}
begin
    declare exit handler for sqlstate '2D521'
    begin
        declare tries int default 1;
        while tries < 10 do
            begin
                declare exit handler for sqlstate '2D521' set tries = tries + 1;
                {{ sql }};
                set tries = 100;
            end;
        end while;
        if tries < 100 then
            {{ sql }};
        end if;
    end;
    {{ sql }};
end
{%- endmacro %}


{#
One clear error: the object, the rule, the way out.

Args: mview_id (string), rule (string), way_out (string).
#}
{% macro _raise(mview_id, rule, way_out) %}
    {%- do exceptions.raise_compiler_error(
        "dbt_mview: " ~ mview_id ~ ": " ~ rule ~ " " ~ way_out
    ) -%}
{% endmacro %}


{#
Prints rows as a table with columns of one width.

Args: head (list of strings), lines (list of lists of strings), nothing (string or none: what is
    printed in place of a table without lines).
#}
{% macro _print_table(head, lines, nothing=none) %}
    {%- if nothing and not lines -%} {%- do print(nothing) -%} {{ return(none) }}{%- endif -%}
    {%- set widths = [] -%}
    {%- for title in head -%}
        {%- set column = loop.index0 -%}
        {%- set width = namespace(max=title | length) -%}
        {%- for line in lines -%}
            {%- set width.max = [width.max, line[column] | string | length] | max -%}
        {%- endfor -%}
        {%- do widths.append(width.max) -%}
    {%- endfor -%}
    {%- for line in [head] + lines -%}
        {%- set cells = [] -%}
        {%- for width in widths -%}
            {%- do cells.append((line[loop.index0] | string).ljust(width)) -%}
        {%- endfor -%}
        {%- do print((cells | join("  ")).rstrip()) -%}
    {%- endfor -%}
{% endmacro %}
