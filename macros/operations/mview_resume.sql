{#
Ends mview_pause. What came due meanwhile is due now, once.

Args: view (as mview_refresh, or 'all'), log (as mlog_purge, or 'all'), dry_run (bool: print the
    statements).
Prints: each of them, and when it is due next.
Errors: neither is given; no such view or log; a view that was never built.
Example: dbt run-operation mview_resume --args '{view: orders_daily}'
#}
{% macro mview_resume(view=none, log=none, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._hold_plans("resume", view, log, dry_run) -%}
{% endmacro %}
