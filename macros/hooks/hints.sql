{# Explanations for errors of the engine that users cannot understand. #}
{#
After a run: explains an error of the engine that users cannot understand. dbt has shown it.

Args: results (list of dbt's run results).
#}
{% macro _hints(results) %}
    {%- for result in results -%}
        {%- set is_log = result.node.config.materialized == "materialized_view_log" -%}
        {%- set compiled = result.node.compiled_code | default("", true) -%}
        {%- set hint = dbt_mview._hint(
            result.message | string, is_log, " version as of " in compiled
        ) -%}
        {%- if hint -%}
            {%- do exceptions.warn("dbt_mview: " ~ result.node.unique_id ~ ": " ~ hint) -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}


{#
Args: message (of an error), is_log (bool), travels (bool: the node reads a version of a table).
Returns: string, or none.
#}
{% macro _hint(message, is_log, travels=false) %}
    {%- if "UTFDataFormatException" in message -%}
        {{
            return(
                "Delta cannot read the change data of a commit that adds much to the deletion"
                ~ " vector of one file (delta-io/delta#5662). Run it once with --full-refresh; else"
                ~ " delete less at once, or set the source's delta.enableDeletionVectors to false."
            )
        }}
    {%- endif -%}
    {%- if is_log and "FAILED_READ_FILE" in message -%}
        {{
            return(
                "change files of its base could not be read. If they are gone for good, rebuild"
                ~ " the log with --full-refresh."
            )
        }}
    {%- endif -%}
    {%- if travels and "FAILED_READ_FILE.FILE_NOT_EXIST" in message -%}
        {{
            return(
                "files of the version that it reads are gone: a VACUUM kept less than the table"
                ~ " promises (RETAIN with the check off). Read a later time."
            )
        }}
    {%- endif -%}
    {%- if "PARSE_SYNTAX_ERROR" in message and "show grants on" in message -%}
        {{
            return(
                "this engine has no grants, as Spark itself has none. The model was built."
                ~ " Leave `grants` out of its config for this target."
            )
        }}
    {%- endif -%}
    {%- if "DELTA_EXCEED_CHAR_VARCHAR_LIMIT" in message -%}
        {{
            return(
                "a column has the length that a VARCHAR or CHAR of its source had when an earlier"
                ~ " release built the table. Rebuild it with --full-refresh."
            )
        }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
