{#
The rename chain for a view whose name is taken by something that is no Delta table: the old
object away, the new one in. The names were written to state with the lock, so that a recovery
can undo the chain until both renames are done, and finish it afterwards (two-chain rule of
MariaDB's atomic CREATE OR REPLACE, MDEV-25292).

Args: spec, job.
#}
{% macro _swap(spec, job) %}
    {%- set swap = dbt_mview._intent(spec, job).swap -%}
    {%- do dbt_mview._check_lock_is_ours(spec, job) -%}
    {%- do dbt_mview._rename(spec, "swap_out", swap.kind, spec.identifier, swap.backup, job) -%}
    {%- do dbt_mview._rename(spec, "swap_in", "delta", swap.new, spec.identifier, job) -%}
{% endmacro %}


{# Args: spec, step, kind (view or a table's provider), old, new (identifiers), job. #}
{% macro _rename(spec, step, kind, old, new, job) %}
    {%- do dbt_mview._run(
        step,
        "alter "
        ~ ("view" if kind == "view" else "table")
        ~ " "
        ~ dbt_mview._sibling_name(spec, old)
        ~ " rename to "
        ~ dbt_mview._sibling_name(spec, new),
        job,
    ) -%}
{% endmacro %}


{# Args: spec, step, kind, identifier, job. #}
{% macro _drop_sibling(spec, step, kind, identifier, job) %}
    {%- do dbt_mview._run(
        step,
        "drop "
        ~ ("view" if kind == "view" else "table")
        ~ " if exists "
        ~ dbt_mview._sibling_name(spec, identifier),
        job,
    ) -%}
{% endmacro %}
