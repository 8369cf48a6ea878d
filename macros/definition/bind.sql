{#
The query with every source at a version, or as it is where no version is given. Views are
replaced by their text, recursively, so that the tables below them are pinned as well.

Args: sql (string); bindings (mapping name -> mapping with kind table|view and, for a table,
    version (int or none), for a view text, columns, namespace; see _view); namespace (string
    catalog.schema, where names without a schema are looked up); in_view (bool: write names in
    full, as the text of a view does not mean the session's schema, nor the query's CTEs).
Returns: mapping with sql (string) and found (list of the names that were bound, one entry for
    each place).
#}
{% macro _bind(sql, bindings, namespace, in_view=false) %}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set ctes = dbt_mview._cte_names(tokens) -%}
    {%- set found = [] -%}
    {%- set replaced = {} -%}
    {%- for index, table in dbt_mview._table_names(tokens).items() -%}
        {%- if not (table.parts | length == 1 and table.parts[0] in ctes) -%}
            {%- set prefix = namespace.split(".")[: 3 - table.parts | length] -%}
            {%- set name = (prefix + table.parts) | join(".") -%}
            {%- set binding = bindings.get(name) -%}
            {%- if binding and binding.kind == "turns" -%}
                {%- set binding = binding.turns.pop(0) if binding.turns else none -%}
            {%- endif -%}
            {%- if binding and binding.kind == "rows" -%}
                {%- do found.append(name) -%}
                {%- set text = binding.sql -%}
                {%- if not table.aliased -%}
                    {%- set text = text ~ " as " ~ dbt_mview._quote(table.parts[-1]) -%}
                {%- endif -%}
                {%- do replaced.update({index: text}) -%}
            {%- elif binding and binding.kind == "view" -%}
                {%- set inner = dbt_mview._bind(
                    binding.text, bindings, binding.namespace, in_view=true
                ) -%}
                {%- do found.append(name) -%}
                {%- do found.extend(inner.found) -%}
                {%- set text = dbt_mview._view_sql(inner.sql, binding.columns) -%}
                {%- if not table.aliased -%}
                    {%- set text = text ~ " as " ~ dbt_mview._quote(table.parts[-1]) -%}
                {%- endif -%}
                {%- do replaced.update({index: text}) -%}
            {%- elif binding -%}
                {%- do found.append(name) -%}
                {%- set text = tokens[index] -%}
                {%- if in_view and table.parts | length < 3 -%}
                    {%- set text = dbt_mview._quoted_name(name) -%}
                {%- endif -%}
                {%- if binding.version is not none -%}
                    {%- set text = text ~ " version as of " ~ binding.version -%}
                    {%- if modules.re.match("[\\w`]", (tokens + [" "])[index + 1]) -%}
                        {%- set text = text ~ " " -%}
                    {%- endif -%}
                {%- endif -%}
                {%- do replaced.update({index: text}) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set bound = [] -%}
    {%- for token in tokens -%}
        {%- do bound.append(replaced.get(loop.index0, token)) -%}
    {%- endfor -%}
    {{ return({"sql": bound | join(""), "found": found}) }}
{% endmacro %}


{# Names that WITH defines: they hide tables. Args: tokens. Returns: list of strings. #}
{% macro _cte_names(tokens) %}
    {%- set text = [] -%}
    {%- for token in tokens -%}
        {%- do text.append(" " if dbt_mview._is_blank(token) else token) -%}
    {%- endfor -%}
    {%- set names = modules.re.findall(
        "(?i)(?:\\bwith\\s+(?:recursive\\s+)?|,\\s*)(`(?:[^`]|``)*`|\\w+)\\s*(?:\\([^()]*\\)\\s*)?"
        ~ "(?:max\\s+recursion\\s+level\\s+\\d+\\s*)?(?:as\\s*)?\\(",
        text | join(""),
    ) -%}
    {%- set plain = [] -%}
    {%- for name in names -%} {%- do plain.extend(dbt_mview._name_parts(name)) -%} {%- endfor -%}
    {{ return(plain) }}
{% endmacro %}


{#
A view's text as a subquery with the view's own names and types, as Spark resolves a view.

Args: sql (string), columns (list of mappings: name, type, source). Returns: SQL text.
#}
{% macro _view_sql(sql, columns) %}
    {%- set items = [] -%}
    {%- for column in columns -%}
        {%- do items.append(
            "cast("
            ~ dbt_mview._quote(column.source)
            ~ " as "
            ~ column.type
            ~ ") as "
            ~ dbt_mview._quote(column.name)
        ) -%}
    {%- endfor -%}
    {{ return("(select " ~ items | join(", ") ~ " from (\n" ~ sql ~ "\n))") }}
{% endmacro %}
