{#
Makes a track point: notes the version of every registered table at one moment, and sees to it that
they stay readable as they were (docs/flashback.md). Nothing is written where nothing changed.

Args: dry_run (bool: print the statements).
Errors: flashback is disabled.
Example: dbt run-operation mview_trackpoint_create
#}
{% macro mview_trackpoint_create(dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- if not dbt_mview._flashback_settings().enable -%}
        {%- do dbt_mview._raise(
            "mview_trackpoint_create",
            "flashback is disabled.",
            "Set the var dbt_mview:flashback_enable to true.",
        ) -%}
    {%- endif -%}
    {%- set at = dbt_mview._trackpoint_time() -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set made = dbt_mview._create_trackpoint(
        at, none, dbt_mview._bare_job(dry_run), acts=true
    ) -%}
    {%- set what = made.why_not or (
        (made.changed ~ " of " ~ made.tables ~ " tables changed")
        ~ (", first of its day" if made.key_frame else "")
    ) -%}
    {%- if not dry_run -%}
        {%- do print(
            "dbt_mview: track point of " ~ dbt_mview._moment_text(made.at) ~ ": " ~ what
        ) -%}
    {%- endif -%}
{% endmacro %}
