{# Stand-ins for names and literals of a query that might be mistaken for plan text. #}
{#
Stand-ins for the names and literals of a query that might be mistaken for plan text. Two that are
the same get the same stand-in, so the query means the same but for the values of its literals.

Args: words (every token of the query, with the texts of views inlined, without the blanks), tables
    (name -> columns, see _describe_tables).
Returns: mapping
    names     name, lower case -> its stand-in
    literals  token of a literal -> its stand-in
    tables    names of the tables that have such a column
    prefix    how all of them begin, as nothing else does
#}
{% macro _stand_in_names(words, tables) %}
    {%- set made = {"names": {}, "literals": {}, "tables": [], "prefix": "mview_"} -%}
    {%- set known = dbt_mview._literals_of_analysis(words) -%}
    {%- set columns = [] -%}
    {%- for relation, of in tables.items() -%}
        {%- for column in of if dbt_mview._is_ambiguous(column.name) -%}
            {%- do columns.append(column.name | lower) -%}
            {%- if relation not in made.tables -%}
                {%- do made.tables.append(relation) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set text = (
        (words + tables.values() | sum(start=[]) | map(attribute="name") | list)
        | join(" ")
        | lower
    ) -%}
    {%- for _ in range(text | length) if made.prefix in text -%}
        {%- do made.update(prefix=made.prefix ~ "q_") -%}
    {%- endfor -%}
    {%- for word in words -%}
        {%- if word[-1:] in ["'", '"'] -%}
            {%- if loop.index0 not in known and dbt_mview._is_ambiguous_literal(word) -%}
                {%- set text = made.prefix ~ "text" ~ (made.literals | length) -%}
                {%- do made.literals.setdefault(word, "'" ~ text ~ "_'") -%}
            {%- endif -%}
            {%- elif "`" in word -%}
            {%- for name in dbt_mview._quoted_names(word) if dbt_mview._is_ambiguous(name) -%}
                {%- do columns.append(name) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for name in columns | unique -%}
        {%- do made.names.update({name: made.prefix ~ "name" ~ loop.index0 ~ "_"}) -%}
    {%- endfor -%}
    {{ return(made) }}
{% endmacro %}


{# Args: sql (a query), made (see _stand_in_names). Returns: SQL text, the query in made names. #}
{% macro _in_stand_in_names(sql, made) %}
    {%- if not (made.names or made.literals) -%} {{ return(sql) }}{%- endif -%}
    {%- set tokens = dbt_mview._tokens(sql) -%}
    {%- set known = dbt_mview._literals_of_analysis(tokens[1::3]) -%}
    {%- set parts = [] -%}
    {%- for token in tokens -%}
        {%- set is_word = loop.index0 % 3 == 1 -%}
        {%- if is_word and token in made.literals and loop.index0 // 3 not in known -%}
            {%- do parts.append(made.literals[token]) -%}
        {%- elif is_word and "`" in token and token[-1:] not in ["'", '"'] -%}
            {%- for part in modules.re.split("(`(?:[^`]|``)*`)", token) -%}
                {%- set name = part[1:-1].replace("``", "`") | lower -%}
                {%- set is_name = loop.index0 % 2 == 1 and name in made.names -%}
                {%- do parts.append("`" ~ made.names[name] ~ "`" if is_name else part) -%}
            {%- endfor -%}
        {%- else -%} {%- do parts.append(token) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(parts | join) }}
{% endmacro %}


{# What the plan calls a column of a table. Args: reads (see _canonical), name. Returns: string. #}
{% macro _as_printed(reads, name) %}
    {{ return(reads.get("made", {}).get(name | lower, name)) }}
{% endmacro %}


{#
A text with the tables that are not there yet, see mview_explain, as queries without rows.

Args: sql, namespace. Returns: SQL text.
#}
{% macro _foretold_in(sql, namespace) %}
    {{ return(dbt_mview._with_empty_tables(sql, dbt_mview._memory().foretold, namespace)) }}
{% endmacro %}


{# Args: sql, tables (name -> columns, see _empty_table_sql), namespace. Returns: SQL text. #}
{% macro _with_empty_tables(sql, tables, namespace) %}
    {%- set rows = {} -%}
    {%- for relation, columns in tables.items() -%}
        {%- set table = dbt_mview._empty_table_sql(relation, columns) -%}
        {%- do rows.update({relation: {"kind": "rows", "sql": table}}) -%}
    {%- endfor -%}
    {{ return(dbt_mview._bind(sql, rows, namespace).sql if rows else sql) }}
{% endmacro %}
