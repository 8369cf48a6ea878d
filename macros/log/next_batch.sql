{#
What the next batch deletes. A log that has fewer files than a batch may remove goes in one, and
nobody counts its rows; a dry run does, to tell them.

Args: log_, job. Returns: mapping upto (version), files (at most so many), rows (none: not counted).
#}
{% macro _next_batch(log_, job) %}
    {#- No change has version 0, which a view that was never built has read. -#}
    {%- if job.batches == 0 and not job.dry_run -%}
        {%- set all = 0 -%}
        {%- if job.safe.version > 0 -%}
            {%- set all = dbt_mview._delta_detail(log_.name)["numFiles"] | int -%}
        {%- endif -%}
        {%- if all < job.batch_size -%}
            {{ return({"upto": job.safe.version, "files": all, "rows": none}) }}
        {%- endif -%}
    {%- endif -%}
    {%- set row = dbt_mview._read("next_batch", dbt_mview._next_batch_sql(log_, job)).rows[0] -%}
    {{
        return(
            {
                "upto": none if row[0] is none else row[0] | int,
                "files": (row[1] or 0) | int,
                "rows": (row[2] or 0) | int,
            }
        )
    }}
{% endmacro %}
