{# The version of a table at a time, from track points. #}
{#
What track points say: a row is the last commit at or before its own time, so its version was there
from that commit on. Between two rows whose versions follow one another nothing else was. All this
is of the table that the rows were made of: whether it is still there, the caller sees.

Args: relation (catalog.schema.identifier), at (microseconds).
Returns: mapping version, commit_time of the last commit at or before that time; none where they do
    not say.
#}
{% macro _stored_version(relation, at) %}
    {%- if not dbt_mview._has_flashback_state() -%} {{ return(none) }}{%- endif -%}
    {%- set found = dbt_mview._trackpoints_around(relation, at) -%}
    {%- set before, after = found.before, found.after -%}
    {%- if after is none or after.table_id != found.last.table_id -%}
        {{ return(none) }}
    {%- endif -%}
    {#- Delta may show a commit some milliseconds later or earlier: history knows better there. -#}
    {%- set near = dbt_mview._commit_time_tolerance() -%}
    {%- if after.commit_time <= at - near -%}
        {{ return({"version": after.version, "commit_time": after.commit_time}) }}
    {%- elif before is none or before.table_id != after.table_id -%} {{ return(none) }}
    {%- elif before.version == after.version - 1 and after.commit_time > at + near -%}
        {{ return({"version": before.version, "commit_time": before.commit_time}) }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
