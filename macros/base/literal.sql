{#
Values as SQL literals: texts, JSON, numbers, timestamps. Every value that goes into a statement
passes through here, so that none can end the literal that holds it.
#}
{#
A SQL string literal of any text, or NULL. Backslash escapes are Spark's default;
`${` is broken up, because Spark substitutes variables inside literals too.

Args: value (string or none). Returns: SQL text.
#}
{% macro _literal(value) %}
    {%- if value is none -%} {{ return("cast(null as string)") }}{%- endif -%}
    {%- set text = value | string -%}
    {%- set text = text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{") -%}
    {{ return("'" ~ text ~ "'") }}
{% endmacro %}


{# A JSON text as a SQL literal. Args: value (any JSON value). Returns: SQL text. #}
{% macro _json_literal(value) %}
    {{ return(dbt_mview._literal(none if value is none else tojson(value))) }}
{% endmacro %}


{# A comma-separated list of literals. Args: values (list of strings). Returns: SQL text. #}
{% macro _literals(values) %}
    {%- set quoted = [] -%}
    {%- for value in values -%} {%- do quoted.append(dbt_mview._literal(value)) -%} {%- endfor -%}
    {{ return(quoted | join(", ")) }}
{% endmacro %}


{# A timestamp from microseconds since the epoch. Args: micros (int or none). Returns: SQL text. #}
{% macro _timestamp(micros) %}
    {%- if micros is none -%} {{ return("cast(null as timestamp)") }}{%- endif -%}
    {{ return("timestamp_micros(" ~ micros ~ ")") }}
{% endmacro %}


{# A whole number. Args: value (int or none). Returns: SQL text. #}
{% macro _bigint(value) %}
    {{ return("cast(" ~ ("null" if value is none else value) ~ " as bigint)") }}
{% endmacro %}


{# Args: text (a value as the engine prints it, or none), type. Returns: SQL literal, or none. #}
{% macro _typed_literal(text, type) %}
    {%- if text is none -%} {{ return(none) }}{%- endif -%}
    {%- set literal = dbt_mview._literal(text) -%}
    {{ return(literal if type == "string" else "cast(" ~ literal ~ " as " ~ type ~ ")") }}
{% endmacro %}
