{#
Records how the views of a run ended, which the package's own on-run-end does by itself. dbt runs
the hooks of the project before those of its packages, and none after one that fails: a project
whose on-run-end reads state, or may fail, records first.

Args: results (of on-run-end). Returns: nothing to run.
Example: on-run-end: ["{{ dbt_mview.mview_record(results) }}", "{{ my_report() }}"]
#}
{% macro mview_record(results) %} {{ return(dbt_mview._on_run_end(results)) }} {% endmacro %}
