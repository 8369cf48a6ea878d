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


{# All that a node is built from. Args: unique_id. Returns: list of unique_ids. #}
{% macro _ancestors(unique_id) %}
    {%- set found = [] -%}
    {%- set todo = [unique_id] -%}
    {#- The list grows while it is gone through. -#}
    {%- for one in todo -%}
        {%- set node = graph.nodes.get(one) or {} -%}
        {%- for parent in dbt_mview._parents_of(node) if parent not in found -%}
            {%- do found.append(parent) -%} {%- do todo.append(parent) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
