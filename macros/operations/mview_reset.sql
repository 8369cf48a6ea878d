{#
Clears the failures of views and of the purges of logs: what is BROKEN (see the var
dbt_mview:broken_after) is due again by its schedule. A refresh that succeeds does the same.

Args: view (as mview_refresh, or 'all'), log (as mlog_purge, or 'all'), dry_run (bool: print the
    statements).
Prints: each of them, and when it is due next.
Errors: neither is given; no such view or log; a view that was never built.
Example: dbt run-operation mview_reset --args '{view: orders_daily}'
#}
{% macro mview_reset(view=none, log=none, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._hold_plans("reset", view, log, dry_run) -%}
{% endmacro %}
