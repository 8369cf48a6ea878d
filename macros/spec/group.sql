{# The config refresh_group: who belongs to a group, and all that is refused of one. #}
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
What is refreshed together with a view: all members of its refresh group, or it alone.

Args: spec (mview_id, refresh_group), state (row of the view, or none).
Returns: mapping mview_id -> row of state, or none; of a group, all as of the start of the run.
#}
{% macro _refreshed_together(spec, state) %}
    {%- set rows = {spec.mview_id: state} -%}
    {%- set name = spec.refresh_group -%}
    {%- set group = dbt_mview._group(name) if name else {} -%}
    {%- for unique_id in group.get("members", []) -%}
        {%- set id = dbt_mview._mview_id(dbt_mview._relation_of(graph.nodes[unique_id])) -%}
        {%- do rows.update({id: dbt_mview._memory().states.get(id)}) -%}
    {%- endfor -%}
    {{ return(rows) }}
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
Whether readers of a group's members in this run see them as of its start: once one has read before
the group was published, all do, so none sees some members old and some new.

Args: name (string, or none for no group). Returns: bool.
#}
{% macro _group_is_read_as_of_start(name) %}
    {%- if name is none -%} {{ return(false) }}{%- endif -%}
    {%- set group = dbt_mview._group(name) -%}
    {{ return(group.setdefault("read", "built" if group.published else "start") == "start") }}
{% endmacro %}


{#
The config refresh_group: views that are staged at one snapshot and published together, see
docs/groups.md. All that would let some of them be seen without the others is refused here, before
anything is done.

Args: spec. Returns: string, or none.
Errors: a name that is none; members that this run leaves out; a member that reads another one;
    read_consistency 'latest'; on_configuration_change 'continue'; a post_hook.
#}
{% macro _refresh_group(spec) %}
    {%- set name = dbt_mview._config("refresh_group") -%}
    {%- if name is none -%} {{ return(none) }}{%- endif -%}
    {%- set word = modules.re.compile("[\\w.-]+") -%}
    {%- if name is not string or not word.fullmatch(name) -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "refresh_group is '" ~ name ~ "'.",
            "It is the name of the group, of letters, digits and _ . - as selectors can take it.",
        ) -%}
    {%- endif -%}
    {%- set members = dbt_mview._group(name).members -%}
    {%- set others = members | reject("equalto", model.unique_id) | list -%}
    {%- set missing = others | reject("in", selected_resources) | list -%}
    {%- set parents = others | select("in", dbt_mview._ancestors(model.unique_id)) | list -%}
    {%- set what, way_out = (none, none) -%}
    {%- if model.unique_id not in members -%}
        {%- set what = "its materialization is '" ~ config.get("materialized") ~ "'" -%}
        {%- set way_out = "Members of a group say materialized: mview." -%}
    {%- elif missing -%}
        {%- set what = "this run leaves out " ~ missing | join(", ") -%}
        {%- set way_out = (
            "Run all of it: --select "
            ~ dbt_mview._group_selector(name)
            ~ ", with what else you want."
        ) -%}
    {%- elif parents -%}
        {%- set what = "it reads another member, " ~ parents | join(", ") -%}
        {%- set way_out = "Leave one of the two out of the group." -%}
    {%- elif dbt_mview._config("read_consistency", "run") | lower != "run" -%}
        {%- set what = "its read_consistency is '" ~ dbt_mview._config("read_consistency") ~ "'" -%}
        {%- set way_out = "Members read one snapshot: set it to 'run'." -%}
    {%- elif config.get("on_configuration_change") | string | lower == "continue" -%}
        {%- set what = "its on_configuration_change is 'continue', which leaves it behind" -%}
        {%- set way_out = "Set it to 'apply' or 'fail'." -%}
    {%- elif post_hooks -%}
        {%- set what = "it has a post_hook, which would run before the group is published" -%}
        {%- set way_out = "Use on-run-end, or leave the view out of the group." -%}
    {%- endif -%}
    {%- if what -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "it belongs to refresh_group '" ~ name ~ "', but " ~ what ~ ".",
            way_out,
        ) -%}
    {%- endif -%}
    {{ return(name) }}
{% endmacro %}
