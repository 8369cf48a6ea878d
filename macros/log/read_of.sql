{#
What a view has read of a table. A view that was built without reading a version of it is always
refreshed in full, and needs no changes.

Args: state (row of the view), base (name). Returns: mapping version, commit_time; or none.
#}
{% macro _read_of(state, base) %}
    {%- set nothing = {"version": 0, "commit_time": 0} -%}
    {%- for source in state.sources or [] if source.relation == base -%}
        {%- if source.version is not none -%}
            {{ return({"version": source.version, "commit_time": source.commit_time}) }}
        {%- elif state.last_successful_refresh_read_time is none -%} {{ return(nothing) }}
        {%- endif -%}
    {%- endfor -%}
    {%- set building = state.intent if state.lock_owner else none -%}
    {#- A release that did not say what it was going to read may read anything. -#}
    {%- if building and base in (building.get("reads") or ([] if state.sources else [base])) -%}
        {{ return(nothing) }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
