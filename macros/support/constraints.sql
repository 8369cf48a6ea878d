{#
The constraints of the model that Delta enforces in the publishing commit itself: check and
not_null, both as CHECK, because a replace takes no column list. The others Delta only notes. As
with dbt's tables they are part of the contract, and only an enforced one has any.

Args: spec. Returns: mapping name -> SQL condition; conditions of one name are joined.
#}
{% macro _constraints(spec) %}
    {%- set found = {} -%}
    {%- set contract = config.get("contract") -%}
    {%- if not (contract and contract.enforced) -%} {{ return(found) }}{%- endif -%}
    {%- for constraint, columns in dbt_mview._given_constraints() -%}
        {%- if constraint.type == "not_null" -%}
            {%- for column in columns -%}
                {%- set name = (constraint.name or "not_null_" ~ column) | lower -%}
                {%- set condition = dbt_mview._quote(column) ~ " is not null" -%}
                {%- do found.setdefault(name, []).append(condition) -%}
            {%- endfor -%}
        {%- elif constraint.type == "check" -%}
            {%- set name = constraint.name or "check_" ~ local_md5(constraint.expression)[:8] -%}
            {%- do found.setdefault(name | lower, []).append(constraint.expression) -%}
        {%- elif constraint.warn_unenforced -%}
            {%- do exceptions.warn(
                "dbt_mview: "
                ~ spec.mview_id
                ~ ": Delta does not enforce "
                ~ constraint.type
                ~ " constraints. Use the config unique_key to have a key checked before publishing."
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set joined = {} -%}
    {%- for name, given in found.items() -%}
        {%- set conditions = given | unique(case_sensitive=true) | list -%}
        {%- set all_of_them = "(" ~ conditions | join(") and (") ~ ")" -%}
        {%- do joined.update({name: conditions[0] if conditions | length == 1 else all_of_them}) -%}
    {%- endfor -%}
    {{ return(joined) }}
{% endmacro %}


{# Returns: list of pairs (constraint, its columns), those of the model before its columns'. #}
{% macro _given_constraints() %}
    {%- set given = [] -%}
    {%- for constraint in model.constraints or [] -%}
        {%- do given.append([constraint, constraint.columns or []]) -%}
    {%- endfor -%}
    {%- for column in (model.columns or {}).values() -%}
        {%- for constraint in column.constraints or [] -%}
            {%- do given.append([constraint, [column.name]]) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(given) }}
{% endmacro %}
