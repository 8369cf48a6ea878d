{# Args: log (as a user names it), mlog_id. Returns: bool. #}
{% macro _is_log_called(log, mlog_id) %}
    {%- set wanted = log | string | lower -%}
    {%- if mlog_id == wanted or mlog_id.endswith("." ~ wanted) -%} {{ return(true) }}{%- endif -%}
    {%- for node in graph.nodes.values()
        if node.config.get("materialized") == "materialized_view_log" -%}
        {%- if wanted in [node.name | lower, dbt_mview._versioned_name(node) | lower] -%}
            {%- if dbt_mview._mview_id(dbt_mview._relation_of(node)) == mlog_id -%}
                {{ return(true) }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
