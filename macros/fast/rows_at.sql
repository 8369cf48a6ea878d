{# Counted once for all views of a run. Args: relation (name), version. Returns: int, its rows. #}
{% macro _rows_at(relation, version) %}
    {%- set counts = dbt_mview._memory().counts -%}
    {%- if (relation, version) not in counts -%}
        {%- set table = dbt_mview._quoted_name(relation) ~ " version as of " ~ version -%}
        {%- set found = dbt_mview._read("count", "select count(*) from " ~ table) -%}
        {%- do counts.update({(relation, version): found.rows[0][0] | int}) -%}
    {%- endif -%}
    {{ return(counts[(relation, version)]) }}
{% endmacro %}


{#
How many rows a source has, or has at least: what the view's newest commit says, less the rows that
changed since, where that is enough to see that few of them did. Else they are counted, for which
Delta reads the whole list of the table's files.

Args: job (sources, target), change (see _source_changes), part (int: few are at
    most one in so many). Returns: int. Sets rows of the source, which the view's next commit says.
#}
{% macro _rows_of(job, change, part) %}
    {%- set at_least = dbt_mview._rows_known(job.target.history, change) -%}
    {%- if at_least is none or change.rows * part > at_least -%}
        {%- set at_least = dbt_mview._rows_at(change.relation, change.end) -%}
    {%- endif -%}
    {%- for source in job.sources if source.relation == change.relation -%}
        {%- do source.update({"rows": at_least}) -%}
    {%- endfor -%}
    {{ return(at_least) }}
{% endmacro %}


{#
Args: history (of the view, newest first), change. Returns: int, or none where the newest refresh
    says nothing of the version from which the change leads on.
#}
{% macro _rows_known(history, change) %}
    {%- set ours = history | selectattr("meta") | list -%}
    {%- for source in (ours[0].meta.get("sources") if ours else none) or [] -%}
        {%- set same = source.relation == change.relation and source.version == change.start -%}
        {%- if same and source.get("rows") is not none -%}
            {{ return(source.rows - change.rows) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
