{# Whether a commit may give a table other partitions. Args: commit (mapping). Returns: bool. #}
{% macro _lays_out(commit) %}
    {%- set given = commit.parameters -%}
    {%- if commit.operation == "WRITE" -%}
        {%- set part = (
            "predicate" in given or given.get("isDynamicPartitionOverwrite") == "true"
        ) -%}
        {%- set may = given.get("canOverwriteSchema") == "true" or not dbt_mview._says_all(
            commit
        ) -%}
        {{ return(given.get("mode") == "Overwrite" and may and not part) }}
    {%- endif -%}
    {{
        return(
            modules.re.match("CREATE|REPLACE TABLE|CLONE|CONVERT", commit.operation) is not none
        )
    }}
{% endmacro %}
