{# Whether a commit may give a table other partitions. Args: commit (mapping). Returns: bool. #}
{% macro _lays_out(commit) %}
    {%- set given = commit.parameters -%}
    {%- if commit.operation == "WRITE" -%}
        {%- set anew = given.get("canOverwriteSchema") == "true" -%}
        {%- set may = anew or not dbt_mview._says_all(commit) -%}
        {#- A session says dynamic of all that it overwrites; with another schema nothing is. -#}
        {%- set dynamic = given.get("isDynamicPartitionOverwrite") == "true" and not anew -%}
        {%- set part = "predicate" in given or dynamic -%}
        {{ return(given.get("mode") == "Overwrite" and may and not part) }}
    {%- endif -%}
    {{
        return(
            modules.re.match("CREATE|REPLACE TABLE|CLONE|CONVERT", commit.operation) is not none
        )
    }}
{% endmacro %}
