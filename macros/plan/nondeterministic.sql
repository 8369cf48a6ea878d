{#
Functions and literals whose value changes without a change of data, found in the plan and, where
that is truncated, in the text.
#}
{#
What a query calls whose value changes without a change of data, by its plan and by its text.

Args: reads (see _reads), bound (see _bindings). Returns: list of strings.
#}
{% macro _nondeterministic(reads, bound) %}
    {%- set in_text = dbt_mview._nondeterministic_in_text(bound.sql, reads.truncated) -%}
    {{ return((reads.nondeterministic + in_text) | unique | list) }}
{% endmacro %}


{#
What a query's text calls whose value changes without a change of data. EXPLAIN leaves out
the 26th column and those after it, and shows the moment that timestamp'now' stood for.

Args: sql (string, with the texts of views inlined), truncated (bool: the plan is).
Returns: list of strings.
#}
{% macro _nondeterministic_in_text(sql, truncated=false) %}
    {%- set words = [] -%}
    {%- set moments = [] -%}
    {%- for token in dbt_mview._words(sql) -%}
        {#- A zone may follow it. -#}
        {%- set word = (token[1:-1] | trim | lower).split(" ")[0] -%}
        {%- if token[-1:] not in ["'", '"'] -%} {%- do words.append(token | lower) -%}
        {%- elif modules.re.fullmatch(dbt_mview._today_literals(), word) -%}
            {%- do words.append("'" ~ word ~ "'") -%} {%- do moments.append("'" ~ word ~ "'") -%}
        {%- else -%} {%- do words.append("''") -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set found = dbt_mview._nondeterministic_calls(words | join(" ") | replace(" (", "(")) -%}
    {#- These may be columns as well: the plan knows, if it is whole. -#}
    {%- set maybe = ["user", "current_user", "session_user"] + moments -%}
    {%- set bare = ["current_date", "current_timestamp", "current_time"] -%}
    {%- for word in bare + (maybe if truncated else []) -%}
        {%- if word in words -%} {%- do found.append(word) -%} {%- endif -%}
    {%- endfor -%}
    {%- if truncated and modules.re.search("\\b_metadata\\b", words | join(" ")) -%}
        {%- do found.append("_metadata") -%}
    {%- endif -%}
    {{ return(found | unique | list) }}
{% endmacro %}


{#
Spark's functions that are not a function of the data they read. aes_encrypt takes a random vector
where it is given none, and Spark says that it is deterministic.

Args: text (of a plan, or of a query with its literals taken out). Returns: list of strings.
#}
{% macro _nondeterministic_calls(text) %}
    {%- set functions = (
        "rand randn random randstr uniform uuid shuffle monotonically_increasing_id "
        ~ "spark_partition_id current_date current_timestamp current_time current_timezone curdate "
        ~ "now localtimestamp unix_timestamp(?=\\(\\s*\\)) current_user user session_user "
        ~ "current_catalog current_database current_schema current_path version(?=\\(\\s*\\)) "
        ~ "input_file_name input_file_block_start input_file_block_length java_method reflect "
        ~ "try_reflect aes_encrypt variablereference"
    ).split() -%}
    {%- set moments = "(?:" ~ dbt_mview._today_literals() ~ ")" -%}
    {%- set calls = [
        "(?<![\\w.])(?:" ~ functions | join("|") ~ ")(?=\\()",
        "(?<=cast\\() *" ~ moments ~ "(?: [^()]*)?(?= as (?:date|timestamp))",
        "\\b(?:date|timestamp\\w*) '" ~ moments ~ "'",
        "\\b(?:try_)?to_(?:date|timestamp\\w*)\\( *'" ~ moments ~ "'",
    ] -%}
    {%- set found = modules.re.findall(calls | join("|"), text, modules.re.IGNORECASE) -%}
    {{ return(found | map("lower") | list) }}
{% endmacro %}


{# Texts that Spark reads as a date or a time of today: a time alone is one. Returns: pattern. #}
{% macro _today_literals() %}
    {{ return("now|today|tomorrow|yesterday|t?\\d\\d?:\\d[\\d:.]*") }}
{% endmacro %}


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
