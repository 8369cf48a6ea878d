{#
What the staged changes amount to: how many groups have to be computed again, and between which
values the keys lie. Literal bounds are all that lets Delta leave files out.

Args: spec, job. Sets job.publish (nothing: the changes cancel out), job.doubts (int) and
    job.bounds (list of mappings column, low, high (SQL literals, none if there is no value),
    nulls (bool)); job.not_kept (a column whose '' and NULL Delta takes for one, where they are
    touched, or none).
#}
{% macro _look_at_stage(spec, job) %}
    {%- if job.dry_run -%} {{ return(none) }}{%- endif -%}
    {%- set bounded = "tinyint|smallint|int|bigint|decimal\\(.*\\)|date|string" -%}
    {%- set keys = [] -%}
    {%- for column in job.columns if column.name in job.fast["keys"] -%}
        {%- if modules.re.fullmatch(bounded, column.type) -%}
            {%- do keys.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set sql = dbt_mview._staged_changes_sql(spec, job, keys) -%}
    {%- set row = dbt_mview._read("staged_changes", sql).rows[0] -%}
    {%- do job.update({"doubts": row[1] | int}) -%}
    {%- if row[0] | int == 0 -%} {%- do job.update({"publish": "nothing"}) -%} {%- endif -%}
    {%- set not_kept = dbt_mview._not_kept(spec, keys) -%}
    {%- for column in keys -%}
        {%- set at = 3 * loop.index0 + 2 -%}
        {%- set low, high = row[at], row[at + 1] -%}
        {%- if column in not_kept and row[at + 2] | int > 0 -%}
            {%- do job.update({"not_kept": column.name}) -%}
        {%- endif -%}
        {#- Bytes that are no UTF-8 come as this character: as a bound, it is another text. -#}
        {%- if "\ufffd" not in (low or "") ~ (high or "") -%}
            {%- do job.bounds.append(
                {
                    "column": column.name,
                    "low": dbt_mview._typed_literal(low, column.type),
                    "high": dbt_mview._typed_literal(high, column.type),
                    "nulls": row[at + 2] | int > 0,
                }
            ) -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}
