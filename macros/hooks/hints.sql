{#
After a run: what an error of the engine means that says nothing to users. dbt has shown it.

Args: results (list of dbt's run results).
#}
{% macro _hints(results) %}
    {%- for result in results -%}
        {%- set message = result.message | string -%}
        {%- set is_log = result.node.config.materialized == "materialized_view_log" -%}
        {%- set hint = none -%}
        {%- if "UTFDataFormatException" in message -%}
            {%- set hint = (
                "Delta cannot read the change data of a commit that adds much to the deletion"
                ~ " vector of one file (delta-io/delta#5662). Run it once with --full-refresh; else"
                ~ " delete less at once, or set the source's delta.enableDeletionVectors to false."
            ) -%}
        {%- elif is_log and "FAILED_READ_FILE" in message -%}
            {%- set hint = (
                "change files of its base could not be read. If they are gone for good, begin the"
                ~ " log anew with --full-refresh."
            ) -%}
        {%- endif -%}
        {%- if hint -%}
            {%- do exceptions.warn("dbt_mview: " ~ result.node.unique_id ~ ": " ~ hint) -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}
