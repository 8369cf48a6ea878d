{#
Pauses views, and the purges of logs, until mview_resume: they are not due, for any scheduler on any
machine. A dbt run that names them still refreshes them.

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
