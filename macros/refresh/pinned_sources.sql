{#
One version per table that the query reads, through views as well.

Args: spec, job (reads), latest (bool). Returns: list of mappings relation, table_id, version,
    commit_time (microseconds); version none for what cannot be pinned.
#}
{% macro _pinned_sources(spec, job, latest=false) %}
    {%- set memory = dbt_mview._memory() -%}
    {%- set sources = [] -%}
    {%- set now = latest or spec.read_consistency == "latest" -%}
    {%- for name in job.reads.tables -%}
        {%- set moment = none if now else dbt_mview._run_start(name) -%}
        {#- What this run builds may be built after the first view that reads it; but a refresh
            group reads one version. -#}
        {%- set key = name if moment is not none else (spec.get("refresh_group"), name) -%}
        {%- set kept = moment is not none or (spec.get("refresh_group") and not now) -%}
        {%- set pin = memory.pins.get(key) if kept else none -%}
        {%- if pin is none -%}
            {%- set pin = dbt_mview._pin_table(name, moment) -%}
            {%- if kept -%} {%- set pin = memory.pins.setdefault(key, pin) -%} {%- endif -%}
        {%- endif -%}
        {%- if name in job.unbound -%}
            {%- set pin = {
                "relation": name,
                "table_id": pin.table_id,
                "version": none,
                "commit_time": none,
            } -%}
        {%- endif -%}
        {%- do sources.append(pin) -%}
    {%- endfor -%}
    {{ return(sources) }}
{% endmacro %}


{#
The moment whose data all views of this run read, or none for a table that is built in this
run, which is read as built; a member of a refresh group only once the whole group is.

Args: name (string). Returns: int (microseconds) or none.
#}
{% macro _run_start(name) %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if "built" not in memory -%}
        {%- set built = {} -%}
        {%- for unique_id in dbt_mview._chosen() -%}
            {%- set node = graph.nodes.get(unique_id) -%}
            {%- if node and node.resource_type in ["model", "seed", "snapshot"] -%}
                {%- set key = (node.schema ~ "." ~ (node.alias or node.name)) | lower -%}
                {%- do built.update({key: dbt_mview._group_of(node)}) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- do memory.update({"built": built}) -%}
    {%- endif -%}
    {%- set key = name.split(".")[1:] | join(".") -%}
    {%- if key in memory.built and not dbt_mview._group_is_read_as_of_start(memory.built[key]) -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return(dbt_mview._clock().now) }}
{% endmacro %}
