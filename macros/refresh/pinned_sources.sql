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
        {%- if now or name not in memory.pins -%}
            {%- set pin = dbt_mview._pin_table(
                name, none if now else dbt_mview._run_start(name)
            ) -%}
            {%- if not now -%} {%- do memory.pins.update({name: pin}) -%} {%- endif -%}
        {%- else -%} {%- set pin = memory.pins[name] -%}
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
run, which is read as built.

Args: name (string). Returns: int (microseconds) or none.
#}
{% macro _run_start(name) %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if "built" not in memory -%}
        {%- set built = [] -%}
        {%- for unique_id in selected_resources -%}
            {%- set node = graph.nodes.get(unique_id) -%}
            {%- if node and node.resource_type in ["model", "seed", "snapshot"] -%}
                {%- do built.append((node.schema ~ "." ~ (node.alias or node.name)) | lower) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- do memory.update({"built": built}) -%}
    {%- endif -%}
    {{
        return(
            none if name.split(".")[1:] | join(".") in memory.built else dbt_mview._clock().now
        )
    }}
{% endmacro %}


{#
The version of one table at a moment: the last one committed at or before it; the newest where
there is no moment, or none that old.

Args: name (string catalog.schema.identifier), moment (int microseconds or none).
Returns: mapping relation, table_id, version, commit_time.
#}
{% macro _pin_table(name, moment) %}
    {%- set quoted = dbt_mview._quoted_name(name) -%}
    {%- set detail = dbt_mview._read("describe_detail", "describe detail " ~ quoted).rows[0] -%}
    {%- if detail["format"] != "delta" -%}
        {{ return({"relation": name, "table_id": none, "version": none, "commit_time": none}) }}
    {%- endif -%}
    {%- set newest = dbt_mview._delta_history(quoted, 1) -%}
    {%- set chosen = namespace(commit=newest[0]) -%}
    {%- if moment is not none and newest[0].commit_time > moment -%}
        {%- set older = (
            dbt_mview._delta_history(quoted, none)
            | rejectattr("commit_time", "gt", moment)
            | list
        ) -%}
        {%- set chosen.commit = older[0] if older else newest[0] -%}
    {%- endif -%}
    {{
        return(
            {
                "relation": name,
                "table_id": detail["id"],
                "version": chosen.commit.version,
                "commit_time": chosen.commit.commit_time,
            }
        )
    }}
{% endmacro %}
