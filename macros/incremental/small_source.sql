{#
AUTO: sources that COMPLETE reads in less time than FAST takes at least, whatever changed. Once FAST
was measured, durations decide.
#}
{#
Whether a view's sources are so small that it is built anew. Not if FAST was tried, or COMPLETE took
longer than that can be: then what it reads is not what it costs. Not if others follow the view
either, as COMPLETE publishes the difference then, which costs what FAST does (docs/decisions/0037).

Their size is what their commits say, as far as the look has read them; no statement asks for it.

Args: job (spec, sources). Returns: reason, or none.
#}
{% macro _small_source(job) %}
    {%- set most = dbt_mview._small_source_bytes() -%}
    {%- set took = (job.spec.stored or {}).get("took") -%}
    {%- set tried = (took or {"last": []}).last | map(attribute=0) | list -%}
    {%- set known = dbt_mview._complete_durations(took) -%}
    {#- A first build is slow: nothing is cached, others run beside it. -#}
    {%- set slow = (known.first or 0) > 60 if known.complete is none else known.complete > 10 -%}
    {%- if most == 0 or slow or "fast" in tried or "compared" in tried -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set size = dbt_mview._source_bytes(job.sources) -%}
    {%- if size is none or size > most or dbt_mview._is_followed(job.spec.mview_id) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set detail = "at most " ~ (size / 1000000) | round(1) ~ " MB to read" -%}
    {{ return(dbt_mview._reason("SMALL_SOURCE", detail)) }}
{% endmacro %}


{# Args: sources (pins). Returns: int, what all of them hold at most; none if it is not known. #}
{% macro _source_bytes(sources) %}
    {%- set size = namespace(sum=0) -%}
    {%- for source in sources -%}
        {%- set seen = dbt_mview._memory().tables.get(source.relation) -%}
        {%- set bytes = dbt_mview._bytes_at_most(seen.commits) if seen else none -%}
        {%- if bytes is none -%} {{ return(none) }}{%- endif -%}
        {%- set size.sum = size.sum + bytes -%}
    {%- endfor -%}
    {{ return(size.sum if sources else none) }}
{% endmacro %}


{#
Returns: int, up to how many bytes sources are small; 0: none are.
Errors: the var is no whole number.
#}
{% macro _small_source_bytes() %}
    {%- set value = var("dbt_mview:small_source_bytes", 16777216) -%}
    {%- set text = value | string | trim -%}
    {%- if not modules.re.fullmatch("[0-9]{1,18}", text) -%}
        {%- do dbt_mview._raise(
            "the var dbt_mview:small_source_bytes",
            "'" ~ value ~ "' is no whole number of bytes.",
            "Give up to how many bytes of sources AUTO builds a view anew; 0 never does for that.",
        ) -%}
    {%- endif -%}
    {{ return(text | int) }}
{% endmacro %}
