{#
Functions whose result is not a function of their arguments alone: those that depend on the order
of rows, and those that are not Spark's own.

Args: spec, job. Returns: named reason, or none.
#}
{% macro _unsure_functions(spec, job) %}
    {%- set unordered = "first first_value last last_value any_value collect_list collect_set         array_agg listagg string_agg mode max_by min_by approx_count_distinct approx_percentile         percentile_approx approx_top_k histogram_numeric count_min_sketch hll_sketch_agg         bitmap_construct_agg".split() -%}
    {%- set clauses = "over filter using partition within group values rollup cube sets like ilike         rlike between limit columns interval window pivot unpivot for tablesample cluster         distribute sort order as in exists from join union all any         some except minus intersect distinct and or not where select on when then else having by         lateral with table set qualify return array struct map named_struct varchar char         decimal numeric dec timestampdiff timestampadd try_cast trim overlay position substring".split() -%}
    {%- set text = dbt_mview._bind(spec.definition, job.bindings, spec.namespace).sql -%}
    {%- set tokens = dbt_mview._tokens(text)[1::3] | map("lower") | list -%}
    {%- set fine = dbt_mview._system_functions() + clauses -%}
    {%- for token in tokens -%}
        {%- if not loop.last and tokens[loop.index] == "(" -%}
            {%- if token in unordered -%} {{ return("EXPRESSION_NOT_DETERMINISTIC: " ~ token) }}
            {%- elif modules.re.fullmatch(
                "[\\w.`]*[A-Za-z_`][\\w.`]*", token
            ) and token not in fine -%}
                {{ return("UDF_NOT_DETERMINISTIC: " ~ token) }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Returns: list of the names of Spark's own functions, asked once per invocation. #}
{% macro _system_functions() %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if "functions" not in memory -%}
        {%- set names = [] -%}
        {%- for row in dbt_mview._read("functions", "show system functions").rows -%}
            {%- do names.append(row[0] | lower) -%}
        {%- endfor -%}
        {%- do memory.update({"functions": names}) -%}
    {%- endif -%}
    {{ return(memory.functions) }}
{% endmacro %}
