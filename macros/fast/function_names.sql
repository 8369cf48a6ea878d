{# Returns: list of functions whose result depends on the order of rows, or is a guess. #}
{% macro _unordered_functions() %}
    {{
        return(
            (
                "first first_value last last_value any_value collect_list collect_set array_agg "
                ~ "listagg string_agg mode max_by min_by approx_count_distinct approx_percentile "
                ~ "percentile_approx approx_top_k histogram_numeric count_min_sketch "
                ~ "hll_sketch_agg hll_union_agg theta_sketch_agg theta_union_agg "
                ~ "theta_intersection_agg kll_sketch_agg_bigint kll_sketch_agg_double "
                ~ "kll_sketch_agg_float kll_sketch_merge_bigint kll_sketch_merge_double "
                ~ "kll_sketch_merge_float kll_merge_agg_bigint kll_merge_agg_double "
                ~ "kll_merge_agg_float approx_top_k_accumulate approx_top_k_combine "
                ~ "bitmap_construct_agg collect_top_k tuple_sketch_agg_double "
                ~ "tuple_sketch_agg_integer tuple_union_agg_double tuple_union_agg_integer "
                ~ "tuple_intersection_agg_double tuple_intersection_agg_integer"
            ).split()
        )
    }}
{% endmacro %}


{# Returns: list of the words of Spark's grammar that may stand before a bracket. #}
{% macro _words_before_brackets() %}
    {{
        return(
            (
                "over filter using partition within group values rollup cube sets like ilike rlike "
                ~ "between limit columns interval window pivot unpivot for tablesample cluster "
                ~ "distribute sort order as in exists from join union all any some except minus "
                ~ "intersect distinct and or not where select on when then else having by lateral "
                ~ "with table set qualify return array struct map named_struct varchar char "
                ~ "decimal numeric dec timestampdiff timestampadd try_cast trim overlay position "
                ~ "substring"
            ).split()
        )
    }}
{% endmacro %}
