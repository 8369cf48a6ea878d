{#
Whether two looks at a table saw the same commit. Where commit times have whole seconds, or two
commits fall into one millisecond, Delta moves the later ones of those that it lists together on by
a millisecond each, and lists a commit alone as it was. A table that was dropped and created is
further away than that.

Args: a, b (mappings version, commit_time). Returns: bool.
#}
{% macro _same_commit(a, b) %}
    {%- if a.version != b.version -%} {{ return(false) }}{%- endif -%}
    {{ return((a.commit_time - b.commit_time) | abs <= dbt_mview._blur()) }}
{% endmacro %}


{#
Whether one commit of a table came before another one, by its version or its time: versions of a
table that was dropped and created begin anew.

Args: a, b (mappings version, commit_time). Returns: bool.
#}
{% macro _came_before(a, b) %}
    {{ return(a.version < b.version or a.commit_time < b.commit_time - dbt_mview._blur()) }}
{% endmacro %}


{# Returns: int, microseconds: how far apart the times of one commit may be told. #}
{% macro _blur() %} {{ return(10000) }} {% endmacro %}
