{#
The rename chain: a view replaces something that is no Delta table, through a staging and a backup
relation; and its replay.
#}
{#
The rename chain for a view whose name is taken by something that is no Delta table: the old
object away, the new one in. The names were written to state with the lock, so that a recovery
can undo the chain until both renames are done, and finish it afterwards (two-chain rule of
MariaDB's atomic CREATE OR REPLACE, MDEV-25292).

Args: spec, job.
#}
{% macro _rename_chain(spec, job) %}
    {%- set swap = dbt_mview._intent(spec, job).swap -%}
    {%- do dbt_mview._check_lock_is_ours(spec, job) -%}
    {%- do dbt_mview._rename_relation(
        spec, "swap_out", swap.kind, spec.identifier, swap.backup, job
    ) -%}
    {%- do dbt_mview._rename_relation(spec, "swap_in", "delta", swap.new, spec.identifier, job) -%}
{% endmacro %}


{#
Replays a chain that did not finish, from the names in the intent: finish when both renames are
done, else undo. Safe to repeat.

Args: spec, swap (mapping, see _intent: new, backup), job.
#}
{% macro _replay_rename_chain(spec, swap, job) %}
    {%- set here = dbt_mview._kind_of(spec.schema, spec.identifier, spec.database) -%}
    {%- set backup = dbt_mview._kind_of(spec.schema, swap.backup, spec.database) -%}
    {%- if here == "missing" and backup != "missing" -%}
        {%- do dbt_mview._rename_relation(
            spec, "recover_swap_out", backup, swap.backup, spec.identifier, job
        ) -%}
    {%- elif backup != "missing" -%}
        {%- do dbt_mview._drop_chain_relation(spec, "recover_backup", backup, swap.backup, job) -%}
    {%- endif -%}
    {%- do dbt_mview._drop_chain_relation(spec, "recover_new", "delta", swap.new, job) -%}
{% endmacro %}


{# Args: spec, step, kind (view or a table's provider), old, new (identifiers), job. #}
{% macro _rename_relation(spec, step, kind, old, new, job) %}
    {%- do dbt_mview._run(
        step,
        "alter "
        ~ ("view" if kind == "view" else "table")
        ~ " "
        ~ dbt_mview._chain_relation(spec, old)
        ~ " rename to "
        ~ dbt_mview._chain_relation(spec, new),
        job,
    ) -%}
{% endmacro %}


{# Args: spec, step, kind, identifier, job. #}
{% macro _drop_chain_relation(spec, step, kind, identifier, job) %}
    {%- do dbt_mview._run(
        step,
        "drop "
        ~ ("view" if kind == "view" else "table")
        ~ " if exists "
        ~ dbt_mview._chain_relation(spec, identifier),
        job,
    ) -%}
{% endmacro %}


{#
A table beside the view; without the catalog where dbt names none, as Spark renames no view by a
name of three parts.

Args: spec, identifier (string). Returns: quoted SQL name.
#}
{% macro _chain_relation(spec, identifier) %}
    {%- set schema = dbt_mview._quote(spec.schema) ~ "." ~ dbt_mview._quote(identifier) -%}
    {{ return(dbt_mview._quote(spec.database) ~ "." ~ schema if spec.database else schema) }}
{% endmacro %}
