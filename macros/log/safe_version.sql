{#
Up to which version of its base a log may be purged: the lowest that a view has read, and never
further than the log has captured. A view that was never built, or is being built at this moment,
has read version 0.

Args: log_ (mapping mlog_id, coverage).
Returns: mapping version, commit_time, dependents (list of mappings mview_id, version, lowest
    first).
Errors: a view of this project was built from the base and has no row in state.
#}
{% macro _safe_version(log_) %}
    {%- set base = log_.coverage.base -%}
    {%- set states = dbt_mview._read_states() -%}
    {%- set dependents = [] -%}
    {%- for id, state in states.items() -%}
        {%- set read = dbt_mview._read_of(state, base) -%}
        {%- if read -%} {%- do dependents.append(dict(read, mview_id=id)) -%} {%- endif -%}
    {%- endfor -%}
    {%- for id, node in dbt_mview._views_over(base).items() if id not in states -%}
        {%- set spec = dbt_mview._spec_of_relation(dbt_mview._relation_of(node)) -%}
        {%- set newest = dbt_mview._newest_data_commit(dbt_mview._target(spec)) -%}
        {#- As _check_row_missing: a table that is no view yet was built by something else. -#}
        {%- if newest and (newest.meta or {}).get("mview_id") == id -%}
            {%- do exceptions.raise_compiler_error(
                "dbt_mview: refresh info row missing for "
                ~ id
                ~ ", which reads "
                ~ base
                ~ ". Without it nobody knows which changes it still needs, and "
                ~ log_.mlog_id
                ~ " is not purged. Restore the row with `dbt run-operation mview_recover --args "
                ~ "'{view: "
                ~ id
                ~ "}'`."
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set dependents = dependents | sort(attribute="version") -%}
    {%- set lowest = ([log_.coverage.captured] + dependents) | sort(attribute="version") | first -%}
    {{
        return(
            {
                "version": lowest.version,
                "commit_time": lowest.commit_time,
                "dependents": dependents,
            }
        )
    }}
{% endmacro %}
