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
    {%- set lines, wrong, open, found = [], [], [], [] -%}
    {%- for id, state in dbt_mview._read_states(ids).items() -%}
        {%- set one = dbt_mview._verify_view(id, state, dry_run) -%}
        {%- set name = dbt_mview._short_name(id) -%}
        {%- do found.append(one) -%}
        {%- do lines.append([name, one["text"], one.missing, one.surplus]) -%}
        {%- do wrong.extend([name] if one.verdict == "differs" else []) -%}
        {%- do open.extend([name] if one.verdict == "undetermined" else []) -%}
    {%- endfor -%}
    {%- if dry_run -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._print_table(
        ["view", "verdict", "missing rows", "surplus rows"],
        lines,
        "mview_verify: state knows no view" if ids is none else none,
    ) -%}
    {%- for name in open -%}
        {%- do print(
            name
            ~ ": its query leaves open what differs, in parentheses: rows that are equal in what"
            ~ " they are ordered by, or a value of the moment. Order by a unique column too; if"
            ~ " that is so already, report the difference."
        ) -%}
    {%- endfor -%}
    {%- if wrong -%}
        {%- do dbt_mview._raise(
            wrong | join(", "),
            "not equal to its query at the recorded versions.",
            "Refresh it with `dbt run --full-refresh` and report the difference.",
        ) -%}
    {%- elif ids and not found -%}
        {%- do dbt_mview._raise(
            ids[0],
            "state has no row of it, it was never built.",
            "Refresh it, then verify it.",
        ) -%}
    {%- elif ids and found[0].verdict == "unknown" -%}
        {%- set mend = "Refresh it, then verify it." -%}
        {%- set mend = mend if found[0].mends else "It cannot be compared as it is." -%}
        {%- do dbt_mview._raise(ids[0], found[0]["text"] ~ ".", mend) -%}
    {%- endif -%}
{% endmacro %}


{#
Compares one view.

Args: id, state (row), dry_run. Returns: see _verdict; verdict none in a dry run.
#}
{% macro _verify_view(id, state, dry_run) %}
    {%- if state.last_successful_refresh_read_time is none -%}
        {{ return(dbt_mview._verdict("unknown", "never refreshed", mends=true)) }}
    {%- endif -%}
    {%- if not state.definition -%}
        {{ return(dbt_mview._not_verifiable("state has no definition of it")) }}
    {%- elif state.sources | selectattr("version", "none") | list -%}
        {{ return(dbt_mview._not_verifiable("a source has no version")) }}
    {%- endif -%}
    {%- set zones = dbt_mview._zone_change(state) -%}
    {%- if zones -%}
        {{ return(dbt_mview._not_verifiable("time zone " ~ zones, mends=true)) }}
    {%- endif -%}
    {%- set spec = dbt_mview._spec_from_state(dbt_mview._relation_of_state(id, state), state) -%}
    {%- set gone = dbt_mview._what_is_gone(
        [id] + state.sources | map(attribute="relation") | list
    ) -%}
    {%- if gone -%}
        {{ return(dbt_mview._not_verifiable("no table " ~ gone | join(", "))) }}
    {%- endif -%}
    {%- set asked = "select 1 from (\n" ~ spec.definition ~ "\n) where false" -%}
    {%- if not dbt_mview._succeeds("is_there", asked) -%}
        {{ return(dbt_mview._not_verifiable("its query does not run any more")) }}
    {%- endif -%}
    {%- if not dbt_mview._succeeds("is_there", "select 1 from " ~ spec.name ~ " where false") -%}
        {{ return(dbt_mview._not_verifiable("its table cannot be read any more")) }}
    {%- endif -%}
    {%- set reads = dbt_mview._reads(spec.definition) -%}
    {%- set bound = dbt_mview._bindings(spec.definition, reads, spec.namespace) -%}
    {%- set open = dbt_mview._what_is_open(reads, bound) -%}
    {%- set why = dbt_mview._why_not_comparable(state, reads, bound) -%}
    {%- if why and not (open and why.code == "changes_by_itself") -%}
        {%- set mends = why.code == "view_changed" -%}
        {{ return(dbt_mview._not_verifiable(dbt_mview._reason_text(why), mends)) }}
    {%- endif -%}
    {%- set compared = dbt_mview._compared(spec, state, bound.bindings) -%}
    {%- if not dbt_mview._succeeds("versions", dbt_mview._versions_sql(compared)) -%}
        {{ return(dbt_mview._not_verifiable("a version that it read cannot be read any more")) }}
    {%- endif -%}
    {%- set sides = dbt_mview._verify_sides(compared) -%}
    {%- set sql = dbt_mview._compare_sql(sides) -%}
    {%- if dry_run -%}
        {%- do print(sql ~ ";") -%} {{ return(dbt_mview._verdict(none, "-")) }}
    {%- endif -%}
    {%- set tolerance = dbt_mview._float_tolerance() -%}
    {%- set row = dbt_mview._read("verify", sql).rows[0] | map("int") | list -%}
    {%- set told = dbt_mview._verdict("equal", "equal") -%}
    {%- if row != [0, 0] and dbt_mview._has_floats(sides.present, tolerance) -%}
        {%- set sql = dbt_mview._compare_nearly_sql(sides, tolerance) -%}
        {%- set row = dbt_mview._read("verify_nearly", sql).rows[0] | map("int") | list -%}
        {%- set nearly = "equal (floats within " ~ tolerance ~ ")" -%}
        {%- set told = dbt_mview._verdict("equal", nearly) -%}
    {%- endif -%}
    {%- if row != [0, 0] -%}
        {%- set told = dbt_mview._verdict_of_difference(sides, open, tolerance) -%}
    {%- endif -%}
    {{ return(dict(told, missing=row[0] | string, surplus=row[1] | string)) }}
{% endmacro %}


{#
Args: verdict (equal, differs, undetermined; unknown: it could not be compared), text (for people),
    mends (bool: a refresh makes it comparable).
Returns: mapping verdict, text, mends, missing, surplus (rows, as texts).
#}
{% macro _verdict(verdict, text, mends=false) %}
    {%- set rows = {"missing": "-", "surplus": "-"} -%}
    {{ return(dict(rows, verdict=verdict, text=text, mends=mends)) }}
{% endmacro %}


{# Args: why (text), mends. Returns: see _verdict. #}
{% macro _not_verifiable(why, mends=false) %}
    {{ return(dbt_mview._verdict("unknown", "not verifiable: " ~ why, mends)) }}
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

Args: sides (see _verify_sides), open (see _what_is_open), tolerance. Returns: see _verdict.
#}
{% macro _verdict_of_difference(sides, open, tolerance) %}
    {%- set differs = dbt_mview._verdict("differs", "DIFFERS") -%}
    {%- if open is none -%} {{ return(differs) }}{%- endif -%}
    {%- if open.rows -%}
        {{ return(dbt_mview._verdict("undetermined", "undetermined (its rows)")) }}
    {%- endif -%}
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
    {%- set which = "undetermined (" ~ open.columns | join(", ") ~ ")" -%}
    {%- set undetermined = dbt_mview._verdict("undetermined", which) -%}
    {{ return(differs if row != [0, 0] else undetermined) }}
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
