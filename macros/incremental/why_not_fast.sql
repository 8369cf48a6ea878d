{#
What speaks against an exact way that classification has found: audits, keys, partitions, views
whose types are old, and cost.
#}
{# What speaks against FAST although there is an exact way. Returns: reason or none. #}
{% macro _why_not_fast(spec, job, plan, first) %}
    {#- What writes no row breaks no rule and costs nothing. -#}
    {%- if plan.strategy == "nothing" -%} {{ return(none) }}{%- endif -%}
    {%- set over_all = dbt_mview._audit_over_all_rows(spec, job) -%}
    {%- if over_all -%} {{ return(over_all) }}{%- endif -%}
    {%- set keys = plan["keys"] | map("lower") | list -%}
    {%- set unique = spec.unique_key | map("lower") | list -%}
    {%- if unique and plan.strategy != "row delta" -%}
        {%- set nested = (
            not keys | reject("in", unique) | list
            or not unique | reject("in", keys) | list
        ) -%}
        {#- Rows of one unique_key are computed again together, and compared then. -#}
        {%- set together = (
            plan.strategy == "affected keys"
            and keys
            and not keys | reject("in", unique) | list
        ) -%}
        {%- if not ((plan.one_row and nested) or together) -%}
            {{ return(dbt_mview._unique_key_over_all_rows(spec.unique_key, plan["keys"])) }}
        {%- endif -%}
    {%- endif -%}
    {%- set lossy = dbt_mview._why_lossy_partition(spec, job, plan) -%}
    {%- if lossy -%} {{ return(lossy) }}{%- endif -%}
    {%- if first or spec.refresh == "fast" -%} {{ return(none) }}{%- endif -%}
    {%- for change in plan.changes if change.get("large_vectors") -%}
        {%- set name = dbt_mview._short_name(change.relation) -%}
        {{ return(dbt_mview._reason("DELETION_VECTORS_TOO_LARGE", name)) }}
    {%- endfor -%}
    {{ return(dbt_mview._complete_is_cheaper(job, plan)) }}
{% endmacro %}


{#
The first audit that the rows that a refresh writes do not decide.

Args: spec (audit), job (columns). Returns: reason, or none.
#}
{% macro _audit_over_all_rows(spec, job) %}
    {%- for condition in spec.audit -%}
        {%- set differs = dbt_mview._why_not_deterministic(dbt_mview._words(condition)) -%}
        {%- if differs or not dbt_mview._is_row_condition(condition, job.columns) -%}
            {%- set shown = condition.split() | join(" ") -%}
            {{ return(dbt_mview._reason("AUDIT_OVER_ALL_ROWS", shown[:100])) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
A unique_key that the keys by which changes are followed do not decide.

Args: unique, keys (lists of names). Returns: reason.
#}
{% macro _unique_key_over_all_rows(unique, keys) %}
    {%- set names = unique | join(", ") -%}
    {%- set detail = names ~ "; changes are followed by " ~ keys | join(", ") -%}
    {{ return(dbt_mview._reason("UNIQUE_KEY_OVER_ALL_ROWS", detail if keys else names)) }}
{% endmacro %}


{#
Whether the plan itself proves unique_key: there is one row for each of its own keys, and unique_key
has all of these.

Args: spec (unique_key), plan (delta plan). Returns: bool.
#}
{% macro _is_unique_by_plan(spec, plan) %}
    {%- set unique = spec.unique_key | map("lower") | list -%}
    {%- set others = plan["keys"] | map("lower") | reject("in", unique) | list -%}
    {{ return(plan.one_row and plan["keys"] | length > 0 and not others) }}
{% endmacro %}


{#
Columns of a view in which Delta does not keep what is written, because a table is partitioned by
them: '' becomes NULL, and '__HIVE_DEFAULT_PARTITION__' too; a moment is written as the clock shows
it, which shows one hour twice where summer time ends. A row that has it is not found again by its
key, and two rows may have one key.

Args: spec (layout, stored: time_zone), columns (of name, type). Returns: those columns.
#}
{% macro _lossy_partition_columns(spec, columns) %}
    {%- set by = spec.layout.partition_by | map("lower") | list -%}
    {%- set zone = (spec.stored or {}).get("time_zone") -%}
    {%- set moves = zone not in ["UTC", "Etc/UTC", "GMT", "Z"] -%}
    {%- set found = [] -%}
    {%- for column in columns if column.name | lower in by -%}
        {%- if (moves and column.type == "timestamp") or column.type.startswith(
            ("string", "binary")
        ) -%}
            {%- do found.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
Whether that speaks against FAST whatever changed: for a key that is a text, the stage shows whether
such a value or NULL is touched, see _inspect_stage.

Args: spec, job (columns), plan (delta plan). Returns: reason, or none.
#}
{% macro _why_lossy_partition(spec, job, plan) %}
    {%- for column in dbt_mview._lossy_partition_columns(spec, job.columns) -%}
        {%- set told = column.type == "string" and column.name in plan["keys"] -%}
        {%- if not told and column.name in plan["keys"] + plan["values"].keys() | list -%}
            {{ return(dbt_mview._reason("PARTITION_VALUE_NOT_KEPT", column.name)) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
A view keeps the types that it was made with, and casts to them what its tables have become since.
Such a cast may lose something, and would be taken for the column itself, see _pass_through.

Args: bindings (see _bindings). Returns: reason, or none.
#}
{% macro _view_casts(bindings) %}
    {%- for name, view in bindings.items() if view and view.kind == "view" -%}
        {%- set types = {} -%}
        {%- set sql = dbt_mview._bind(view.text, bindings, view.namespace).sql -%}
        {%- for column in dbt_mview._describe_query(sql) -%}
            {%- do types.update({column.name | lower: column.type}) -%}
        {%- endfor -%}
        {%- for column in view.columns if " more fields" not in column.type -%}
            {%- set made = modules.re.sub("\\b(?:var)?char\\(\\d+\\)", "string", column.type) -%}
            {%- if types.get(column.source | lower) != made -%}
                {%- set short = dbt_mview._short_name(name) -%}
                {%- set what = short ~ " was made when " ~ column.name ~ " was " ~ made -%}
                {{ return(dbt_mview._reason("SCHEMA_CHANGED", "the view " ~ what)) }}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
