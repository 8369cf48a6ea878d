{# The keys of the result that every change shows, from the paths of all changed tables. #}
{#
The delta plan of a query some columns of whose result carry affected keys, see _affected_path: the
rows that share a changed row's values in these columns are computed again.

Args: tree (see _parse_plan), columns (of the query), changed (names of tables), unique (list of
    names, see unique_key), nested (see _zero_delta), not_image_equal (see _not_image_equal_ids).
Returns: delta plan, with
    reason   also none if the cause has nothing to do with matches; then there are no keys
    to_matches  source occurrence -> indexes of the operators (see _unmatched) that find the rows
             that match in its delta term
    relaxed  source occurrence -> ordinals of the filters that are relaxed in its delta term
#}
{% macro _affected_keys_plan(tree, columns, changed, unique, nested=true, not_image_equal=[]) %}
    {%- set occurrences = dbt_mview._occurrences(tree) -%}
    {%- set zero_delta = {} -%}
    {%- set to_matches, relaxed = {}, {} -%}
    {%- set paths = [] -%}
    {%- for index, occurrence in occurrences.items() if occurrence.relation in changed -%}
        {%- set path = dbt_mview._affected_path(tree, index, not_image_equal) -%}
        {%- if path.reason -%}
            {{ return(dbt_mview._no_delta_plan(path.reason if path.matched else none)) }}
        {%- endif -%}
        {%- set others = dbt_mview._zero_delta(tree, path, nested, affected_keys=true) -%}
        {%- if others is mapping -%} {{ return(dbt_mview._no_delta_plan(others)) }}{%- endif -%}
        {%- do paths.append(path) -%}
        {%- do to_matches.update({occurrence.name: path.to_matches}) -%}
        {%- do relaxed.update({occurrence.name: path.relaxed}) -%}
        {%- do zero_delta.update({occurrence.name: []}) -%}
        {%- for other in others -%}
            {%- do zero_delta[occurrence.name].append(occurrences[other].name) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set keys = dbt_mview._key_columns(tree, columns, paths) -%}
    {%- if not keys -%}
        {%- set full = paths | map(attribute="either") | sum(start=[]) -%}
        {%- if full -%}
            {%- set compared = dbt_mview._printed_names(tree, full[0]).values() | join(", ") -%}
            {%- set lacks = dbt_mview._lacks("coalesce(" ~ compared ~ ") of the full join") -%}
        {%- else -%}
            {%- set names = dbt_mview._key_column_names(tree, paths) -%}
            {%- set which = ": one of " ~ names | join(", ") if names else "" -%}
            {%- set lacks = dbt_mview._lacks("a column of the preserved side" ~ which) -%}
        {%- endif -%}
        {%- set matched = paths | selectattr("matched") | list -%}
        {{ return(dbt_mview._no_delta_plan(lacks if matched else none)) }}
    {%- endif -%}
    {%- set one_row = dbt_mview._is_one_row(tree, columns, paths, keys) -%}
    {%- set names = unique | map("lower") | list -%}
    {%- set shared = [] -%}
    {%- for key in keys if key | lower in names -%} {%- do shared.append(key) -%} {%- endfor -%}
    {%- set whole = not unique or (one_row and shared == keys) -%}
    {%- if not (whole or shared) -%}
        {{ return(dbt_mview._no_delta_plan(dbt_mview._unique_key_over_all_rows(unique, keys))) }}
    {%- endif -%}
    {{
        return(
            dbt_mview._delta_plan_record(
                {
                    "strategy": "affected keys",
                    "keys": keys if whole else shared,
                    "one_row": one_row and whole,
                    "zero_delta": zero_delta,
                    "to_matches": to_matches,
                    "relaxed": relaxed,
                }
            )
        )
    }}
{% endmacro %}


{#
The columns of the result that carry the affected keys of every change. Those that cannot be
compared are no keys.

Args: tree, columns, paths (see _affected_path). Returns: list of names; empty as well if the plan's
columns are not those of the query.
#}
{% macro _key_columns(tree, columns, paths) %}
    {%- set items = {} -%}
    {%- for column in tree[0].columns -%}
        {%- do items.update({column.name | lower: column.id}) -%}
    {%- endfor -%}
    {%- set keys = [] -%}
    {%- for column in columns if tree[0].truncated or items | length == columns | length -%}
        {%- set at = namespace(key_ids=column.name | lower in items) -%}
        {%- for path in paths if at.key_ids and path.key_ids is not none -%}
            {%- set at.key_ids = items[column.name | lower] in path.key_ids -%}
        {%- endfor -%}
        {%- if at.key_ids and not modules.re.search(dbt_mview._not_image_equal(), column.type) -%}
            {%- do keys.append(column.name) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(keys) }}
{% endmacro %}


{#
What the query could select so that its rows can be found again. Args: tree, paths (see
_affected_path). Returns: list of at most five names of columns that carry the affected keys of all
changes.
#}
{% macro _key_column_names(tree, paths) %}
    {%- set known = paths | map(attribute="key_ids") | reject("none") -%}
    {%- set ids = known | sum(start=[]) | unique | list -%}
    {%- set named = dbt_mview._printed_names(tree, ids) -%}
    {%- set names = [] -%}
    {%- for id in ids if id in named -%}
        {%- set missing = [] -%}
        {%- for path in paths if path.key_ids is not none and id not in path.key_ids -%}
            {%- do missing.append(path) -%}
        {%- endfor -%}
        {%- if not missing -%} {%- do names.append(named[id]) -%} {%- endif -%}
    {%- endfor -%}
    {{ return((names | unique | list)[:5]) }}
{% endmacro %}


{# Whether the result has one row for these keys: they are all that the top groups by. #}
{% macro _is_one_row(tree, columns, paths, keys) %}
    {%- set boundaries = paths | map(attribute="boundary") | unique | list -%}
    {%- if boundaries | length != 1 or boundaries[0] is none -%} {{ return(false) }}{%- endif -%}
    {%- set groups = dbt_mview._aggregate_delta_plan(tree, boundaries[0], columns) -%}
    {{ return(groups.reason is none and not groups["keys"] | reject("in", keys) | list) }}
{% endmacro %}
