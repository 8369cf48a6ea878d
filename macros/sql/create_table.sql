{#
Builds the view's table: for a first build, a new layout, new columns, or aside for a swap.
Properties and constraints are part of the statement, because a replace drops those that it
does not state; CHECK constraints given as properties hold for this very commit.
CREATE OR REPLACE also where there is no table yet: Delta ignores userMetadata on a plain CREATE.

Args: spec, job. Returns: SQL text.
#}
{% macro _create_table_sql(spec, job) %}
    {%- set layout = spec.layout -%}
    {%- set name = spec.name -%}
    {%- if job.publish == "swap" -%}
        {%- set name = dbt_mview._sibling_name(spec, dbt_mview._intent(spec, job).swap.new) -%}
    {%- endif -%}
create or replace table {{ name }}
using delta
{%- if layout.partition_by %}
partitioned by ({{ dbt_mview._quote_all(layout.partition_by) }})
{%- endif %}
{%- if layout.liquid_clustered_by %}
cluster by ({{ dbt_mview._quote_all(layout.liquid_clustered_by) }})
{%- endif %}
{%- if layout.location %}
location {{ dbt_mview._literal(layout.location) }}
{%- endif %}
{%- if spec.description %}
comment {{ dbt_mview._literal(spec.description) }}
{%- endif %}
{%- set properties = dbt_mview._properties(layout) %}
{%- if properties %}
tblproperties ({{ dbt_mview._properties_sql(properties) }})
{%- endif %}
options ('userMetadata' = {{ dbt_mview._json_literal(dbt_mview._publish_meta(spec, job)) }})
as
{{ dbt_mview._guarded_result_sql(spec, job) }}
{%- endmacro %}


{# Args: layout (mapping). Returns: mapping of table properties, constraints among them. #}
{% macro _properties(layout) %}
    {%- set properties = dict(layout.tblproperties) -%}
    {%- for name, expression in layout.constraints.items() -%}
        {%- do properties.update({"delta.constraints." ~ name: expression}) -%}
    {%- endfor -%}
    {{ return(properties) }}
{% endmacro %}


{# Args: properties (mapping). Returns: SQL text. #}
{% macro _properties_sql(properties) %}
    {%- set items = [] -%}
    {%- for key, value in properties.items() -%}
        {%- do items.append(dbt_mview._literal(key) ~ " = " ~ dbt_mview._literal(value)) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}


{#
A table beside the view; without the catalog where dbt names none, as Spark renames no view by a
name of three parts.

Args: spec, identifier (string). Returns: quoted SQL name.
#}
{% macro _sibling_name(spec, identifier) %}
    {%- set schema = dbt_mview._quote(spec.schema) ~ "." ~ dbt_mview._quote(identifier) -%}
    {{ return(dbt_mview._quote(spec.database) ~ "." ~ schema if spec.database else schema) }}
{% endmacro %}
