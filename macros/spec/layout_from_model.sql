{#
What the model asks of the table: partitions, clustering, location, properties, constraints, and the
columns of a contract.
#}
{# The table's layout as the model wants it. Args: spec. Returns: mapping. #}
{% macro _layout_from_model(spec) %}
    {%- if dbt_mview._config("clustered_by") or dbt_mview._config("buckets") -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "clustered_by/buckets: Delta tables have no buckets.",
            "Use liquid_clustered_by.",
        ) -%}
    {%- endif -%}
    {%- if (dbt_mview._config("file_format") or "delta") != "delta" -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "file_format is '" ~ dbt_mview._config("file_format") ~ "'.",
            "A materialized view is a Delta table; set file_format: delta or leave it out.",
        ) -%}
    {%- endif -%}
    {%- set root = dbt_mview._config("location_root") -%}
    {%- set properties = {} -%}
    {%- for key, value in (dbt_mview._config("tblproperties") or {}).items() -%}
        {%- do properties.update(
            {key: value | string | lower if value is boolean else value | string}
        ) -%}
    {%- endfor -%}
    {%- set layout = {
        "partition_by": dbt_mview._columns_of(dbt_mview._config("partition_by")),
        "liquid_clustered_by": dbt_mview._columns_of(
            dbt_mview._config("liquid_clustered_by")
        ),
        "location": root.rstrip("/") ~ "/" ~ spec.identifier if root else none,
        "tblproperties": properties,
        "change_feed": dbt_mview._change_feed_config(spec, properties),
        "constraints": dbt_mview._constraints(spec),
    } -%}
    {%- if layout.partition_by and layout.liquid_clustered_by -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "partition_by and liquid_clustered_by exclude each other.",
            "Keep one of them.",
        ) -%}
    {%- endif -%}
    {{ return(layout) }}
{% endmacro %}


{#
Whether the view keeps a change data feed, which the views over it follow. The property itself,
given by tblproperties, wins.

Args: spec, properties (the model's tblproperties). Returns: bool, or none: the default, see
    _properties.
Errors: neither true nor false; the two contradict each other; Delta keeps no feed of such a table.
#}
{% macro _change_feed_config(spec, properties) %}
    {%- set given = dbt_mview._config("change_feed") -%}
    {%- if given is none -%} {{ return(none) }}{%- endif -%}
    {%- set word = dbt_mview._one_of(spec, "change_feed", given, ["true", "false"]) -%}
    {%- set own = dbt_mview._feed_property(properties) -%}
    {%- if own not in [none, word] -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "change_feed is "
            ~ word
            ~ " and tblproperties say delta.enableChangeDataFeed: "
            ~ own
            ~ ".",
            "Leave one of the two out.",
        ) -%}
    {%- endif -%}
    {%- if word == "true" and dbt_mview._maps_columns(properties) -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "change_feed is true and tblproperties map columns (delta.columnMapping.mode, or for"
            ~ " Iceberg). Delta builds no table with both.",
            "Leave one of the two out.",
        ) -%}
    {%- endif -%}
    {{ return(word == "true") }}
{% endmacro %}


{#
The constraints of the model that Delta enforces in the publishing commit itself: check and
not_null, both as CHECK, because a replace takes no column list. The others Delta only notes. As
with dbt's tables they are part of the contract, and only an enforced one has any.

Args: spec. Returns: mapping name -> SQL condition; conditions of one name are joined.
#}
{% macro _constraints(spec) %}
    {%- set found = {} -%}
    {%- set contract = config.get("contract") -%}
    {%- if not (contract and contract.enforced) -%} {{ return(found) }}{%- endif -%}
    {%- for constraint, columns in dbt_mview._given_constraints() -%}
        {%- if constraint.type == "not_null" -%}
            {%- for column in columns -%}
                {%- set name = (constraint.name or "not_null_" ~ column) | lower -%}
                {%- set condition = dbt_mview._quote(column) ~ " is not null" -%}
                {%- do found.setdefault(name, []).append(condition) -%}
            {%- endfor -%}
        {%- elif constraint.type == "check" -%}
            {%- set name = constraint.name or "check_" ~ local_md5(constraint.expression)[:8] -%}
            {%- do found.setdefault(name | lower, []).append(constraint.expression) -%}
        {%- elif constraint.warn_unenforced -%}
            {%- do exceptions.warn(
                "dbt_mview: "
                ~ spec.mview_id
                ~ ": Delta does not enforce "
                ~ constraint.type
                ~ " constraints. Use the config unique_key to have a key checked before publishing."
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set joined = {} -%}
    {%- for name, given in found.items() -%}
        {%- set conditions = given | unique(case_sensitive=true) | list -%}
        {%- set all_of_them = "(" ~ conditions | join(") and (") ~ ")" -%}
        {%- do joined.update({name: conditions[0] if conditions | length == 1 else all_of_them}) -%}
    {%- endfor -%}
    {{ return(joined) }}
{% endmacro %}


{# Returns: list of pairs (constraint, its columns), those of the model before its columns'. #}
{% macro _given_constraints() %}
    {%- set given = [] -%}
    {%- for constraint in model.constraints or [] -%}
        {%- do given.append([constraint, constraint.columns or []]) -%}
    {%- endfor -%}
    {%- for column in (model.columns or {}).values() -%}
        {%- for constraint in column.constraints or [] -%}
            {%- do given.append([constraint, [column.name]]) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(given) }}
{% endmacro %}


{#
The columns of the query in the contract's order, after dbt's own comparison of names and types.

Args: spec, columns (of the query). Returns: columns. Errors: dbt's contract message.
#}
{% macro _contract_columns(spec, columns) %}
    {%- do get_assert_columns_equivalent(spec.definition) -%}
    {%- set by_name = {} -%}
    {%- for column in columns -%}
        {%- do by_name.update({column.name | lower: column}) -%}
    {%- endfor -%}
    {%- set ordered = [] -%}
    {%- for column in model.columns.values() -%}
        {%- do ordered.append(by_name[column.name | lower]) -%}
    {%- endfor -%}
    {{ return(ordered) }}
{% endmacro %}
