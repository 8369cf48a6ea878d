"""Changes of the macros, as somebody could make them by mistake, and the views that show them."""

from __future__ import annotations

from dataclasses import dataclass

from tests.support.macros import Change

F, D = "{{ target.schema }}.facts", "{{ target.schema }}.dims"
G, A = "{{ target.schema }}.grades", "{{ target.schema }}.added"
# Of each row of facts: from 2024-02-18 on, thirty days that come again.
DAY = "date_add(date'2024-02-18', cast(id % 30 as int))"
VIEWS = {
    "counted": f"select k, count(*) as n from {F} group by k",
    "summed": f"select k, count(*) as n, sum(amt) as total from {F} group by k",
    "lowest": f"select k, min(amt) as lo from {F} group by k",
    "lowest_joined": f"select f.k, min(amt) as lo from {F} f join {D} d on f.k = d.k group by f.k",
    "means": f"select k, count(*) as n, sum(amt) as total, avg(amt) as mean from {F} group by k",
    "names": f"select k, count(distinct s) as names from {F} group by k",
    "pairs": f"select a.k, count(*) as n from {F} a join {F} b on a.k = b.k group by a.k",
    "rows": f"select id, amt from {F} where id >= 0",
    "bag": f"select k, s from {F}",
    "joined": f"select f.id, d.name from {F} f join {D} d on f.k = d.k",
    "opened": (
        "select id, short from (select id, split_part(s, '(', 1) as short, upper(s) as other"
        f" from {F})"
    ),
    "unioned": (
        f"select k, s from {F} union all select k, name from {D} union all select k, name from {A}"
    ),
    "having": f"select k, count(*) as n from {F} group by k having count(*) > 3",
    "alone": f"select d.k, d.name from {D} d left join {F} f on f.k = d.k where f.id is null",
    "shadowed": (
        f"with a as (select * from {F}), b as (with a as (select * from a where id > 4) select k,"
        " count(*) as n from a group by k) select b.k, b.n, t.total, u.lo from b"
        " join (select k, sum(amt) as total from a group by k) t on t.k = b.k"
        " join (select k, min(amt) as lo from a group by k) u on u.k = b.k"
    ),
    # What has all that is asked of it: one that gains its last keeps the matches it had.
    "divided": (
        f"select k, name from {D} d where not exists (select 1 from (values (2, 1), (2, 2), (3, 1),"
        f" (8, 2), (8, 3)) as asked (k, a) where asked.k = d.k and not exists (select 1 from {A} a"
        " where a.k = asked.a))"
    ),
    "full_joined": (
        f"select coalesce(d.k, f.k) as k, name, id from {D} d full join {F} f on f.k = d.k"
    ),
    "newest": (
        f"select a.k, a.id from {F} a where not exists (select 1 from {F} b where b.k = a.k and"
        " b.id > a.id)"
    ),
    "rolled_up": (
        f"select nullif(s, 'new') as s, count(*) as n from {F} group by rollup (nullif(s, 'new'))"
    ),
    "graded": f"select k, s, count(*) as n from {G} group by k, s",
    "differing": f"select k, s from {G}",
    # The rows of a day are every thirtieth; two of the rows that come are of the days that begin.
    "recent": f"select id, k from {F} where {DAY} between current_date() - 9 and current_date()",
    "recent_twice": (
        f"select k, count(*) as n from (select k, {DAY} as day from {F} where {DAY} <="
        " current_date()) where day < current_date() group by k"
    ),
    "nested": f"select n, count(*) as ks from (select k, count(*) as n from {F} group by k)"
    " group by n",
}
# Views that insist on another method than FAST, and that a view over them follows.
REFRESH = {"differing": "complete"}
# Views that are followed by mistake only; test_fast.py has their reasons.
REFUSED = {
    "not_in": f"select k, name from {D} where k not in (select k from {F} where id >= 100)",
    "groups_excepted": f"select k, count(*) as n from {F} group by k except select k, 1L from {D}",
    # Of the first six, one goes, and what comes of the same amount has a later number.
    "first": f"select id, amt from {F} order by amt desc nulls last, id limit 6",
    "right_side": f"select d.name, f.id from {D} d left join {F} f on f.k = d.k",
    "second": (
        "select k, id from (select *, row_number() over (partition by k order by id) as rn"
        f" from {F}) where rn = 2"
    ),
    "share": (
        "select p, t, s from (select * from (select p, t,"
        " cast(p as decimal(15,4)) / cast(t as decimal(15,4)) * 100"
        f" from (select sum(amt) p from {F} where s = 's1') p, (select sum(amt) t from {F}) t))"
        " as q (p, t, s)"
    ),
}
CHANGES = [
    "insert into @.facts values (100, 1, -5, 'new'), (101, null, 3, 'n'), (102, 20, 1, 'x'),"
    " (103, 2, 1, 'twice'), (103, 2, 1, 'twice'), (105, null, 4, 'n')",
    "update @.facts set k = 3 where id = 9",
    "update @.facts set amt = amt where id = 10",
    "update @.facts set s = 'renamed' where id = 12",
    "delete from @.facts where k = 4",
    "delete from @.facts where k = 5 and amt = 0 or id = 7",
    "delete from @.facts where k = 6 and amt is not null",
    "insert into @.dims values (20, 'd20')",
    "insert overwrite @.grades values (1, 'a'), (1, 'a'), (1, 'a'), (2, 'b'), (null, 'n'),"
    " (3, 'c')",
    "insert into @.added values (2, 'b')",
    "update @.dims set name = 'other' where k = 3",
    # Nine has no facts: of a full join it is seen on its own side alone.
    "delete from @.dims where k in (0, 1, 9)",
    "insert into @.facts values (104, 0, -9, 'last')",
]


