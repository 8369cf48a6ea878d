{#
The config on_configuration_change: what happens where the layout is not the one the view was built
with; and columns that configs name.
#}
{#
What on_configuration_change does about a layout that differs from the one the view was built with,
as state has it: what the server adds to a table is no drift.

    apply     properties by ALTER, everything else by a replace in the publishing commit
    continue  a warning, the view stays as it is
    fail      an error

Args: spec, job. May set job.skip.
Errors: on_configuration_change is 'fail'; another location, as Delta moves no table.
#}
{% macro _inspect_configuration(spec, job) %}
    {%- set stored = job.state.spec if job.state else none -%}
    {%- if stored and spec.on_configuration_change != "continue" -%}
        {%- do dbt_mview._check_location(spec, stored.layout, job) -%}
    {%- endif -%}
    {%- set rebuilt = spec.full_refresh or job.target.kind != "delta" -%}
    {%- if not stored or rebuilt -%} {{ return(none) }}{%- endif -%}
    {%- set keys = dbt_mview._changed_keys(stored.layout, spec.layout) | join(", ") -%}
    {%- if not keys -%} {{ return(none) }}{%- endif -%}
    {%- set message = (
        "Configuration changes were identified and `on_configuration_change` was set"
        ~ " to `"
        ~ spec.on_configuration_change
        ~ "` for `"
        ~ spec.rendered
        ~ "`"
    ) -%}
    {%- if spec.on_configuration_change == "continue" -%}
        {%- do exceptions.warn(message) -%}
        {%- do job.update(
            {"skip": "configuration changed (" ~ keys ~ "), left alone: continue"}
        ) -%}
    {%- elif spec.on_configuration_change == "fail" -%}
        {%- do exceptions.raise_fail_fast_error(message) -%}
    {%- endif -%}
{% endmacro %}


{#
Columns that configs name and the query lacks: Spark's error, under the lock, would not say who
asked for them. Asked of the engine only where query or configs are new to the view.

Args: spec, job (reason). Errors: a column that the query does not have.
#}
{% macro _check_named_columns(spec, job) %}
    {%- set named = {
        "unique_key": spec.unique_key,
        "partition_by": (spec.layout or {}).get("partition_by"),
        "liquid_clustered_by": (spec.layout or {}).get("liquid_clustered_by"),
    } -%}
    {%- set news = [
        "full_refresh",
        "first_build",
        "first_build_in_place",
        "DEFINITION_CHANGED",
        "configuration_changed",
    ] -%}
    {%- if not named.values() | select | list or job.reason.code not in news -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set columns = dbt_mview._describe_query(spec.definition) | map(attribute="name") | list -%}
    {%- set lower = columns | map("lower") | list -%}
    {%- for key, names in named.items() -%}
        {%- for name in names or [] if name | lower not in lower -%}
            {%- do dbt_mview._raise(
                spec.mview_id,
                key ~ " names the column '" ~ name ~ "', which the query does not have.",
                "Its columns are: " ~ columns | join(", ") ~ ".",
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
{% endmacro %}


{#
Delta moves no table, and partitions none that was clustered.

Args: spec, was (the layout in state), job (target).
Errors: it is in another location; it was clustered and is to be partitioned.
#}
{% macro _check_location(spec, was, job) %}
    {%- set place, wanted = was.get("location"), spec.layout.get("location") -%}
    {%- set clustered = was.get("liquid_clustered_by") and spec.layout.get("partition_by") -%}
    {%- if clustered and job.target.kind == "delta" -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "its table is clustered, and Delta does not partition a table that was.",
            "Drop the view with mview_drop, and run it.",
        ) -%}
    {%- endif -%}
    {%- if place != wanted and job.target.kind == "delta" -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "its table is in "
            ~ (place or "the warehouse")
            ~ ", and location_root wants it in "
            ~ (wanted or "the warehouse")
            ~ ".",
            "Drop the view with mview_drop, and run it.",
        ) -%}
    {%- endif -%}
{% endmacro %}
