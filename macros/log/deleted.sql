{#
What the last batch of this purge deleted, as its own commit tells; a batch that somebody else was
quicker with has deleted nothing.

Args: log_, job. Returns: mapping rows, files (ints).
#}
{% macro _deleted(log_, job) %}
    {%- set mark = dbt_mview._batch_mark(job) -%}
    {%- for commit in dbt_mview._delta_history(log_.name, 20) -%}
        {%- if mark in commit.parameters.get("predicate", "") -%}
            {%- set metrics = commit.metrics -%}
            {{
                return(
                    {
                        "rows": metrics.get("numDeletedRows", 0) | int,
                        "files": metrics.get("numRemovedFiles", 0) | int,
                    }
                )
            }}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"rows": 0, "files": 0}) }}
{% endmacro %}


{# What makes a batch known in the history of the log. Args: job. Returns: string. #}
{% macro _batch_mark(job) %} {{ return(job.id ~ "-" ~ job.batches) }} {% endmacro %}


{# Whether a DELETE was a batch of any purge. Args: predicate (string). Returns: bool. #}
{% macro _is_batch(predicate) %}
    {{ return(modules.re.search("[0-9a-f]{32}-[0-9]+", predicate) is not none) }}
{% endmacro %}
