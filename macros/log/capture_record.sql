{#
One capture of one log.

    begun by _log_job
      id, dry_run, unique_id, run_text  see _bare_job
    found by _inspect_base
      base                     quoted name of the table that is logged
      now                      its newest version, see _pin_table
      columns                  of the base that are logged
      feed_is_on               whether its change data feed is on
    found by _inspect_log
      gap                      why the log begins anew, or none; _capture: its feed is gone
      coverage                 what the log holds, see _coverage; none: there is no log yet
      comment                  of the log's table; none: not looked at
      change                   of the base since the last capture, see _feed_change
      added                    columns that are new in the base
    noted by _capture
      was                      up to where the log went before
      rows                     how many changes were captured
      empty                    --empty or --sample, which captures nothing; or none

Args: values (mapping, some of these). Returns: mapping with all of them.
Errors: a key that is none of them.
#}
{% macro _capture_record(values) %}
    {%- set own = {
        "base": none,
        "now": none,
        "columns": [],
        "feed_is_on": false,
        "gap": none,
        "coverage": none,
        "comment": none,
        "change": none,
        "added": [],
        "was": none,
        "rows": 0,
        "empty": none,
    } -%}
    {{ return(dbt_mview._new_record("capture", dict(dbt_mview._bare_job(), **own), values)) }}
{% endmacro %}
