{#
Replays a chain that did not finish, from the names in the intent: finish when both renames are
done, else undo. Safe to repeat.

Args: spec, swap (mapping: identifier, kind, new, backup), job.
#}
{% macro _replay_swap(spec, swap, job) %}
    {%- set here = dbt_mview._kind_of(spec.schema, spec.identifier, spec.database) -%}
    {%- set backup = dbt_mview._kind_of(spec.schema, swap.backup, spec.database) -%}
    {%- if here == "missing" and backup != "missing" -%}
        {%- do dbt_mview._rename(
            spec, "recover_swap_out", backup, swap.backup, spec.identifier, job
        ) -%}
    {%- elif backup != "missing" -%}
        {%- do dbt_mview._drop_sibling(spec, "recover_backup", backup, swap.backup, job) -%}
    {%- endif -%}
    {%- do dbt_mview._drop_sibling(spec, "recover_new", "delta", swap.new, job) -%}
{% endmacro %}
