{#
For every reason a remedy: what would make the refresh FAST. A new code needs a line here, unless
the default sentence says enough (the next refresh may be FAST), as it does for TARGET_CHANGED,
DEFINITION_CHANGED, SOURCE_REPLACED and SCHEMA_CHANGED.
#}
{# Args: job. Returns: string, what would make the refresh FAST. #}
{% macro _remedy(job) %}
    {%- if job.spec.refresh == "complete" -%} {{ return("Set refresh to auto.") }}{%- endif -%}
    {{ return(dbt_mview._way_out([job.reason, job.not_fast])) }}
{% endmacro %}


{# Args: reasons (list, see _reason; none among them are left out). Returns: string. #}
{% macro _way_out(reasons) %}
    {%- set change = dbt_mview._what_to_change(reasons) -%}
    {%- if change -%} {{ return(change) }}{%- endif -%}
    {%- set by_itself = {
        "FAST_FAILED": "FAST is tried again after the next refresh.",
        "FAST_IS_SLOWER": "FAST is tried again after a while.",
        "DATE_CHANGED": "within the day it is FAST, and on the next where nothing but a WHERE over "
        ~ "rows asks for it. Leave refresh at auto: fast fails in the first run of a day.",
        "ROWS_BEYOND_LIMIT": "rows that were not among the first ones took the place of others, "
        ~ "which only the whole query tells. Leave refresh at auto.",
        "SMALL_SOURCE": "so little is read that COMPLETE takes less time than FAST does at least. "
        ~ "refresh: fast insists; dbt_mview:small_source_bytes says what is little.",
    } -%}
    {%- set codes = reasons | reject("none") | map(attribute="code") | list -%}
    {%- for code, why in by_itself.items() if code in codes -%}
        {{ return("Nothing to do: " ~ why) }}
    {%- endfor -%}
    {{ return("The next refresh with changes of the sources alone may be.") }}
{% endmacro %}


{#
The way out of the error of `refresh: fast`. A COMPLETE refresh ends what is wrong with the table or
with one change; a query, a config or a source that stays as it is would fail in the next run again.

Args: reason (see _reason). Returns: string.
#}
{% macro _way_out_of_fast(reason) %}
    {%- set stays = [
        "AGGREGATE_NOT_TOP_NODE",
        "AUDIT_OVER_ALL_ROWS",
        "CONSTRAINTS_OF_A_GROUP",
        "EXPRESSION_NOT_DETERMINISTIC",
        "INPUT_NOT_IN_DELTA",
        "OPERATOR_NOT_INCREMENTAL",
        "PARTITION_VALUE_NOT_KEPT",
        "SOURCE_AT_TWO_TIMES",
        "SOURCE_NOT_BOUND",
        "SUBQUERY_NOT_INCREMENTAL",
        "UDF_NOT_DETERMINISTIC",
        "UNIQUE_KEY_OVER_ALL_ROWS",
        "WINDOWS_WITHOUT_COMMON_PARTITION_BY",
        "WINDOW_WITHOUT_PARTITION_BY",
    ] -%}
    {%- set first = ["feed_is_off", "log_leaves_out", "log_was_changed"] -%}
    {%- set change = dbt_mview._what_to_change([reason]) -%}
    {%- if reason.code == "DATE_CHANGED" -%}
        {{ return("Set refresh to 'auto': it fails again at each other day or moment.") }}
    {%- elif reason.code in stays and "value_changed" not in reason.also -%}
        {{ return("Set refresh to 'auto'. To keep 'fast': " ~ change) }}
    {%- endif -%}
    {%- set once = "Set refresh to 'auto', or run once with --full-refresh" -%}
    {%- if reason.also | select("in", first) | list -%}
        {{ return(once ~ " after this: " ~ change) }}
    {%- endif -%}
    {{ return(once ~ "." ~ (" " ~ change if reason.code == "INVARIANT_BROKEN" else "")) }}
{% endmacro %}


{# What people can change. Args: reasons (as _way_out). Returns: string, or none: nothing. #}
{% macro _what_to_change(reasons) %}
    {%- set ways = {
        "feed_is_off": "Switch the source's change data feed on, as the reason says: the next "
        ~ "refresh is COMPLETE, those after it follow.",
        "log_was_changed": "Begin the log anew: dbt run --full-refresh --select its model.",
        "log_leaves_out": "Let the log's model select that column, and run it.",
        "CHANGE_DATA_UNAVAILABLE": "Refresh before VACUUM and retention take what it needs, or "
        ~ "keep a materialized view log of the source.",
        "TOO_MANY_CHANGES": "Refresh more often, or insist with refresh: fast.",
        "DELETION_VECTORS_TOO_LARGE": "Delete less at once, or set the source's "
        ~ "delta.enableDeletionVectors to false.",
        "value_changed": "Leave it: where the value of the subquery stays, it is FAST.",
        "joined_by_where": "Join the tables by JOIN ... ON.",
        "derived_may_differ": "Let ORDER BY decide between all rows, and cast floats to decimals "
        ~ "before they are added up; or put the subquery into a view of its own.",
        "AGGREGATE_NOT_TOP_NODE": "Put what stands over the aggregate into a view of its own.",
        "plan_is_truncated": dbt_mview._print_more_columns(),
        "name_reads_like_plan": "Give it a name of letters, digits and underscores in a view "
        ~ "below this one, and read that.",
        "key_not_in_result": "Let the view select that column: its rows are found again by it.",
        "null_in_list": "Write NOT EXISTS, or let both sides of NOT IN have `is not null` in their "
        ~ "WHERE.",
        "cte_is_kept": "Put the CTE into a view of its own, or write its query where it is read.",
        "limit_is_open": "End the query by ORDER BY ... LIMIT, and let its ORDER BY end in the "
        ~ "columns of unique_key, or of the GROUP BY, which the result shows.",
        "OPERATOR_NOT_INCREMENTAL": "Keep the operator out of the view, or in a view over it.",
        "SUBQUERY_NOT_INCREMENTAL": "Write the subquery as a join, or as EXISTS or IN that "
        ~ "AND joins with other conditions.",
        "WINDOWS_WITHOUT_COMMON_PARTITION_BY": "Give all windows one PARTITION BY column in "
        ~ "common, or put windows by other columns into a view of their own.",
        "WINDOW_WITHOUT_PARTITION_BY": "Give the window a PARTITION BY that the result shows.",
        "EXPRESSION_NOT_DETERMINISTIC": "Leave the function out; it gives other results each time.",
        "UDF_NOT_DETERMINISTIC": "Use Spark's own functions.",
        "INPUT_NOT_IN_DELTA": "Make the source a Delta table; of a seed: file_format: delta.",
        "view_made_elsewhere": "Create the view again where this one is refreshed: dbt run does.",
        "SOURCE_NOT_BOUND": "Make the source a Delta table, or write the query more plainly.",
        "SOURCE_AT_TWO_TIMES": "Read the earlier time into a view of its own, and that one here.",
        "TIME_ZONE_CHANGED": "Give all sessions one spark.sql.session.timeZone.",
        "AUDIT_OVER_ALL_ROWS": "Let audits be conditions on single rows, without aggregates, "
        ~ "subqueries and what depends on the moment; test the rest with dbt test.",
        "CONSTRAINTS_OF_A_GROUP": "Leave the constraints or the refresh_group out: the constraints "
        ~ "of a group are checked on whole results, before any of them is published.",
        "PARTITION_VALUE_NOT_KEPT": "Use liquid_clustered_by, or partition by the date of a "
        ~ "timestamp, and give '' and NULL a name of their own: Delta keeps both as NULL where it "
        ~ "partitions.",
        "INVARIANT_BROKEN": "If the view has row_number() or lag() over ties, let their ORDER BY "
        ~ "decide; otherwise report it, with the query and this line: it is a fault of dbt_mview.",
        "column_kept": "Run it once with --full-refresh: it gets the query's columns.",
        "UNIQUE_KEY_OVER_ALL_ROWS": "Let unique_key hold the keys that the rows are grouped by.",
    } -%}
    {%- set codes = [] -%}
    {%- for reason in reasons if reason -%}
        {%- do codes.extend([reason.code] + reason.also) -%}
    {%- endfor -%}
    {%- for code, way in ways.items() if code in codes -%} {{ return(way) }}{%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Returns: string, how plans of wide queries are had whole. #}
{% macro _print_more_columns() %}
    {{
        return(
            "Give spark.sql.debug.maxToStringFields the value 1000, in the profile's "
            ~ "server_side_parameters or where Spark starts."
        )
    }}
{% endmacro %}
