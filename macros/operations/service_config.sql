{#
How the scheduler service is to treat a view or log: meta.dbt_mview of its model.

    priority   1 to 5; the larger comes first
    pool       the name of a pool, whose slots it takes as well, or none
    timeout    seconds after which its refresh is cancelled, or none for that of the service

Args: id (string), configs (mapping, of a node of the graph).
Returns: mapping. Errors: an unknown key; a value that is none of its kind.
#}
{% macro _service_config(id, configs) %}
    {%- set given = dbt_mview._config("dbt_mview", {}, configs) -%}
    {#- The last one is not the service's, see _said_of_flashback. -#}
    {%- set known = ["priority", "pool", "timeout", "flashback"] -%}
    {%- if given is not mapping or given.keys() | reject("in", known) | list -%}
        {%- do dbt_mview._raise(
            id,
            "meta.dbt_mview is " ~ tojson(given) ~ ".",
            "Its keys are: " ~ known | join(", ") ~ ".",
        ) -%}
    {%- endif -%}
    {%- set priority = given.get("priority") -%}
    {%- set priority = 3 if priority is none else priority -%}
    {%- if priority is not integer or priority < 1 or priority > 5 -%}
        {%- do dbt_mview._raise(
            id,
            "meta.dbt_mview.priority is " ~ tojson(priority) ~ ".",
            "Give 1 to 5; the larger comes first, and the default is 3.",
        ) -%}
    {%- endif -%}
    {%- set pool = given.get("pool") -%}
    {%- if pool is not none and (pool is not string or not pool | trim) -%}
        {%- do dbt_mview._raise(
            id,
            "meta.dbt_mview.pool is " ~ tojson(pool) ~ ".",
            "Give the name of a pool.",
        ) -%}
    {%- endif -%}
    {%- set timeout = given.get("timeout") -%}
    {%- if timeout is not none -%}
        {%- set timeout = dbt_mview._seconds(id, "meta.dbt_mview.timeout", timeout) -%}
    {%- endif -%}
    {{ return({"priority": priority, "pool": pool, "timeout": timeout}) }}
{% endmacro %}
