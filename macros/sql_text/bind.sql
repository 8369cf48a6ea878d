{#
A query with each source at a version, or replaced by rows. Views are replaced by their text from
the catalog, so that the tables below them are bound as well.
#}
{#
The query with every source at a version, or as it is where no version is given. Views are
replaced by their text, recursively, so that the tables below them are pinned as well.

Args: sql (string); bindings (mapping name -> mapping with kind: table with version (int, or
    none: as it is written) and keeps_own (may lack; bool: places with a time travel of their own
    keep it); view with text, columns, namespace, see _view; rows with sql, a subquery instead of
    it; occurrences with a list of bindings, one for each of them, used up in order); namespace
    (string catalog.schema, in which names without a schema are resolved); in_view (bool: write
    names in full, as the text of a view does not mean the session's schema, nor the query's CTEs).
Returns: mapping with sql (string), found (list of the names that were bound, one entry for each
    occurrence) and own (mapping name of a table -> list of the versions that its occurrences have
    in the text, none for those without one).
#}
{% macro _bind(sql, bindings, namespace, in_view=false) %}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set places = dbt_mview._table_names(tokens) -%}
    {%- set bound = tokens | list -%}
    {%- set found, own = [], {} -%}
    {%- for place in places -%}
        {%- set full = namespace.split(".")[: 3 - place.parts | length] + place.parts -%}
        {%- set name = full | join(".") -%}
        {%- set binding = bindings.get(name) -%}
        {%- if binding and binding.kind == "occurrences" -%}
            {%- set binding = binding.occurrences.pop(0) if binding.occurrences else none -%}
        {%- endif -%}
        {%- set text = none -%}
        {%- if binding and binding.kind == "table" -%}
            {%- do found.append(name) -%}
            {%- do own.setdefault(name, []).append(place.version) -%}
            {%- set text = dbt_mview._quoted_name(name) if in_view else tokens[place.at] -%}
            {%- set version = dbt_mview._bound_version(binding, place) -%}
            {%- if version is not none -%}
                {%- set text = text ~ " version as of " ~ version -%}
                {%- set glued = tokens[place.end + 1] == "" and dbt_mview._is_name(place.after) -%}
                {%- set text = text ~ (" " if glued else "") -%}
            {%- endif -%}
        {%- elif binding and dbt_mview._fits_subquery(place, full, tokens, places) -%}
            {%- do found.append(name) -%}
            {%- if binding.kind == "rows" -%} {%- set text = binding.sql -%}
            {%- else -%}
                {%- set inner = dbt_mview._bind(binding.text, bindings, binding.namespace, true) -%}
                {%- do found.extend(inner.found) -%}
                {%- for name, versions in inner.own.items() -%}
                    {%- do own.setdefault(name, []).extend(versions) -%}
                {%- endfor -%}
                {%- set text = dbt_mview._view_sql(inner.sql, binding.columns) -%}
            {%- endif -%}
            {%- if not dbt_mview._is_alias(place.after) -%}
                {%- set text = text ~ " as " ~ dbt_mview._quote(place.parts[-1]) -%}
            {%- endif -%}
        {%- endif -%}
        {%- if text is not none -%}
            {%- if place.table_at is not none -%}
                {#- TABLE takes a bare name only: it becomes a query in brackets. -#}
                {%- set text = text ~ ")" -%}
                {%- do bound.pop(place.table_at) -%}
                {%- do bound.insert(place.table_at, "(select * from") -%}
            {%- endif -%}
            {%- for at in range(place.at, place.end + 1) -%}
                {%- do bound.pop(at) -%} {%- do bound.insert(at, text if loop.first else "") -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"sql": bound | join, "found": found, "own": own}) }}
{% endmacro %}


