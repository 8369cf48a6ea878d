{#
Functions and literals whose value changes without a change of data, found in the plan and, where
that is truncated, in the text.
#}
{#
What a query calls whose value changes without a change of data, by its plan and by its text.

Args: reads (see _reads), bound (see _bindings). Returns: list of strings.
#}
{% macro _nondeterministic(reads, bound) %}
    {%- set in_text = dbt_mview._nondeterministic_in_text(bound.sql, reads.cut) -%}
    {{ return((reads.unstable + in_text) | unique | list) }}
{% endmacro %}


{#
What a query's text calls whose value changes without a change of data. EXPLAIN leaves out
the 26th column and those after it, and shows the moment that timestamp'now' stood for.

Args: sql (string, with the texts of views inlined), cut (bool: the plan is truncated).
Returns: list of strings.
#}
{% macro _nondeterministic_in_text(sql, cut=false) %}
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
    {%- for word in bare + (maybe if cut else []) -%}
        {%- if word in words -%} {%- do found.append(word) -%} {%- endif -%}
    {%- endfor -%}
    {%- if cut and modules.re.search("\\b_metadata\\b", words | join(" ")) -%}
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
