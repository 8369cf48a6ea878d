{#
The names of the state tables and the schemas that hold state and stages. No other folder writes
these names.
#}
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
    {{ return(dbt_mview._schema_from_var("dbt_mview:state_schema", target.schema ~ "_mview")) }}
{% endmacro %}


{# Returns: string, the schema that holds stages; never the one of user tables. #}
{% macro _stage_schema() %}
    {{ return(dbt_mview._schema_from_var("dbt_mview:stage_schema", dbt_mview._state_schema())) }}
{% endmacro %}


{#
The value of a var, which dbt resolves for each package: hooks, models and operations of a run must
all get the same.

Args: name (of the var), default (string). Returns: string.
Errors: another part of this run has another value, or may have.
#}
{% macro _schema_from_var(name, default) %}
    {%- set value = var(name, none) or default -%}
    {%- set known = dbt_mview._memory().places.setdefault(name, value) -%}
    {%- set below = var("dbt_mview", none) is mapping -%}
    {%- if below or known != value -%}
        {%- do dbt_mview._raise(
            "the var " ~ name,
            (
                "it is set below dbt_mview, where only a part of a run sees it."
                if below
                else "it is '"
                ~ known
                ~ "' in one package and '"
                ~ value
                ~ "' in another."
            ),
            "Set it in the root project, directly below vars.",
        ) -%}
    {%- endif -%}
    {{ return(value) }}
{% endmacro %}
