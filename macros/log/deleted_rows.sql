{#
How many rows the last batch of this purge deleted, as its own commit tells; a batch that somebody
else was quicker with has none.

Args: log_, job. Returns: int.
#}
{% macro _deleted_rows(log_, job) %}
    {%- set mark = dbt_mview._batch_mark(job) -%}
    {%- for commit in dbt_mview._delta_history(log_.name, 20) -%}
        {%- if mark in commit.parameters.get("predicate", "") -%}
            {{ return(commit.metrics.get("numDeletedRows", 0) | int) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(0) }}
{% endmacro %}


{# What makes a batch known in the history of the log. Args: job. Returns: string. #}
{% macro _batch_mark(job) %} {{ return(job.id ~ "-" ~ job.batches) }} {% endmacro %}


{# Whether a DELETE was a batch of any purge. Args: predicate (string). Returns: bool. #}
{% macro _is_batch(predicate) %}
    {{ return(modules.re.search("[0-9a-f]{32}-[0-9]+", predicate) is not none) }}
{% endmacro %}
