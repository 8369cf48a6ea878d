{#
What COMPLETE took, and the first build: of the last refreshes, else as was known before them, so
that neither is forgotten after many FAST ones.

Args: took (see _with_time, or none). Returns: mapping complete (the median of three), first
    (seconds, or none).
#}
{% macro _complete_took(took) %}
    {%- set seconds = {"complete": [], "first": []} -%}
    {%- for method, rows, one in (took or {"last": []}).last if method in seconds -%}
        {%- do seconds[method].append(one) -%}
    {%- endfor -%}
    {%- for method in ["complete", "first"] -%}
        {%- set median = dbt_mview._median(seconds[method][:3]) -%}
        {%- set known = (took or {}).get(method) if median is none else median -%}
        {%- do seconds.update({method: known}) -%}
    {%- endfor -%}
    {{ return(seconds) }}
{% endmacro %}