@dataclass(frozen=True)
class Fault:
    """A change of one macro, and the view that shows it.

    Args:
        view: the name of its query in VIEWS or REFUSED.
        macro, right, wrong: see `Change`.
        says: what the engine says then; nothing: rows differ.
    """

    view: str
    macro: str
    right: str
    wrong: str
    says: str = ""

    @property
    def change(self) -> Change:
        """What is done to the macros."""
        return Change(self.macro, self.right, self.wrong)


SIDE = "{%- set version = moved.end if at.before else moved.start -%}"
FAULTS = {
    "a_shadowed_name_is_taken_for_the_outer_cte": Fault(
        "shadowed",
        "_close_bracket",
        'dict(here["hidden"], **{here["with"]: left["body"]})',
        'dict({here["with"]: left["body"]}, **here["hidden"])',
        says="without them Spark has another plan",
    ),
    "what_comes_after_the_last_row_is_the_next": Fault(
        "first", "_first_rows_sql", "or _mview_place <= _mview_last", "or true"
    ),
    "what_is_beyond_a_limit_is_not_missed": Fault(
        "first", "_missing_rows_sql", "then - least(", "then 0 * least("
    ),
    "both_occurrences_of_a_self_join_are_the_changes": Fault(
        "pairs",
        "_delta_term_bindings",
        "{%- if other.name == occurrence.name -%}",
        "{%- if other.relation == occurrence.relation -%}",
    ),
    "both_sides_of_a_join_are_new": Fault(
        "joined", "_delta_term_bindings", SIDE, SIDE.replace("moved.start", "moved.end")
    ),
    "both_sides_of_a_join_are_old": Fault(
        "joined", "_delta_term_bindings", SIDE, SIDE.replace("moved.end", "moved.start")
    ),
    "of_a_derived_table_goes_what_it_is_now": Fault(
        "nested",
        "_derived_change",
        '("gone", "then")',
        '("gone", "now")',
    ),
    "a_row_that_came_and_went_is_not_netted": Fault(
        "lowest_joined",
        "_extreme",
        "{came} {{ before }} {gone}",
        "{came} {{ before }}= {gone}",
    ),
    "netting_makes_one_row_of_two": Fault(
        "rows", "_changed_rows_sql", "sequence(1, abs(_mview_n))", "sequence(1, 1)"
    ),
    "keys_are_not_compared_null_safe": Fault("counted", "_same_keys", " <=> ", " = "),
    "bounds_leave_out_null": Fault(
        "lowest", "_bounds_sql", "{%- if bound.nulls -%}", "{%- if false -%}"
    ),
    "the_watermark_is_past_the_read_point": Fault(
        "counted",
        "_feed_sql",
        "{{ change.first }}, {{ change.end }})",
        "{{ change.first }}, {{ [change.end - 1, change.first] | max }})",
    ),
    "a_minimum_is_kept_after_its_delete": Fault(
        "lowest",
        "_extreme",
        "and coalesce({old} {{ before }} {gone}, true)",
        "and true",
    ),
    "an_average_is_of_as_many_values_as_before": Fault(
        "means",
        "_aggregates",
        '~ had ~ " + {change} as decimal(10, 0))"',
        '~ had ~ " as decimal(10, 0))"',
    ),
    "a_sum_of_nothing_is_zero": Fault(
        "summed",
        "_aggregates",
        'undecided_by_deletes="(" ~ any ~ " and " ~ sum ~ " = 0)",',
        "",
    ),
    "a_group_that_vanished_stays": Fault(
        "counted",
        "_aggregate_delta_sql",
        "when _mview_alive and not _mview_undecided then",
        "when not _mview_undecided then",
    ),
    "nobody_looks_for_an_undecided_group": Fault(
        "summed",
        "_aggregate_delta_sql",
        "when _mview_undecided then raise",
        "when false then raise",
    ),
    "a_key_is_staged_twice": Fault(
        "names",
        "_stage_changes_sql",
        "group by {{ keys }}",
        "group by {{ keys }}, _mview_sign",
        says="INVARIANT_BROKEN: keys that are staged twice",
    ),
    "copies_that_stay_are_lost": Fault(
        "bag", "_copies_sql", "s._mview_n + coalesce(v._mview_had, 0)", "s._mview_n"
    ),
    "an_update_is_read_as_new_rows": Fault(
        "rows",
        "_add_commit_effect",
        "{%- set inserts, deletes = true, true -%}",
        "{%- set inserts, deletes = true, false -%}",
    ),
    "the_other_branch_of_a_union_is_not_emptied": Fault(
        "unioned",
        "_delta_term_bindings",
        "{%- elif other.name in plan.zero_delta.get(occurrence.name, []) -%}",
        "{%- elif false -%}",
    ),
    "a_column_is_taken_for_unused": Fault(
        "summed",
        "_column_pruning",
        "{%- elif ids[loop.index0] in needed -%}",
        "{%- elif false -%}",
        "`k` of spark_catalog.test_faults.facts is used after all",
    ),
    "a_filter_over_groups_hides_keys": Fault(
        "having",
        "_delta_terms",
        "_relax_predicates(text, relaxed)",
        "_relax_predicates(text, [])",
    ),
    "a_filter_over_an_outer_join_hides_keys": Fault(
        "alone", "_affected_keys_plan", "{occurrence.name: path.relaxed}", "{occurrence.name: []}"
    ),
    "rows_that_lose_their_match_are_not_looked_for": Fault(
        "divided",
        "_affected_subquery",
        '"to_matches": path.to_matches + ([below] if negated else []),',
        '"to_matches": path.to_matches,',
    ),
    "groups_are_compared_before_they_are_counted": Fault(
        "groups_excepted", "_affected_sets", "counts or path.key_ids is not none", "counts"
    ),
    "a_full_join_keeps_the_other_side": Fault(
        "full_joined", "_affected_full_join", "position == 0", "position == 1"
    ),
    "not_in_is_taken_for_not_exists": Fault(
        "not_in", "_affected_subquery", "and not asked.without_null", "and false"
    ),
    "a_subquery_is_looked_for_before_its_filter": Fault(
        "newest", "_in_text_order", "second + first if behind else", "first + second if behind else"
    ),
    "the_plan_is_misread_having": Fault(
        "having",
        "_operators",
        '["Filter", "linear", "filter", "empty',
        '["Filter", "linear", "filter", "over empty',
    ),
    "the_plan_is_misread_distinct": Fault(
        "names", "_call_of", 'inner.startswith("distinct ")', "false"
    ),
    "the_plan_is_misread_brackets": Fault(
        "opened",
        "_is_ambiguous",
        'signs ~ "|" ~ blanks',
        '"(?!)"',
        "a plan that is not understood",
    ),
    "the_last_as_begins_the_name": Fault(
        "share",
        "_plan_item",
        "{%- if at.depth == 0 -%} {%- set at.named = loop.index -%} {%- endif -%}",
        "{%- set at.named = parts | length - 1 -%}",
    ),
    # The first row without a name comes with the changes.
    "a_null_of_the_data_is_taken_for_all": Fault(
        "rolled_up",
        "_is_told_by_bits",
        "{{ return(seen | unique | list | length == seen | length) }}",
        "{{ return(true) }}",
    ),
    "equal_rows_of_a_version_count_once": Fault(
        "graded",
        "_both_versions_sql",
        "select {{ names }}, 'insert' as _change_type",
        "select distinct {{ names }}, 'insert' as _change_type",
    ),
    "what_an_older_version_held_is_no_change": Fault(
        "graded",
        "_both_versions_sql",
        "from {{ table }}{{ change.start }}",
        "from {{ table }}{{ change.start }} where false",
    ),
    "rows_that_both_sides_hold_are_equal": Fault(
        "differing",
        "_stage_changes_sql",
        "having sum(_mview_sign) <> 0",
        "having abs(sum(_mview_sign)) = count(*)",
    ),
    "null_differs_from_null": Fault("differing", "_same_keys", " <=> ", " = "),
    "rows_that_leave_by_the_clock_stay": Fault(
        "recent", "_dated_terms", "for sign in [1, -1]", "for sign in [1]"
    ),
    "rows_that_enter_by_the_clock_are_missed": Fault(
        "recent", "_dated_terms", "for sign in [1, -1]", "for sign in [-1]"
    ),
    "what_the_clock_lets_in_is_read_as_it_is_now": Fault(
        "recent", "_bindings_before", "(moved, moved.start)", "(moved, moved.end)"
    ),
    "what_two_filters_let_in_counts_twice": Fault(
        "recent_twice",
        "_with_times_of",
        "(now if loop.index0 < number else then)",
        "(now if true else then)",
    ),
    "the_plan_is_misread_outer_join": Fault(
        "right_side",
        "_join_sides",
        '["LeftOuter", "right", "keys",',
        '["LeftOuter", "right", "linear",',
    ),
    "the_plan_is_misread_rank": Fault(
        "second", "_first_ranks", "(?:= 1|<=? \\\\d+)", "(?:<?=? \\\\d+)"
    ),
}


