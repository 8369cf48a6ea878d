{# DESCRIBE HISTORY as data: the commits of a table, newest first. #}
{#
The newest commits of a Delta table, newest first.

Args: name (quoted SQL name), limit (int or none).
Returns: list of mappings: version, commit_time (microseconds), operation (empty where the writer
    did not say), engine (who wrote it, or none), rows (int or none; of a MERGE those that went,
    came or changed), metrics, parameters (mappings of strings) and meta (what this package put in
    the commit, or none).
#}
{% macro _delta_history(name, limit) %}
    {%- set text = "describe history " ~ name ~ ("" if limit is none else " limit " ~ limit) -%}
    {%- set commits = [] -%}
    {%- for row in dbt_mview._read("describe_history", text).rows -%}
        {%- set metrics = dbt_mview._mapping(row["operationMetrics"]) -%}
        {%- set parameters = dbt_mview._mapping(row["operationParameters"]) -%}
        {%- set rows = metrics.get("numOutputRows") -%}
        {%- if row["operation"] == "MERGE" -%}
            {%- set gone = metrics.get("numTargetRowsDeleted", 0) | int -%}
            {%- set moved = metrics.get("numTargetRowsUpdated", 0) | int -%}
            {%- set rows = gone + moved + (metrics.get("numTargetRowsInserted", 0) | int) -%}
        {%- endif -%}
        {%- do commits.append(
            {
                "version": row["version"] | int,
                "commit_time": dbt_mview._micros(row["timestamp"]),
                "operation": row["operation"] or "",
                "engine": row["engineInfo"],
                "rows": none if rows is none else rows | int,
                "metrics": metrics,
                "parameters": parameters,
                "meta": dbt_mview._commit_meta(
                    dbt_mview._merge_meta(parameters)
                    if row["operation"] == "MERGE"
                    else row["userMetadata"]
                ),
            }
        ) -%}
    {%- endfor -%}
    {{ return(commits) }}
{% endmacro %}


{#
A map as the method of connection returns it. PySpark gives a mapping, Databricks' connector a list
of pairs, both perhaps as JSON. A thrift server sends a text with quotes around
keys and values that are not escaped: `{"a":"{"b":"c"}"}`. A value that is JSON itself ends with
its own bracket, any other before the next key.

Args: value (mapping, list of pairs, string or none). Returns: mapping.
#}
{% macro _mapping(value) %}
    {%- set plain = fromjson(value, none) if value is string else value or {} -%}
    {%- if plain is mapping -%} {{ return(plain) }}
    {%- elif plain is iterable and plain is not string -%} {{ return(dict(plain)) }}
    {%- endif -%}
    {#- Brackets within brackets, as deep as Delta's parameters and our own properties go. -#}
    {%- set nested = namespace(object="\\{[^{}]*\\}", list="\\[[^\\[\\]]*\\]") -%}
    {%- for _ in range(5) -%}
        {%- set nested.object = "\\{(?:[^{}]|" ~ nested.object ~ ")*\\}" -%}
        {%- set nested.list = "\\[(?:[^\\[\\]]|" ~ nested.list ~ ")*\\]" -%}
    {%- endfor -%}
    {%- set value_ = '"(' ~ nested.object ~ "|" ~ nested.list ~ '|.*?)"' -%}
    {%- set entry = '(?s)"([^"]+)":(?:null|' ~ value_ ~ ')(?=,"[^"]+":(?:"|null)|\\}\\Z)' -%}
    {{ return(dict(modules.re.findall(entry, value | trim))) }}
{% endmacro %}


{#
The newest commit that says of itself that a job made it.

Args: commits (see _delta_history), key (refresh_job_id or capture_job_id), job_id (string).
Returns: mapping or none.
#}
{% macro _commit_of(commits, key, job_id) %}
    {%- for commit in commits if commit.meta and commit.meta.get(key) == job_id -%}
        {{ return(commit) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
The newest commits of a view, back to its last recorded refresh: any number of others may follow one
(OPTIMIZE, VACUUM, ALTER). Where none is recorded, back to one that can change what readers see.

Args: name (quoted SQL name), last (its version, or none). Returns: see _delta_history.
#}
{% macro _history_since(name, last) %}
    {%- set commits = dbt_mview._delta_history(name, 20) -%}
    {%- if last is none -%} {%- set enough = dbt_mview._newest_data_commit({"history": commits}) -%}
    {%- else -%} {%- set enough = commits[-1].version <= last -%}
    {%- endif -%}
    {%- if enough or commits | length < 20 -%} {{ return(commits) }}{%- endif -%}
    {%- set all = none if last is none else commits[0].version - last + 1 -%}
    {{ return(dbt_mview._delta_history(name, all)) }}
{% endmacro %}
