{# Args: id, state (row), dry_run. Returns: list verdict, missing, surplus. #}
{% macro _verify_view(id, state, dry_run) %}
    {%- if state.last_successful_refresh_read_time is none -%}
        {{ return(["never refreshed", "-", "-"]) }}
    {%- endif -%}
    {%- if not state.definition or state.sources | selectattr("version", "none") | list -%}
        {{ return(["not verifiable: a source has no version", "-", "-"]) }}
    {%- endif -%}
    {%- set spec = dbt_mview._spec_from_state(dbt_mview._relation_of_state(id, state), state) -%}
    {%- set reads = dbt_mview._reads(spec.definition) -%}
    {%- set bound = dbt_mview._bindings(spec.definition, reads, spec.namespace) -%}
    {%- if bound.unbound -%}
        {{ return(["not verifiable: no version of " ~ bound.unbound | join(", "), "-", "-"]) }}
    {%- endif -%}
    {%- set sql = dbt_mview._verify_sql(spec, state, bound.bindings) -%}
    {%- if dry_run -%} {%- do print(sql ~ ";") -%} {{ return(["-", "-", "-"]) }} {%- endif -%}
    {%- set row = dbt_mview._read("verify", sql).rows[0] -%}
    {%- set equal = row[0] | int == 0 and row[1] | int == 0 -%}
    {{ return(["equal" if equal else "DIFFERS", row[0] | string, row[1] | string]) }}
{% endmacro %}


{# Args: spec, state, bindings (see _bindings). Returns: SQL text, one row: missing, surplus. #}
{% macro _verify_sql(spec, state, bindings) %}
    {%- for source in state.sources -%}
        {%- do bindings.update({source.relation: {"kind": "table", "version": source.version}}) -%}
    {%- endfor -%}
    {%- set items = [] -%}
    {%- for column in dbt_mview._describe_query("select * from " ~ spec.name) -%}
        {%- set name = dbt_mview._quote(column.name) -%}
        {%- do items.append("to_json(" ~ name ~ ")" if "map<" in column.type else name) -%}
    {%- endfor -%}
    with
        wanted as (
            select {{ items | join(", ") }}
            from ({{ dbt_mview._bind(spec.definition, bindings, spec.namespace).sql }})
        ),
        present as (
            select {{ items | join(", ") }}
            from {{ spec.name }} version as of {{ state.target_version }}
        )
    select
        (
            select count(*)
            from
                (
                    select *
                    from wanted
                    except all
                    select *
                    from present
                )
        ) as missing,
        (
            select count(*)
            from
                (
                    select *
                    from present
                    except all
                    select *
                    from wanted
                )
        ) as surplus
{%- endmacro %}
