{#
Whether this refresh can be FAST, and how; after sources are pinned and columns compared.

Args: spec, job (columns, publish). Sets job.method, job.publish, job.fast (the shape, or none),
    job.changes and the reason.
Errors: refresh is 'fast' and the view must be refreshed in full, with the reason.
#}
{% macro _choose_method(spec, job) %}
    {%- do job.update({"fast": none, "changes": []}) -%}
    {%- if spec.refresh == "complete" -%} {{ return(none) }}{%- endif -%}
    {%- set first = job.state is none or job.state.last_successful_refresh_read_time is none -%}
    {%- set asked = spec.full_refresh or spec.asked -%}
    {%- if asked or (first and spec.refresh == "auto") -%} {{ return(none) }}{%- endif -%}
    {%- set found = dbt_mview._fast_shape(spec, job, first) -%}
    {%- if found.reason and spec.refresh == "fast" -%}
        {%- do dbt_mview._raise_not_fast(spec, found.reason) -%}
    {%- elif found.reason -%}
        {%- if found.reason.split(":")[0] not in job.reason -%}
            {%- do job.update({"reason": job.reason ~ "; not FAST: " ~ found.reason}) -%}
        {%- endif -%}
    {%- elif not first -%}
        {%- set rows = found.changes | map(attribute="rows") | select("none") | list -%}
        {%- set total = found.changes | sum(attribute="rows") if not rows else "all" -%}
        {%- set insert_only = (
            found.strategy == "append"
            and not found.changes | selectattr("deletes") | list
            and not spec.unique_key
        ) -%}
        {%- do job.update(
            {
                "fast": found,
                "changes": found.changes,
                "method": "fast",
                "publish": (
                    "nothing"
                    if not found.terms
                    else ("append" if insert_only else "merge")
                ),
                "staged": found.terms and not insert_only,
                "reason": job.reason
                ~ " ("
                ~ found.strategy
                ~ ", "
                ~ total
                ~ " changed rows)",
            }
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
The exact way to follow the changes, or the reason why there is none.

Args: spec, job, first (bool: there is no refresh to go on from, only the query is judged).
Returns: see _shape, with changes (see _source_changes).
#}
{% macro _fast_shape(spec, job, first) %}
    {%- if job.reads.unstable -%}
        {{
            return(
                {"reason": "EXPRESSION_NOT_DETERMINISTIC: " ~ job.reads.unstable | join(", ")}
            )
        }}
    {%- elif job.unbound -%}
        {{ return({"reason": "SOURCE_NOT_BOUND: " ~ job.unbound | join(", ")}) }}
    {%- elif spec.audit -%} {{ return({"reason": "AUDIT_OVER_ALL_ROWS"}) }}
    {%- endif -%}
    {%- for word in ["TARGET_CHANGED", "DEFINITION_CHANGED", "configuration changed"] -%}
        {%- if job.reason.startswith(word) -%} {{ return({"reason": job.reason}) }}{%- endif -%}
    {%- endfor -%}
    {%- if not first and job.publish != "insert" -%}
        {{ return({"reason": "SCHEMA_CHANGED"}) }}
    {%- endif -%}
    {%- set unsure = dbt_mview._unsure_functions(spec, job) -%}
    {%- if unsure -%} {{ return({"reason": unsure}) }}{%- endif -%}
    {%- set news = {"reason": none, "changes": []} -%}
    {%- if not first -%} {%- set news = dbt_mview._source_changes(job) -%} {%- endif -%}
    {%- if news.reason -%} {{ return({"reason": news.reason}) }}{%- endif -%}
    {%- set changed = (
        job.reads.tables if first else news.changes | map(attribute="relation") | list
    ) -%}
    {%- set shape = dbt_mview._shape(job.reads, job.columns, changed) -%}
    {%- do shape.update({"changes": news.changes}) -%}
    {%- if not shape.reason -%}
        {%- do shape.update({"reason": dbt_mview._why_not_fast(spec, job, shape, first)}) -%}
    {%- endif -%}
    {%- if not shape.reason and not first -%}
        {%- for change in news.changes -%}
            {%- set name = dbt_mview._quoted_name(change.relation) -%}
            {%- do change.update(
                {"columns": dbt_mview._describe_query("select * from " ~ name)}
            ) -%}
        {%- endfor -%}
        {%- do shape.update({"terms": dbt_mview._terms(spec, job, shape)}) -%}
        {%- if shape.terms | rejectattr("bound") | list -%}
            {%- do shape.update({"reason": "SOURCE_NOT_BOUND: a subquery does not fit"}) -%}
        {%- endif -%}
    {%- endif -%}
    {{ return(shape) }}
{% endmacro %}


{# What speaks against an exact way all the same. Returns: reason or none. #}
{% macro _why_not_fast(spec, job, shape, first) %}
    {%- set keys = shape["keys"] | map("lower") | list -%}
    {%- set unique = spec.unique_key | map("lower") | list -%}
    {%- if unique and shape.strategy != "append" -%}
        {%- set nested = (
            not keys | reject("in", unique) | list
            or not unique | reject("in", keys) | list
        ) -%}
        {%- if not (shape.one_row and nested) -%}
            {{ return("UNIQUE_KEY_OVER_ALL_ROWS: " ~ spec.unique_key | join(", ")) }}
        {%- endif -%}
    {%- endif -%}
    {%- if first or spec.refresh == "fast" -%} {{ return(none) }}{%- endif -%}
    {{ return(dbt_mview._complete_is_cheaper(spec, job, shape)) }}
{% endmacro %}


{# The error of `refresh: fast`. Args: spec, reason (named). #}
{% macro _raise_not_fast(spec, reason) %}
    {%- do dbt_mview._raise(
        spec.mview_id,
        "refresh is 'fast' and this refresh cannot be: " ~ reason ~ ".",
        "Set refresh to 'auto', or run once with --full-refresh.",
    ) -%}
{% endmacro %}
