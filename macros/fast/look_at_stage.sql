{#
What the staged changes amount to: how many groups have to be computed again, and between which
values the keys lie. Literal bounds are all that lets Delta leave files out.

Args: spec, job. Sets job.publish (nothing: the changes cancel out), job.doubts (int) and job.bounds (list of mappings column, low, high (SQL
    literals, none if there is no value), nulls (bool)).
#}
{% macro _look_at_stage(spec, job) %}
    {%- do job.update({"doubts": 0, "bounds": []}) -%}
    {%- if job.dry_run -%} {{ return(none) }}{%- endif -%}
    {%- set keys = [] -%}
    {%- for column in job.columns if column.name in job.fast["keys"] -%}
        {%- if modules.re.fullmatch(
            "tinyint|smallint|int|bigint|decimal\\(.*\\)|date|string", column.type
        ) -%}
            {%- do keys.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set source = dbt_mview._stage_name(job.id) -%}
    {%- set items = ["count(*)", "0"] -%}
    {%- if job.fast.strategy == "aggregate" and job.changes | selectattr("deletes") | list -%}
        {%- set source = "(\n" ~ dbt_mview._combined_sql(spec, job) ~ "\n)" -%}
        {%- set items = ["count(*)", "count_if(_mview_doubt)"] -%}
    {%- endif -%}
    {%- for column in keys -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- do items.append("cast(min(" ~ name ~ ") as string)") -%}
        {%- do items.append("cast(max(" ~ name ~ ") as string)") -%}
        {%- do items.append("count_if(" ~ name ~ " is null)") -%}
    {%- endfor -%}
    {%- set row = dbt_mview._read(
        "staged_changes", "select " ~ items | join(", ") ~ " from " ~ source
    ).rows[0] -%}
    {%- do job.update({"doubts": row[1] | int}) -%}
    {%- if row[0] | int == 0 -%} {%- do job.update({"publish": "nothing"}) -%} {%- endif -%}
    {%- for column in keys -%}
        {%- set low, high = row[3 * loop.index0 + 2], row[3 * loop.index0 + 3] -%}
        {%- do job.bounds.append(
            {
                "column": column.name,
                "low": (
                    none if low is none else dbt_mview._typed_literal(low, column.type)
                ),
                "high": (
                    none if high is none else dbt_mview._typed_literal(high, column.type)
                ),
                "nulls": row[3 * loop.index0 + 4] | int > 0,
            }
        ) -%}
    {%- endfor -%}
{% endmacro %}


{# Args: text (a value as the engine prints it), type. Returns: SQL literal of that type. #}
{% macro _typed_literal(text, type) %}
    {%- if type == "string" -%} {{ return(dbt_mview._literal(text)) }}{%- endif -%}
    {{ return("cast(" ~ dbt_mview._literal(text) ~ " as " ~ type ~ ")") }}
{% endmacro %}


{# Args: alias, bounds (see _look_at_stage). Returns: SQL condition over the alias. #}
{% macro _bounds_sql(alias, bounds) %}
    {%- set parts = [] -%}
    {%- for bound in bounds -%}
        {%- set name = alias ~ "." ~ dbt_mview._quote(bound.column) -%}
        {%- set any = [] -%}
        {%- if bound.low is not none -%}
            {%- do any.append(name ~ " between " ~ bound.low ~ " and " ~ bound.high) -%}
        {%- endif -%}
        {%- if bound.nulls -%} {%- do any.append(name ~ " is null") -%} {%- endif -%}
        {%- if any -%} {%- do parts.append("(" ~ any | join(" or ") ~ ")") -%} {%- endif -%}
    {%- endfor -%}
    {{ return(parts | join(" and ") or "true") }}
{% endmacro %}


{#
Whether two groups of the view may share a unique_key that is only a part of the group's key.
Groups that vanish are counted, too: a clash that is none makes the refresh COMPLETE.

Args: spec, job. Returns: bool.
#}
{% macro _keys_may_clash(spec, job) %}
    {%- set keys = job.fast["keys"] -%}
    {%- set unique = spec.unique_key | map("lower") | list -%}
    {%- set covered = not keys | map("lower") | reject("in", unique) | list -%}
    {%- if job.dry_run or not unique or covered or job.fast.strategy == "append" -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set names = dbt_mview._quote_all(keys) -%}
    {%- set sql = (
        "select count(*) from (select 1 from (select "
        ~ names
        ~ " from "
        ~ dbt_mview._view_as_seen(spec, job)
        ~ " union select "
        ~ names
        ~ " from "
        ~ dbt_mview._stage_name(job.id)
        ~ ") group by "
        ~ dbt_mview._quote_all(spec.unique_key)
        ~ " having count(*) > 1)"
    ) -%}
    {{ return(dbt_mview._read("audit", sql).rows[0][0] | int > 0) }}
{% endmacro %}
