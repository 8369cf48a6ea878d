{#
Types whose values cannot be grouped, or of which two may be equal and not the same, as 'a' and 'A'
are under a collation. Rows that differ in them alone would be taken for one.

Args: others (more of them, with | between).
Returns: string, a pattern to be searched in the name of a type, in which fields may have any names.
#}
{% macro _coarse_types(others=none) %}
    {%- set words = ["variant"] + ([others] if others else []) -%}
    {{ return("map<| collate |(?:^|[:<,])(?:" ~ words | join("|") ~ ")(?=[,>]|$)") }}
{% endmacro %}


{# Args: columns (of name, type). Returns: named reason, or none if their rows can be compared. #}
{% macro _why_not_compared(columns) %}
    {%- for column in columns if modules.re.search(dbt_mview._coarse_types(), column.type) -%}
        {{ return("OPERATOR_NOT_INCREMENTAL: rows with " ~ column.name ~ " cannot be compared") }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
Whether SQL can say a type as the engine prints it: it does not quote the names of fields.

Args: type. Returns: bool.
#}
{% macro _is_printed_whole(type) %}
    {%- set word = "[A-Za-z_][A-Za-z0-9_]*(?:\\(\\d+(?:,\\d+)?\\))?" -%}
    {%- set nested = modules.re.fullmatch(word ~ "(?:[<>,:]+" ~ word ~ ")*>*", type) -%}
    {{ return("struct<" not in type or nested is not none) }}
{% endmacro %}


{#
Args: reads (see _canonical). Returns: list of patterns, what the plan calls the columns of such
    types.
#}
{% macro _coarse_names(reads) %}
    {%- set names = [] -%}
    {%- for column in reads.columns.values() | sum(start=[]) -%}
        {%- if modules.re.search(dbt_mview._coarse_types("float|double"), column.type) -%}
            {%- do names.append(modules.re.escape(dbt_mview._as_printed(reads, column.name))) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(names) }}
{% endmacro %}
