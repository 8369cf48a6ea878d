{# Compares one view. Args: id, state (row), dry_run. Returns: list verdict, missing, surplus. #}
{% macro _verify_view(id, state, dry_run) %}
    {%- if state.last_successful_refresh_read_time is none -%}
        {{ return(["never refreshed", "-", "-"]) }}
    {%- endif -%}
    {%- if not state.definition -%}
        {{ return(["not verifiable: state has no definition of it", "-", "-"]) }}
    {%- elif state.sources | selectattr("version", "none") | list -%}
        {{ return(["not verifiable: a source has no version", "-", "-"]) }}
    {%- endif -%}
    {%- set zones = dbt_mview._zone_change(state) -%}
    {%- if zones -%} {{ return(["not verifiable: time zone " ~ zones, "-", "-"]) }}{%- endif -%}
    {%- set spec = dbt_mview._spec_from_state(dbt_mview._relation_of_state(id, state), state) -%}
    {%- set gone = dbt_mview._what_is_gone(
        [id] + state.sources | map(attribute="relation") | list
    ) -%}
    {%- if gone -%}
        {{ return(["not verifiable: no table " ~ gone | join(", "), "-", "-"]) }}
    {%- endif -%}
    {%- set asked = "select 1 from (\n" ~ spec.definition ~ "\n) where false" -%}
    {%- if not dbt_mview._succeeds("is_there", asked) -%}
        {{ return(["not verifiable: its query does not run any more", "-", "-"]) }}
    {%- endif -%}
    {%- if not dbt_mview._succeeds("is_there", "select 1 from " ~ spec.name ~ " where false") -%}
        {{ return(["not verifiable: its table cannot be read any more", "-", "-"]) }}
    {%- endif -%}
    {%- set reads = dbt_mview._reads(spec.definition) -%}
    {%- set bound = dbt_mview._bindings(spec.definition, reads, spec.namespace) -%}
    {%- set why = dbt_mview._why_not_comparable(state, reads, bound) -%}
    {%- if why -%} {{ return(["not verifiable: " ~ why, "-", "-"]) }}{%- endif -%}
    {%- set compared = dbt_mview._compared(spec, state, bound.bindings) -%}
    {%- if not dbt_mview._succeeds("versions", dbt_mview._versions_sql(compared)) -%}
        {{ return(["not verifiable: a version that it read cannot be read any more", "-", "-"]) }}
    {%- endif -%}
    {%- set sql = dbt_mview._compare_sql(dbt_mview._verify_sides(compared)) -%}
    {%- if dry_run -%} {%- do print(sql ~ ";") -%} {{ return(["-", "-", "-"]) }} {%- endif -%}
    {%- set row = dbt_mview._read("verify", sql).rows[0] -%}
    {%- set equal = row[0] | int == 0 and row[1] | int == 0 -%}
    {{ return(["equal" if equal else "DIFFERS", row[0] | string, row[1] | string]) }}
{% endmacro %}


{# Args: names (catalog.schema.identifier). Returns: list, those that are gone. #}
{% macro _what_is_gone(names) %}
    {%- set gone = [] -%}
    {%- for name in names -%}
        {%- if dbt_mview._kind_at(name) == "missing" -%}
            {%- do gone.append(name.split(".")[1:] | join(".")) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(gone) }}
{% endmacro %}
