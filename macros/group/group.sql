{#
What this invocation knows of a refresh group.

Args: name (string).
Returns: mapping
  members    unique_ids of the views that have the name in their config, in order
  arrived    jobs of those that are done, skipped or wait to be published
  leader     the job that arrived last, which publishes; set once
  alone      the single job that it is publishing, and need not decide for; none before and after
  published  whether it has
  read       whether this run reads members as of its start (start) or as built; set once
#}
{% macro _group(name) %}
    {%- set groups = dbt_mview._memory().groups -%}
    {%- if name not in groups -%}
        {%- set members = [] -%}
        {%- for node in graph.nodes.values() if dbt_mview._group_of(node) == name -%}
            {%- do members.append(node.unique_id) -%}
        {%- endfor -%}
        {#- Of two threads that do this at the same moment, both get the first one's. -#}
        {%- do groups.setdefault(
            name, {"members": members | sort, "arrived": [], "published": false}
        ) -%}
    {%- endif -%}
    {{ return(groups[name]) }}
{% endmacro %}


{#
A folder's config reaches tables as well, which belong to no group.

Args: node (of the graph). Returns: string, or none.
#}
{% macro _group_of(node) %}
    {%- set is_view = node.config.get("materialized") == "mview" -%}
    {{ return(dbt_mview._config("refresh_group", configs=node.config) if is_view else none) }}
{% endmacro %}


{# Args: name (of a group). Returns: string, what selects its members in `dbt run --select`. #}
{% macro _group_selector(name) %}
    {%- set found = [] -%}
    {%- for unique_id in dbt_mview._group(name).members -%}
        {%- set configs = graph.nodes[unique_id].config -%}
        {%- set place = "config" if configs.get("refresh_group") else "config.meta" -%}
        {%- do found.append(place ~ ".refresh_group:" ~ name) -%}
    {%- endfor -%}
    {{ return(found | unique | join(" ")) }}
{% endmacro %}


{#
Whether those that read members of a group in this run see them as of its start: once one has read
before the group was published, all do, so that nobody sees some members old and some new.

Args: name (string, or none for no group). Returns: bool.
#}
{% macro _group_is_read_as_of_start(name) %}
    {%- if name is none -%} {{ return(false) }}{%- endif -%}
    {%- set group = dbt_mview._group(name) -%}
    {{ return(group.setdefault("read", "built" if group.published else "start") == "start") }}
{% endmacro %}
