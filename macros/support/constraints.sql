{#
The constraints of the model that Delta enforces in the publishing commit itself: check and
not_null, both as CHECK, because a replace takes no column list. The others Delta only notes.

Args: spec. Returns: mapping name -> SQL condition.
#}
{% macro _constraints(spec) %}
    {%- set found = {} -%}
    {%- set given = [] -%}
    {%- for constraint in model.constraints or [] -%}
        {%- do given.append([constraint, constraint.columns or []]) -%}
    {%- endfor -%}
    {%- for column in (model.columns or {}).values() -%}
        {%- for constraint in column.constraints or [] -%}
            {%- do given.append([constraint, [column.name]]) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- for constraint, columns in given -%}
        {%- if constraint.type == "not_null" -%}
            {%- for name in columns -%}
                {%- do found.update(
                    {
                        (constraint.name or "not_null_" ~ name)
                        | lower: dbt_mview._quote(name) ~ " is not null"
                    }
                ) -%}
            {%- endfor -%}
        {%- elif constraint.type == "check" -%}
            {%- set name = constraint.name or "check_" ~ local_md5(constraint.expression)[:8] -%}
            {%- do found.update({name | lower: constraint.expression}) -%}
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
    {{ return(found) }}
{% endmacro %}


{#
The columns of the query in the contract's order, after dbt's own comparison of names and types.

Args: spec, columns (of the query). Returns: columns. Errors: dbt's contract message.
#}
{% macro _contract_columns(spec, columns) %}
    {%- do get_assert_columns_equivalent(spec.definition) -%}
    {%- set by_name = {} -%}
    {%- for column in columns -%}
        {%- do by_name.update({column.name | lower: column}) -%}
    {%- endfor -%}
    {%- set ordered = [] -%}
    {%- for column in model.columns.values() -%}
        {%- do ordered.append(by_name[column.name | lower]) -%}
    {%- endfor -%}
    {{ return(ordered) }}
{% endmacro %}
