{#
The query with every source at a version, or as it is where no version is given. Views are
replaced by their text, recursively, so that the tables below them are pinned as well.

Args: sql (string); bindings (mapping name -> mapping with kind: table with version (int or
    none); view with text, columns, namespace, see _view; rows with sql, a subquery in its place;
    turns with a list of bindings, one for each place, which are used up); namespace (string
    catalog.schema, where names without a schema are looked up); in_view (bool: write names in
    full, as the text of a view does not mean the session's schema, nor the query's CTEs).
Returns: mapping with sql (string) and found (list of the names that were bound, one entry for
    each place).
#}
{% macro _bind(sql, bindings, namespace, in_view=false) %}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set places = dbt_mview._table_names(tokens) -%}
    {%- set bound = tokens | list -%}
    {%- set found = [] -%}
    {%- for place in places -%}
        {%- set full = namespace.split(".")[: 3 - place.parts | length] + place.parts -%}
        {%- set name = full | join(".") -%}
        {%- set binding = bindings.get(name) -%}
        {%- if binding and binding.kind == "turns" -%}
            {%- set binding = binding.turns.pop(0) if binding.turns else none -%}
        {%- endif -%}
        {%- set text = none -%}
        {%- if binding and binding.kind == "table" -%}
            {%- do found.append(name) -%}
            {%- set text = dbt_mview._quoted_name(name) if in_view else tokens[place.at] -%}
            {%- if binding.version is not none -%}
                {%- set text = text ~ " version as of " ~ binding.version -%}
                {%- set glued = tokens[place.at + 1] == "" and dbt_mview._is_name(place.after) -%}
                {%- set text = text ~ (" " if glued else "") -%}
            {%- endif -%}
        {%- elif binding and dbt_mview._fits_subquery(place, full, tokens, places) -%}
            {%- do found.append(name) -%}
            {%- if binding.kind == "rows" -%} {%- set text = binding.sql -%}
            {%- else -%}
                {%- set inner = dbt_mview._bind(binding.text, bindings, binding.namespace, true) -%}
                {%- do found.extend(inner.found) -%}
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
            {%- do bound.pop(place.at) -%}
            {%- do bound.insert(place.at, text) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return({"sql": bound | join, "found": found}) }}
{% endmacro %}