# Faults that are sown together, to save runs of dbt: none of them touches the others' views.
RUNS = [
    [
        "the_plan_is_misread_having",
        "the_plan_is_misread_distinct",
        "the_plan_is_misread_outer_join",
        "the_plan_is_misread_rank",
        "nobody_looks_for_an_undecided_group",
        "rows_that_lose_their_match_are_not_looked_for",
        "rows_that_leave_by_the_clock_stay",
    ],
    [
        "both_occurrences_of_a_self_join_are_the_changes",
        "a_minimum_is_kept_after_its_delete",
        "a_sum_of_nothing_is_zero",
        "copies_that_stay_are_lost",
        "the_other_branch_of_a_union_is_not_emptied",
        "not_in_is_taken_for_not_exists",
        "groups_are_compared_before_they_are_counted",
        "rows_that_enter_by_the_clock_are_missed",
    ],
    [
        "netting_makes_one_row_of_two",
        "a_row_that_came_and_went_is_not_netted",
        "an_average_is_of_as_many_values_as_before",
        "a_filter_over_groups_hides_keys",
        "a_filter_over_an_outer_join_hides_keys",
        "a_full_join_keeps_the_other_side",
        "a_subquery_is_looked_for_before_its_filter",
        "what_two_filters_let_in_counts_twice",
    ],
    ["both_sides_of_a_join_are_new", "keys_are_not_compared_null_safe"],
    ["both_sides_of_a_join_are_old", "bounds_leave_out_null"],
    ["the_watermark_is_past_the_read_point", "a_shadowed_name_is_taken_for_the_outer_cte"],
    [
        "a_group_that_vanished_stays",
        "the_last_as_begins_the_name",
        "a_null_of_the_data_is_taken_for_all",
        "what_the_clock_lets_in_is_read_as_it_is_now",
    ],
    ["the_plan_is_misread_brackets", "a_key_is_staged_twice"],
    ["an_update_is_read_as_new_rows", "of_a_derived_table_goes_what_it_is_now"],
    ["a_column_is_taken_for_unused"],
    [
        "equal_rows_of_a_version_count_once",
        "rows_that_both_sides_hold_are_equal",
        "what_comes_after_the_last_row_is_the_next",
    ],
    [
        "what_an_older_version_held_is_no_change",
        "null_differs_from_null",
        "what_is_beyond_a_limit_is_not_missed",
    ],
]
