{#
One refresh from what state holds, without the model.

Args: relation, state (its row, or none), method (see mview_refresh), group (string, or none where
    the view is refreshed alone), dry_run (bool).
Returns: job. Errors: as the refresh; the view has no stored definition; it belongs to a group.
#}
{% macro _refresh_from_state(relation, state, method, group, dry_run) %}
    {%- do dbt_mview._check_definition(relation, state) -%}
    {%- set spec = dbt_mview._spec_from_state(relation, state) -%}
    {%- if spec.refresh_group != group -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "it belongs to refresh_group '" ~ spec.refresh_group ~ "'.",
            "Refresh all of it: dbt run-operation mview_refresh --args '{group: "
            ~ spec.refresh_group
            ~ "}'.",
        ) -%}
    {%- endif -%}
    {%- set asked = dbt_mview._refresh_method(spec, method) -%}
    {%- do spec.update({"asked": asked == "complete"}) -%}
    {%- if asked != "auto" -%} {%- do spec.update({"refresh": asked}) -%} {%- endif -%}
    {%- do dbt_mview._memory().states.update({spec.mview_id: state}) -%}
    {%- set job = dbt_mview._job(spec, spec.mview_id, dry_run=dry_run, record_now=true) -%}
    {#- A group is recorded in one commit, by mview_refresh. -#}
    {%- do job.update({"record_now": group is none}) -%}
    {%- do dbt_mview._look(spec, job) -%}
    {%- if not job.skip -%} {%- do dbt_mview._refresh(spec, job) -%} {%- endif -%}
    {%- if job.skip -%} {%- do dbt_mview._record_skip(spec, job) -%} {%- endif -%}
    {{ return(job) }}
{% endmacro %}
