{#
Whether one version of a table came from another one of the same table. What replaces a table, or
restores it, may give it another id.

Args: was, now (mappings relation, version, commit_time). Returns: bool.
#}
{% macro _leads_on(was, now) %}
    {%- if none in [was.version, now.version] -%} {{ return(false) }}
    {%- elif dbt_mview._same_commit(was, now) -%} {{ return(true) }}
    {%- endif -%}
    {%- set commits = dbt_mview._commits_since(now.relation, was, now) -%}
    {%- if not commits or not dbt_mview._same_commit(commits[-1], was) -%}
        {{ return(false) }}
    {%- endif -%}
    {%- for commit in commits if was.version < commit.version <= now.version -%}
        {%- for word in ["REPLACE TABLE", "CREATE TABLE", "CLONE", "RESTORE", "CONVERT"] -%}
            {%- if word in commit.operation -%} {{ return(false) }}{%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(now.version > was.version) }}
{% endmacro %}
