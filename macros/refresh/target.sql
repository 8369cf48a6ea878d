{#
What stands under the view's name, asked from the catalog and never from dbt's cache, which
can be empty by mistake.

Args: spec, state (row of the view, or none). Returns: mapping with kind
    (missing|view|delta|parquet|...), name (quoted) and history (newest commits, for a Delta table).
#}
{% macro _target(spec, state=none) %}
    {%- set kind = dbt_mview._kind_of(spec.schema, spec.identifier, spec.database) -%}
    {%- set found = {"kind": kind, "name": spec.name, "history": []} -%}
    {%- if kind == "delta" -%}
        {%- set last = state.target_version if state else none -%}
        {%- do found.update({"history": dbt_mview._history_since(spec.name, last)}) -%}
    {%- endif -%}
    {{ return(found) }}
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


{#
Args: schema, identifier (strings), catalog (string, or none: the current one).
Returns: string: missing, view, delta or the provider of the table, lower case.
#}
{% macro _kind_of(schema, identifier, catalog=none) %}
    {%- if not dbt_mview._schema_is_there(schema, catalog) -%} {{ return("missing") }}{%- endif -%}
    {%- set pattern = modules.re.sub("[^\\w]", ".", identifier) -%}
    {%- set rows = dbt_mview._read(
        "catalog",
        "show table extended in "
        ~ dbt_mview._schema_in(catalog, schema)
        ~ " like "
        ~ dbt_mview._literal(pattern),
    ).rows -%}
    {%- for row in rows if row[1] | lower == identifier | lower -%}
        {#- The first lines of their kind: the table's comment follows and may hold others. -#}
        {%- set type = modules.re.search("(?m)^Type: (\\S+)", row[3]) -%}
        {%- if type and type.group(1) == "VIEW" -%} {{ return("view") }}{%- endif -%}
        {%- set provider = modules.re.search("(?m)^Provider: (\\S+)", row[3]) -%}
        {{ return((provider.group(1) if provider else "table") | lower) }}
    {%- endfor -%}
    {{ return("missing") }}
{% endmacro %}


{# Args: target (mapping), job_id. Returns: the commit of that refresh, or none. #}
{% macro _published(target, job_id) %}
    {{ return(dbt_mview._commit_of(target.history, "refresh_job_id", job_id)) }}
{% endmacro %}


{# Args: target (mapping). Returns: the newest commit that can change what readers see, or none. #}
{% macro _newest_data_commit(target) %}
    {%- for commit in target.history if dbt_mview._is_data_commit(commit) -%}
        {{ return(commit) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
