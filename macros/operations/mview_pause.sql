{#
Takes views, and the purges of logs, out of what is due until mview_resume: for whoever asks, on
every machine. A dbt run that names them refreshes them all the same.

Args: view (as mview_refresh, or 'all'), log (as mlog_purge, or 'all'), dry_run (bool: print the
    statements).
Prints: each of them, and when it is due next.
Errors: neither is given; no such view or log; a view that was never built.
Example: dbt run-operation mview_pause --args '{view: orders_daily}'
#}
{% macro mview_pause(view=none, log=none, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._hold_plans("pause", view, log, dry_run) -%}
{% endmacro %}
