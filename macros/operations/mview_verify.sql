{#
Compares views with their queries at the versions that they recorded: as multisets, in both
directions, on the engine.

Args: view (as mview_refresh, or 'all'), dry_run (bool: print the queries).
Prints: view, verdict (equal, equal (floats within ...), undetermined (columns): it differs in what
    the query leaves open alone, DIFFERS, never refreshed, not verifiable: why), missing rows,
    surplus rows.
Errors: a view that differs; one view that was asked for and cannot be compared (for all, only the
    verdict says so).
Example: dbt run-operation mview_verify --args '{view: orders_daily}'
#}
{% macro mview_verify(view="all", dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set ids = none if view == "all" else [dbt_mview._mview_id(dbt_mview._resolve(view))] -%}
    {%- set lines = [] -%}
    {%- for id, state in dbt_mview._read_states(ids).items() -%}
        {%- set found = dbt_mview._verify_view(id, state, dry_run) -%}
        {%- do lines.append([dbt_mview._short_name(id)] + found) -%}
    {%- endfor -%}
    {%- if dry_run -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._print_table(
        ["view", "verdict", "missing rows", "surplus rows"],
        lines,
        "mview_verify: state knows no view" if ids is none else none,
    ) -%}
    {%- for line in lines if line[1].startswith("undetermined") -%}
        {%- do print(
            line[0]
            ~ ": its query leaves open what differs, in parentheses: rows that are equal in what"
            ~ " they are ordered by, or a value of the moment. Order by a unique column too; if"
            ~ " that is so already, report the difference."
        ) -%}
    {%- endfor -%}
    {%- set wrong = lines | selectattr("1", "equalto", "DIFFERS") | map("first") | list -%}
    {%- if wrong -%}
        {%- do dbt_mview._raise(
            wrong | join(", "),
            "not equal to its query at the recorded versions.",
            "Refresh it with `dbt run --full-refresh` and report the difference.",
        ) -%}
    {%- elif ids and not (lines and lines[0][1].startswith(("equal", "undetermined"))) -%}
        {%- set told = lines[0][1] if lines else "state has no row of it, it was never built" -%}
        {%- set helps = modules.re.search("never|time zone|state has no|changed since", told) -%}
        {%- do dbt_mview._raise(
            ids[0],
            told ~ ".",
            (
                "Refresh it, then verify it."
                if helps
                else "It cannot be compared as it is."
            ),
        ) -%}
    {%- endif -%}
{% endmacro %}


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
    {%- set open = dbt_mview._what_is_open(reads, bound) -%}
    {%- set why = dbt_mview._why_not_comparable(state, reads, bound) -%}
    {%- if why and not (open and why.code == "changes_by_itself") -%}
        {{ return(["not verifiable: " ~ dbt_mview._reason_text(why), "-", "-"]) }}
    {%- endif -%}
    {%- set compared = dbt_mview._compared(spec, state, bound.bindings) -%}
    {%- if not dbt_mview._succeeds("versions", dbt_mview._versions_sql(compared)) -%}
        {{ return(["not verifiable: a version that it read cannot be read any more", "-", "-"]) }}
    {%- endif -%}
    {%- set sides = dbt_mview._verify_sides(compared) -%}
    {%- set sql = dbt_mview._compare_sql(sides) -%}
    {%- if dry_run -%} {%- do print(sql ~ ";") -%} {{ return(["-", "-", "-"]) }} {%- endif -%}
    {%- set tolerance = dbt_mview._float_tolerance() -%}
    {%- set row = dbt_mview._read("verify", sql).rows[0] | map("int") | list -%}
    {%- set equal = "equal" -%}
    {%- if row != [0, 0] and dbt_mview._has_floats(sides.present, tolerance) -%}
        {%- set sql = dbt_mview._compare_nearly_sql(sides, tolerance) -%}
        {%- set row = dbt_mview._read("verify_nearly", sql).rows[0] | map("int") | list -%}
        {%- set equal = "equal (floats within " ~ tolerance ~ ")" -%}
    {%- endif -%}
    {%- if row != [0, 0] -%}
        {%- set equal = dbt_mview._verdict_of_difference(sides, open, tolerance) -%}
    {%- endif -%}
    {{ return([equal, row[0] | string, row[1] | string]) }}
{% endmacro %}


{#
What the query leaves open, where that is all that can make it differ by itself.

Args: reads (see _reads), bound (see _bindings). Returns: see _open_columns, or none.
#}
{% macro _what_is_open(reads, bound) %}
    {%- set open = dbt_mview._open_columns(reads) -%}
    {%- if not open or not (open.columns or open.rows) -%} {{ return(none) }}{%- endif -%}
    {%- set calls = dbt_mview._nondeterministic(reads, bound) -%}
    {%- if open.rows and calls -%} {{ return(none) }}{%- endif -%}
    {{ return(none if calls | reject("in", open.by_itself) | list else open) }}
{% endmacro %}


{#
The verdict of a view that differs. What is determined is compared alone: where that is equal, the
query itself does not say which of both is right. Without any determined column, the rows are
counted.

Args: sides (see _verify_sides), open (see _what_is_open), tolerance. Returns: string.
#}
{% macro _verdict_of_difference(sides, open, tolerance) %}
    {%- if open is none -%} {{ return("DIFFERS") }}{%- endif -%}
    {%- if open.rows -%} {{ return("undetermined (its rows)") }}{%- endif -%}
    {%- set names = open.columns | map("lower") | list -%}
    {%- set left = dict(sides) -%}
    {%- for side in ["wanted", "present"] -%}
        {%- set columns = [] -%}
        {%- for column in sides[side] if column.name | lower not in names -%}
            {%- do columns.append(column) -%}
        {%- endfor -%}
        {%- set rows = {"name": "_mview_rows", "type": "int", "expression": "1"} -%}
        {%- do left.update({side: columns or [rows]}) -%}
    {%- endfor -%}
    {%- set sql = dbt_mview._compare_sql(left) -%}
    {%- if dbt_mview._has_floats(left.present, tolerance) -%}
        {%- set sql = dbt_mview._compare_nearly_sql(left, tolerance) -%}
    {%- endif -%}
    {%- set row = dbt_mview._read("verify_determined", sql).rows[0] | map("int") | list -%}
    {{
        return(
            "DIFFERS" if row != [0, 0] else "undetermined (" ~ open.columns | join(", ") ~ ")"
        )
    }}
{% endmacro %}


{# Args: names (catalog.schema.identifier). Returns: list, those that are gone. #}
{% macro _what_is_gone(names) %}
    {%- set gone = [] -%}
    {%- for name in names -%}
        {%- if dbt_mview._kind_at(name) == "missing" -%}
            {%- do gone.append(dbt_mview._short_name(name)) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(gone) }}
{% endmacro %}