{#
Args: binding (of a table, see _bind), place (see _table_names). Returns: int, or none.
#}
{% macro _bound_version(binding, place) %}
    {%- set keeps = binding.version is none or binding.get("keeps_own") -%}
    {{ return(place.version if keeps and place.version is not none else binding.version) }}
{% endmacro %}


{#
Whether a subquery can replace the name of a view. A sample comes before the alias, which a subquery
needs; a subquery takes no options, and none of its columns are qualified by a schema.

Args: place (see _table_names), full (list: catalog, schema, identifier), tokens, places.
#}
{% macro _fits_subquery(place, full, tokens, places) %}
    {%- if place.after in ["tablesample", "with", "watermark"] -%} {{ return(false) }}{%- endif -%}
    {%- if dbt_mview._is_alias(place.after) -%} {{ return(true) }}{%- endif -%}
    {%- set tables = places | map(attribute="at") | list -%}
    {%- for token in tokens[1::3] -%}
        {%- if "." in token and 3 * loop.index0 + 1 not in tables -%}
            {%- set parts = dbt_mview._name_parts(token) if dbt_mview._is_name(token) else [] -%}
            {%- if parts[:3] == full or parts[:2] == full[1:] -%} {{ return(false) }}{%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}


{#
A view as the catalog keeps it.

Args: name (string catalog.schema.identifier). Returns: mapping with kind 'view', text,
    namespace (in which its names are resolved) and columns (list of name, type, source: the
    column of the text that feeds it); none for a view that its text alone does not describe.
#}
{% macro _view(name) %}
    {%- set rows = dbt_mview._read(
        "view", "describe extended " ~ dbt_mview._quoted_name(name)
    ).rows -%}
    {%- set columns = [] -%}
    {%- set facts = {} -%}
    {%- set at = namespace(columns=true) -%}
    {%- for row in rows -%}
        {#- A column has a type; a heading has none. -#}
        {%- if not row[1] -%} {%- set at.columns = false -%}
        {%- elif at.columns -%} {%- do columns.append({"name": row[0], "type": row[1]}) -%}
        {%- else -%} {%- do facts.update({row[0]: row[1]}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set sources = modules.re.findall(
        "`((?:[^`]|``)*)`", facts.get("View Query Output Columns", "")
    ) -%}
    {#- Columns that follow the tables, or of which two feed from one name, need Spark's help. -#}
    {%- set follows = "EVOLUTION" in facts.get("View Schema Mode", "") -%}
    {%- set known = sources | map("lower") | unique | list | length == columns | length -%}
    {%- if "View Text" not in facts or follows or not known -%} {{ return(none) }}{%- endif -%}
    {%- for column in columns -%}
        {%- do column.update({"source": sources[loop.index0].replace("``", "`")}) -%}
    {%- endfor -%}
    {%- set namespace_ = facts.get("View Catalog and Namespace", "").replace("`", "") -%}
    {{
        return(
            {
                "kind": "view",
                "text": dbt_mview._strip_end(facts["View Text"]),
                "columns": columns,
                "namespace": (namespace_ or name.rsplit(".", 1)[0]) | lower,
            }
        )
    }}
{% endmacro %}


{#
A view's text as a subquery with the view's own names and types, as Spark resolves a view.

Args: sql (string), columns (list of mappings: name, type, source). Returns: SQL text.
#}
{% macro _view_sql(sql, columns) %}
    {%- set items = [] -%}
    {%- for column in columns -%}
        {%- set item = dbt_mview._quote(column.source) -%}
        {#- DESCRIBE cuts long structs and quotes no field: nested types are no SQL. -#}
        {#- A cast takes away what pads a CHAR. -#}
        {%- if "<" not in column.type and not column.type.startswith("char(") -%}
            {%- set item = "cast(" ~ item ~ " as " ~ dbt_mview._written_type(column.type) ~ ")" -%}
        {%- endif -%}
        {%- do items.append(item ~ " as " ~ dbt_mview._quote(column.name)) -%}
    {%- endfor -%}
    {{ return("(select " ~ items | join(", ") ~ " from (\n" ~ sql ~ "\n))") }}
{% endmacro %}
