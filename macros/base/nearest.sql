{# Words that are nearly another one: what a user who mistyped it may have meant. #}
{#
The word that a mistyped one is nearest to: one letter off, or two where it has eight or more.

Args: word (string), known (list of strings). Returns: one of them, or none.
#}
{% macro _nearest(word, known) %}
    {%- set written = word | string | lower -%}
    {%- set best = namespace(name=none, apart=3 if written | length >= 8 else 2) -%}
    {%- for name in known -%}
        {%- set lengths_apart = (name | length - written | length) | abs -%}
        {%- if written | length > 2 and lengths_apart < best.apart -%}
            {%- set apart = dbt_mview._edit_distance(written, name | lower) -%}
            {%- if apart < best.apart -%}
                {%- set best.name = name -%} {%- set best.apart = apart -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(best.name) }}
{% endmacro %}


{#
How many letters have to be added, left out, replaced, or swapped with their neighbour (optimal
string alignment).

Args: left, right (strings). Returns: int.
#}
{% macro _edit_distance(left, right) %}
    {%- set rows = [range(right | length + 1) | list] -%}
    {%- for letter in left -%}
        {%- set i = loop.index0 -%}
        {%- set above = rows[i] -%}
        {%- set row = [i + 1] -%}
        {%- for other in right -%}
            {%- set j = loop.index0 -%}
            {%- set replaced = above[j] + (0 if letter == other else 1) -%}
            {%- set ways = [above[j + 1] + 1, row[j] + 1, replaced] -%}
            {%- if i and j and letter == right[j - 1] and left[i - 1] == other -%}
                {%- do ways.append(rows[i - 1][j - 1] + 1) -%}
            {%- endif -%}
            {%- do row.append(ways | min) -%}
        {%- endfor -%}
        {%- do rows.append(row) -%}
    {%- endfor -%}
    {{ return(rows[-1][-1]) }}
{% endmacro %}


{#
A config that is none, but nearly one of the package's, or what others call it: a default in its
place would go unseen. Users and other packages have keys of their own, in `meta` too; so a key
counts as mistyped only if its first letter is right.

Args: mview_id. Errors: a config, or a key of `meta`, that is meant for the package and is none.
#}
{% macro _check_config_names(mview_id) %}
    {%- set ours = [
        "refresh",
        "unique_key",
        "audit",
        "on_configuration_change",
        "on_schema_change",
        "partition_by",
        "liquid_clustered_by",
        "tblproperties",
        "change_feed",
        "location_root",
        "schedule",
        "target_lag",
        "purge",
        "refresh_group",
        "build",
        "on_lock",
        "lock_wait",
        "read_consistency",
        "file_format",
    ] -%}
    {%- set elsewhere = {
        "cluster_by": "liquid_clustered_by",
        "partition_columns": "partition_by",
        "refresh_method": "refresh",
        "refresh_mode": "refresh",
        "table_properties": "tblproperties",
    } -%}
    {#- Words that are near one of ours, and are somebody's own. -#}
    {%- set other = ["built", "scheduled", "scheduler"] -%}
    {%- set meta = model.config.get("meta") or {} -%}
    {%- for key in (model.config.keys() | list) + (meta.keys() | list) -%}
        {%- if key is string and key not in ours and key not in other -%}
            {%- set near = dbt_mview._nearest(key, ours) -%}
            {%- set meant = near if near and near[0] == key[0] | lower else none -%}
            {%- if meant or key in elsewhere -%}
                {%- do dbt_mview._raise(
                    mview_id,
                    "unknown config " ~ key ~ ";",
                    "did you mean " ~ elsewhere.get(key, meant) ~ "?",
                ) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}
