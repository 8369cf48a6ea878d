{#
Deletes track points that are older than the window, then the oldest until history fits the limit,
never what a reader may need; with flashback disabled all of them, and it takes back the properties
that flashback changed.

Args: dry_run (bool: print the statements).
Example: dbt run-operation mview_trackpoint_clean
#}
{% macro mview_trackpoint_clean(dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- set plan = dbt_mview._clean_trackpoints(dbt_mview._bare_job(dry_run)) -%}
    {%- if plan is none -%} {%- do print("dbt_mview: there are no track points") -%}
    {%- elif not dry_run -%}
        {%- do print(
            "dbt_mview: "
            ~ plan.rows
            ~ " rows of track points deleted"
            ~ (
                ", readable from " ~ dbt_mview._moment_text(plan.cutoff)
                if plan.rows
                else ""
            )
        ) -%}
    {%- endif -%}
{% endmacro %}
