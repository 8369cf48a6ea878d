{#
Where state and stages live. Other folders name no state table themselves.

Returns: quoted SQL name of the table that has one row per view.
#}
{% macro _info_table() %} {{ return(dbt_mview._state_table("mview_refresh_info")) }} {% endmacro %}


{# Returns: quoted SQL name of the table that has one row per refresh that ended. #}
{% macro _hist_table() %} {{ return(dbt_mview._state_table("mview_refresh_hist")) }} {% endmacro %}


{# Returns: quoted SQL name of the table that has one row per materialized view log. #}
{% macro _log_info_table() %} {{ return(dbt_mview._state_table("mlog_purge_info")) }} {% endmacro %}


{# Returns: quoted SQL name of the table that has one row per purge. #}
{% macro _log_hist_table() %} {{ return(dbt_mview._state_table("mlog_purge_hist")) }} {% endmacro %}


{# Args: table (string, see _state_layout). Returns: quoted SQL name. #}
{% macro _state_table(table) %}
    {{ return(dbt_mview._quote(dbt_mview._state_schema()) ~ "." ~ dbt_mview._quote(table)) }}
{% endmacro %}


{# Returns: string, the schema that holds state. #}
{% macro _state_schema() %}
    {{ return(var("dbt_mview:state_schema", none) or target.schema ~ "_mview") }}
{% endmacro %}


{# Returns: string, the schema that holds stages; never the one of user tables. #}
{% macro _stage_schema() %}
    {{ return(var("dbt_mview:stage_schema", none) or dbt_mview._state_schema()) }}
{% endmacro %}
