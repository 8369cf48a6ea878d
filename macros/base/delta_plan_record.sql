{# The record of how a query follows changes: the delta plan, which classification fills in. #}
{#
How a query follows changes of some of its tables, or why it cannot.

    found by _classify, or by _affected_keys where the query is not linear
      reason      why there is no exact way but COMPLETE, or none; others may find one later
      strategy    row delta: the changed rows themselves; aggregate delta: signed changes of sums
                  and counts; affected keys: the groups or partitions that are touched are computed
                  again; nothing: no row came or went, see _empty_delta_plan; none: none is found
      keys        columns that say which rows of the result belong together
      values      column -> sum, overflowable_sum (decimals of 38 digits), count, count_all,
                  average, min, max or holistic: of groups that are added up, or computed again as
                  one is holistic; else empty
      one_row     whether there is one row for each key
      averages    column -> what the average follows, see _averages (of such groups)
      wanted      column -> what would have it added up, see _sums_wanted (of such groups)
      zero_delta     source occurrence -> occurrences that are bound to no rows (zero delta) in its
                  terms
    found by _affected_keys alone
      to_matches  source occurrence -> operators that keep rows without a match (outer, full and
                  anti joins, EXCEPT, NOT EXISTS, NOT IN) and find those with one in its delta
                  terms, see _to_matches
      relaxed     source occurrence -> filters of the text that are relaxed in its delta terms
      lacks       what else the result would show if its groups were added up, or none
    found by _affected_keys, _judge or _dated_plan
      text        the query with the texts of views, whose filters are relaxed or dated, and without
                  its CTEs if these are inlined; none if it is the query as it is written
    found by _affected_keys alone
      crossed     whether the relaxed filters join tables, so the terms pair all rows of them
    added by _judge
      derived     derived tables, see _derived_query
      first_rows  where the query ends in a LIMIT, see _judge_limited; or none
    added by _delta_plan
      changes     see _source_changes
      dated       filters that ask for the day, which is another one, see _dated_filters
      terms       see _delta_terms; empty where only the query is classified
    set by _judge_limited, and by _publish_difference, which makes one of its own
      as_text     columns that are compared as texts

The decision of a refresh group keeps it in state, see _redo: in this order.

Args: values (mapping, some of these). Returns: mapping with all of them.
Errors: a key that is none of them.
#}
{% macro _delta_plan_record(values) %}
    {%- set defaults = {
        "reason": none,
        "strategy": none,
        "keys": [],
        "values": {},
        "one_row": false,
        "averages": {},
        "wanted": {},
        "zero_delta": {},
        "to_matches": {},
        "relaxed": {},
        "lacks": none,
        "text": none,
        "crossed": false,
        "derived": [],
        "first_rows": none,
        "changes": [],
        "dated": [],
        "terms": [],
        "as_text": [],
    } -%}
    {{ return(dbt_mview._new_record("delta plan", defaults, values)) }}
{% endmacro %}


{# Args: reason (why nothing can be followed). Returns: a delta plan with nothing else. #}
{% macro _no_delta_plan(reason) %}
    {{ return(dbt_mview._delta_plan_record({"reason": reason})) }}
{% endmacro %}
