{#
What happened to each source since the last success, from its Delta history alone.

Args: job (state, sources). Returns: mapping
    reason   why the changes cannot be had, or none
    changes  list of mappings relation, start, end (versions; start is what was read last), rows
             (estimated changed rows, none if unknown), inserts, deletes (bools: may hold some),
             columns_since (version whose columns may be others, or none)
#}
{% macro _source_changes(job) %}
    {%- set before = {} -%}
    {%- for source in job.state.sources or [] -%}
        {%- do before.update({source.relation: source}) -%}
    {%- endfor -%}
    {%- set changes = [] -%}
    {%- for source in job.sources -%}
        {%- set was = before.get(source.relation) -%}
        {%- set name = source.relation.split(".")[1:] | join(".") -%}
        {%- if source.version is none or (was and was.version is none) -%}
            {{ return({"reason": "INPUT_NOT_IN_DELTA: " ~ name, "changes": []}) }}
        {%- elif was is none -%} {{ return({"reason": "DEFINITION_CHANGED", "changes": []}) }}
        {%- elif not dbt_mview._same_commit(was, source) -%}
            {%- set change = dbt_mview._change_of(source.relation, was, source) -%}
            {%- if change.reason -%}
                {{ return({"reason": change.reason ~ ": " ~ name, "changes": []}) }}
            {%- endif -%}
            {%- do changes.append(change) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"reason": none, "changes": changes}) }}
{% endmacro %}
