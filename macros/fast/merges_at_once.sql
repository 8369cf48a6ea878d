{#
Whether FAST publishes without a stage: the changes are read in the MERGE itself, which is one
commit, one look and one table less. A stage is looked at for three things, and none of them may be
needed: which groups are in doubt (here the publish fails on one, and the changes are staged after
all; where rows went, extremes are in doubt too often for that), which files of the view can be left
out (a small view has few), and whether a unique_key, a refresh_group or a text that the view is
partitioned by allows it.

Args: spec, job (waits), shape (changes, see _shape). Returns: bool.
#}
{% macro _merges_at_once(spec, job, shape) %}
    {%- set looked_at = spec.unique_key or job.waits or dbt_mview._not_kept(spec, job.columns) -%}
    {%- if looked_at or not dbt_mview._is_added_up(shape) -%} {{ return(false) }}{%- endif -%}
    {%- set size = dbt_mview._bytes_at_most(job.target.history) -%}
    {%- if size is none -%}
        {%- set size = (dbt_mview._delta_detail(spec.name)["sizeInBytes"] or 0) | int -%}
    {%- endif -%}
    {#- One file of the size that OPTIMIZE aims at is read in no time. -#}
    {{ return(size <= 64 * 1024 * 1024) }}
{% endmacro %}
