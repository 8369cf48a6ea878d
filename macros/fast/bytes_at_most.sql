{#
How much a table holds at most, by its commits: what they put in since all of it was replaced.

Args: commits (see _delta_history). Returns: int, or none where they do not tell: DESCRIBE DETAIL
    does, for which Delta lists the files.
#}
{% macro _bytes_at_most(commits) %}
    {%- set size = namespace(sum=0) -%}
    {%- for commit in commits if dbt_mview._is_data_commit(commit) -%}
        {%- set metrics = commit.metrics -%}
        {%- set came = metrics.get("numTargetBytesAdded", metrics.get("numOutputBytes")) -%}
        {%- if came is none -%} {{ return(none) }}{%- endif -%}
        {%- set size.sum = size.sum + came | int -%}
        {%- set replaced = commit.meta and commit.meta.method == "complete" -%}
        {%- if replaced -%} {{ return(size.sum) }}{%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
