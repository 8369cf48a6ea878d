{#
The rows that a FAST publish takes away (_mview_op 'delete', by their keys) and those that it puts
in ('insert').

Args: spec, job. Returns: SQL text, a query.
#}
{% macro _merge_source_sql(spec, job) %}
    {%- set shape = job.fast -%}
    {%- set stage = dbt_mview._stage_name(job.id) -%}
    {%- set names = dbt_mview._quote_all(job.columns | map(attribute="name") | list) -%}
    {%- set gone = [] -%}
    {%- for column in job.columns -%}
        {%- set quoted = dbt_mview._quote(column.name) -%}
        {%- do gone.append(
            quoted
            if column.name in shape["keys"]
            else "cast(null as " ~ column.type ~ ") as " ~ quoted
        ) -%}
    {%- endfor -%}
    {%- set parts = [] -%}
    {%- if shape.strategy == "append" -%}
        {%- do parts.append(
            "select " ~ gone
            | join(", ")
            ~ ", 'delete' as _mview_op from "
            ~ stage
            ~ " where _mview_n < 0"
        ) -%}
        {%- do parts.append(
            "select "
            ~ names
            ~ ", 'insert' from ("
            ~ dbt_mview._copies_sql(spec, job)
            ~ ")"
            ~ " lateral view explode(sequence(1L, _mview_copies)) as _mview_i"
        ) -%}
    {%- else -%}
        {%- do parts.append(
            "select " ~ gone | join(", ") ~ ", 'delete' as _mview_op from " ~ stage
        ) -%}
        {%- if shape.strategy == "aggregate" -%}
            {%- do parts.append(
                "select "
                ~ names
                ~ ", 'insert' from (\n"
                ~ dbt_mview._combined_sql(spec, job)
                ~ "\n) where _mview_alive and not _mview_doubt"
            ) -%}
        {%- endif -%}
        {%- if shape.strategy == "keyed" or job.doubts > 0 -%}
            {%- do parts.append(dbt_mview._again_sql(spec, job)) -%}
        {%- endif -%}
    {%- endif -%}
    {{ return(parts | join("\nunion all\n")) }}
{% endmacro %}


{# The rows that changed, with how many copies of each the view holds afterwards. #}
{% macro _copies_sql(spec, job) %}
    {%- set names = dbt_mview._quote_all(job.fast["keys"]) -%}
    {%- set stage = dbt_mview._stage_name(job.id) -%}
    select {{ names }}, _mview_n as _mview_copies
    from {{ stage }}
    where _mview_n > 0
    union all
    select {{ dbt_mview._prefixed("s", job.fast["keys"]) }}, s._mview_n + v._mview_had
    from {{ stage }} as s
    join
        (
            select {{ names }}, count(*) as _mview_had
            from {{ dbt_mview._view_as_seen(spec, job) }}
            group by {{ names }}
        ) as v
        on {{ dbt_mview._same_keys("s", "v", job.fast["keys"]) }}
    where s._mview_n < 0 and s._mview_n + v._mview_had > 0
{%- endmacro %}


{# The groups or partitions that are computed again, from the new versions of the sources. #}
{% macro _again_sql(spec, job) %}
    {%- set which = dbt_mview._stage_name(job.id) -%}
    {%- if job.fast.strategy == "aggregate" -%}
        {%- set which = "(\n" ~ dbt_mview._combined_sql(spec, job) ~ "\n)" -%}
    {%- endif -%}
    select {{ dbt_mview._prefixed("q", job.columns | map(attribute="name") | list) }}, 'insert'
    from ({{ job.query }}) as q
    where
        {{ dbt_mview._bounds_sql("q", job.bounds) }}
        and exists (
            select 1
            from {{ which }} as a
            where
                {{ dbt_mview._same_keys("a", "q", job.fast["keys"]) }}
                {%- if job.fast.strategy == "aggregate" %} and a._mview_doubt{% endif %}
        )
{%- endmacro %}


{# Args: alias, names (list of columns). Returns: SQL text. #}
{% macro _prefixed(alias, names) %}
    {%- set items = [] -%}
    {%- for name in names -%}
        {%- do items.append(alias ~ "." ~ dbt_mview._quote(name)) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}
