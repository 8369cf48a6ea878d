{#
After a run: what an error of the engine means that says nothing to users. dbt has shown it.

Args: results (list of dbt's run results).
#}
{% macro _hints(results) %}
    {%- for result in results if "UTFDataFormatException" in result.message | string -%}
        {%- do exceptions.warn(
            "dbt_mview: "
            ~ result.node.unique_id
            ~ ": Delta cannot read the change data of a commit that adds much to the deletion"
            ~ " vector of one file (delta-io/delta#5662). Run it once with --full-refresh; else"
            ~ " delete less at once, or set the source's delta.enableDeletionVectors to false."
        ) -%}
    {%- endfor -%}
{% endmacro %}
