{#
Records: mappings that steps hand to each other. Each kind has one constructor, which names every
key, its default and who sets it; tests/unit/test_records.py finds a key that it does not name.
#}
{#
A record with other values than its defaults.

Args: kind (string, for people), defaults (mapping with every key), values (mapping).
Returns: mapping. Errors: a key that such a record does not have.
#}
{% macro _new_record(kind, defaults, values) %}
    {%- for key in values if key not in defaults -%}
        {%- do exceptions.raise_compiler_error(
            "dbt_mview: a " ~ kind ~ " has no '" ~ key ~ "', only " ~ defaults
            | join(", ") ~ "."
        ) -%}
    {%- endfor -%}
    {{ return(dict(defaults, **values)) }}
{% endmacro %}


{#
The part of a stored mapping that this release knows: another release may have written it.

Args: record (mapping with every key), stored (mapping, from JSON). Returns: mapping.
#}
{% macro _known_keys(record, stored) %}
    {%- set known = {} -%}
    {%- for key, value in stored.items() if key in record -%}
        {%- do known.update({key: value}) -%}
    {%- endfor -%}
    {{ return(known) }}
{% endmacro %}


{#
What every statement that writes belongs to, see _run; all of it where it belongs to no refresh,
capture or purge.

    id         see the log line of the statement; the invocation's where nothing else is given
    dry_run    print the statement instead
    unique_id  of the model whose file in target/run shows the statement, or none
    run_text   set by _keep_text: what that file holds

Args: dry_run (bool), id (string, or none). Returns: mapping.
#}
{% macro _bare_job(dry_run=false, id=none) %}
    {{
        return(
            {
                "id": invocation_id if id is none else id,
                "dry_run": dry_run,
                "unique_id": none,
                "run_text": "",
            }
        )
    }}
{% endmacro %}
