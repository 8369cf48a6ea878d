"""Which queries are FAST, as docs/fast.md tells users: rows, and the queries that prove each.

``python -m tests.corpus.rules`` writes the two tables; ``tests/unit/plan/test_strategies.py`` asks
the corpus whether it follows, or refuses, the queries of a row as the row says.

A query stands here by its name, which means that all of its tables changed, or as a case of
judged.json: ``left_unique: dims``.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.report import KEPT
from tests.bench.results import read, results_of
from tests.functional.shapes import DATED_REFUSED, GROUPS, KEYS, REFUSED, ROWS

JUDGED = Path(__file__).with_name("judged.json")
MARK = "<!-- tests/corpus/strategies.py: {} -->\n"
FIRST_ROWS = "first rows"
LATER = ": another day"
DERIVED, LIMITS = "(#derived-tables)", "(#limits)"


@dataclass(frozen=True)
class Followed:
    """A row of the queries that FAST follows.

    Args:
        has: what the query has.
        strategy: how its queries are followed; none: as `alike` says.
        costs: what a change costs.
        queries: those that prove it.
        shown: the strategy in words, where its name alone does not tell.
        alike: a query -> another one, without what the row speaks of, which is followed alike.
        derived: bool, its queries have a derived table.
        operators: those that it speaks of, by the names of `_operators` and `_join_sides`. Each is
            in the plan of a query of the row, and each query has one of them.
        timed: views of tests/bench/operators.py that have it.
    """

    has: str
    strategy: str | None
    costs: str
    queries: tuple[str, ...] = ()
    shown: str = ""
    alike: tuple[tuple[str, str], ...] = ()
    derived: bool = False
    operators: tuple[str, ...] = ()
    timed: tuple[str, ...] = ()

    @property
    def proofs(self) -> tuple[str, ...]:
        """All queries that have what the row speaks of."""
        return (*self.queries, *(query for query, _ in self.alike))


@dataclass(frozen=True)
class Refused:
    """A row of the queries that FAST refuses.

    Args:
        has: what the query has.
        codes: of the reasons that users see. Each is that of a query, or is asserted by a test.
        queries: those that prove it.
        tests: what proves it where no query of the corpus does, as pytest calls it.
        operators: those that it speaks of, which no query has, or a query of the row.
    """

    has: str
    codes: tuple[str, ...]
    queries: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()


FOLLOWED = (
    Followed(
        "filters, projections, inner and cross joins, `explode`, `UNION ALL`",
        ROWS,
        "the changed rows, joined with the other tables",
        (
            *("rows", "bag", "keyed_rows", "joined_rows", "unioned", "united_ctes", "exploded"),
            *("cte_twice", "within_bounds: facts"),
        ),
        operators=("Filter", "Project", "Inner", "Cross", "Generate", "Union"),
        timed=("filter", "join"),
    ),
    Followed(
        "one `GROUP BY`, or none, over these, with `count`, `sum` of whole numbers and decimals,"
        " `min`, `max`, `avg` beside its `sum`",
        GROUPS,
        "the same; values of touched groups are added up. A group that the old value and the"
        " change do not decide (its minimum was deleted, say) is computed again",
        (
            *("counted", "summed", "extremes", "overall", "means", "counted_means", "small_parts"),
            *("cte_over_join", "self_join"),
        ),
        operators=("Aggregate",),
        timed=("sums", "minimum", "average", "scalar subquery"),
    ),
    Followed(
        "other aggregates: `avg` without its `sum`, `count(distinct)`, sums of floats, sums of"
        " decimals with 38 digits and more than six places, sorted lists of values, expressions"
        " over aggregates; `DISTINCT`",
        KEYS,
        "touched groups are computed again",
        ("other_values", "gathered_sorted", "smallest_parts", "over_values", "distinct_rows"),
        operators=("Aggregate", "Distinct"),
        timed=("count distinct", "sorted list", "distinct"),
    ),
    Followed(
        "`rollup`, `cube`, `grouping sets` over these, and the result shows `grouping_id()`, or a"
        " `grouping()` by which the sets differ",
        None,
        "as there; a changed row touches one group of each set",
        shown="as without them",
        alike=(
            ("rolled_up", "counted"),
            ("cubed", "means"),
            ("grouping_sets", "cte_over_join"),
            ("some_of_sets", "counted"),
            ("rolled_up_left", "left_having"),
        ),
        operators=("Expand",),
        timed=("rollup",),
    ),
    Followed(
        "the same, and the result shows neither",
        KEYS,
        "all rows whose keys look like those of a touched group are computed again: the grand"
        " total, each time",
        ("rolled_up_alike", "too_few_of_sets"),
        operators=("Expand",),
        timed=("rollup alone",),
    ),
    Followed(
        "windows with `PARTITION BY`; filters over them, as `row_number() ... = 1`",
        KEYS,
        "touched partitions are computed again",
        ("latest", "shares", "not_first", "latest_kept", "second_of_each", "above_mean"),
        operators=("Window",),
        timed=("window",),
    ),
    Followed(
        "a subquery after `FROM` or `in` (a CTE too) with groups, windows, `DISTINCT` or outer"
        " joins, at whose *values* the query around it looks: groups by a count or by `min(day)`"
        " (cohorts), joins on a sum, `where k in (select ... having ...)`",
        None,
        "touched groups of the subquery are computed twice: as they were, and as they are"
        f" ([derived tables]{DERIVED})",
        shown="that of the query around it",
        alike=(
            ("nested", "counted"),
            ("cohorts", "cte_over_join"),
            ("joined_by_value", "joined_rows"),
            ("second", "joined_rows"),
            ("kept_by_groups", "in_groups"),
            ("left_by_label: dims", "counted"),
            ("left_counted", "counted"),
            ("ranked_by_part", "shares"),
        ),
        derived=True,
        operators=("Aggregate", "Window", "LeftOuter"),
        timed=("derived table",),
    ),
    Followed(
        "joins of groups, groups of groups, windows over groups, `HAVING`, `where` over groups,"
        " `UNION ALL` of any of these",
        KEYS,
        "touched keys are computed again",
        (
            *("groups_joined", "groups_of_groups", "ranked_groups", "part_of_all", "import_ctes"),
            *("having", "having_hidden", "where_over_groups", "some_distinct", "window_joined"),
            *("united_groups", "united_reports", "united_total", "united_window"),
        ),
        operators=("Aggregate", "Window", "Distinct"),
        timed=("union all of groups", "import CTE, read twice"),
    ),
    Followed(
        "a `left` or `right join`, and its preserved side changes",
        None,
        "as there",
        shown="the strategy without that join",
        alike=(
            ("left_unique: facts", "keyed_rows"),
            ("left_rows: dims", "bag"),
            ("left_grouped: dims", "means"),
            ("right_grouped: dims", "other_values"),
        ),
        operators=("LeftOuter", "RightOuter"),
        timed=("left join, preserved",),
    ),
    Followed(
        "a `left` or `right join`, and its optional side changes; the result shows a column of the"
        " preserved side",
        KEYS,
        "rows of the touched keys are computed again",
        (
            *("left_unique: dims", "left_rows: facts", "left_grouped: facts", "left_first: facts"),
            *("right_grouped: facts", "left_chain", "left_nested", "united_left", "left_having"),
        ),
        operators=("LeftOuter", "RightOuter"),
        timed=("left join, optional",),
    ),
    Followed(
        "a `full join` on an equality, and the result shows `coalesce(a.k, b.k)` of what it"
        " compares",
        KEYS,
        "rows of the touched keys are computed again",
        ("full_joined", "full_joined: facts", "full_joined: dims"),
        operators=("FullOuter",),
        timed=("full join",),
    ),
    Followed(
        "`intersect`, `except`, `minus`",
        KEYS,
        "rows equal to a changed one are computed again",
        ("excepted", "intersected"),
        operators=("Except", "Intersect"),
        timed=("intersect", "except"),
    ),
    Followed(
        "`exists`, `in`, `not exists`, `not in`, a semi or anti join, and only the rows that it"
        " keeps or drops change",
        None,
        "as there",
        shown="the strategy without it",
        alike=(
            ("present: dims", "rows"),
            ("absent: dims", "rows"),
            ("in_a_list: facts", "rows"),
            ("not_in: dims", "rows"),
            ("semi_joined: facts", "rows"),
            ("absent_counted: dims", "counted"),
        ),
        operators=("exists", "not exists", "in", "not in", "LeftSemi"),
        timed=("exists, kept",),
    ),
    Followed(
        "the same, and the rows that it looks up change; the result shows a column of the rows that"
        " are kept",
        KEYS,
        "rows that match a changed one are computed again, and what shares their keys",
        (
            *("present: facts", "absent: facts", "in_groups: facts", "not_in: facts"),
            *("semi_joined: dims", "anti_joined: facts", "newest_of_each"),
        ),
        operators=("exists", "not exists", "in", "not in", "LeftSemi", "LeftAnti"),
        timed=("exists", "not exists", "in", "not in"),
    ),
    Followed(
        "`current_date()` or `current_timestamp()` in a `WHERE` over rows, and another day or"
        f" moment has come ([limits]{LIMITS})",
        None,
        "rows that the filter lets in now and did not then, and those the other way round, are"
        " changes as well",
        shown="as on the same day",
        alike=tuple(
            (f"{name}{LATER}", name)
            for name in (
                *("recent_rows", "recent_sums", "recent_imported", "recent_latest"),
                *("recent_or_old", "recent_moments", "recent_both_times", "recent_pairs"),
            )
        ),
        operators=("Filter",),
        timed=("the moment",),
    ),
    Followed(
        "`order by ... limit n` at the end of the query, which decides between all rows: it ends"
        " in the columns of `unique_key` or of the `GROUP BY`, or names all columns",
        FIRST_ROWS,
        "the changed rows and the view's own are ordered, and the first n of them published."
        " Where more of these went than came, what comes next is not known: COMPLETE"
        " (`ROWS_BEYOND_LIMIT`)",
        ("first_rows", "first_groups", "limited_rows", "limited_window", "limited_final"),
        shown=f"{FIRST_ROWS}, of any strategy above",
        operators=("GlobalLimit",),
        timed=("first rows",),
    ),
)
# Operators that the text above the table speaks of: they decide nothing.
READ_THROUGH = ("SubqueryAlias", "View", "WithCTE", "Sort", "ResolvedHint", "Repartition")

OPERATOR, SUBQUERY = "OPERATOR_NOT_INCREMENTAL", "SUBQUERY_NOT_INCREMENTAL"
UNIT = "tests/unit/incremental/"
REFUSED_ROWS = (
    Refused(
        "a `LIMIT` in a subquery or a CTE, with `OFFSET`, of over a million rows, or without an"
        " `ORDER BY` that decides between all rows by columns of the result",
        (OPERATOR,),
        (
            *("limited", "limited_twice", "limited_above_limit", "offset_by", "limited_unordered"),
            *("limited_by_ties", "limited_by_hidden", "limited_by_expression"),
        ),
        (f"{UNIT}test_first_rows.py::test_what_is_no_number_of_rows",),
        ("GlobalLimit", "Offset"),
    ),
    Refused(
        "a `left` or `right join` whose optional side changes, and the result shows no column of"
        " the preserved side, or an inner join over it looks at the optional side",
        (OPERATOR,),
        ("left_values", "left_then_inner"),
        operators=("LeftOuter",),
    ),
    Refused(
        "a `full join` without `coalesce()` of what it compares in the result; a `right` or"
        " `full join` with `using`",
        (OPERATOR, "SOURCE_NOT_BOUND"),
        ("full", "right_using"),
        operators=("FullOuter", "RightOuter"),
    ),
    Refused(
        "`INTERSECT` and `EXCEPT` with `ALL`, or of groups",
        (OPERATOR,),
        tests=(f"{UNIT}test_affected_keys_computed.py::test_other_sets_are_refused",),
    ),
    Refused(
        "`rollup`, `cube`, `grouping sets`, and the result lacks one of their keys, as where it"
        " shows `coalesce(region, 'all')` alone; on Spark 4.0 also those by an"
        " expression, as `rollup (upper(region))`",
        (OPERATOR,),
        ("rolled_up_labels",),
        operators=("Expand",),
    ),
    Refused(
        "`pivot`, `session_window`, `tablesample`, `transform`",
        (OPERATOR,),
        ("pivoted", "sessions"),
        operators=("Sample", "ScriptTransformation"),
    ),
    Refused(
        "a CTE that is read several times and cannot be inlined: it is recursive, or read as"
        f" `table c` ([limits]{LIMITS})",
        (OPERATOR,),
        ("twice", "ctes_that_stay"),
        operators=("WithCTE",),
    ),
    Refused(
        "an average, or a sum of floats, over a table that did not change, beside one that did"
        f" ([limits]{LIMITS})",
        (OPERATOR,),
        ("q17: part", "q22: orders"),
    ),
    Refused(
        "a join or a group key that looks at a *value* of groups or windows below, unless these"
        f" are a [derived table]{DERIVED}; a `HAVING` without `GROUP BY`",
        ("AGGREGATE_NOT_TOP_NODE",),
        ("newest_counted", "grouped_means", "overall_having"),
        operators=("Aggregate", "Window"),
    ),
    Refused(
        f"a scalar subquery that names the row, or whose [value]{DERIVED} is another one; `exists`"
        " or `in` under `or`, or as a value; `not in`, unless both sides say `is not null`",
        (SUBQUERY,),
        (
            *("q02", "q17", "q20", "q22", "above_average"),
            *("present_or_not", "not_in_of_null", "q16"),
        ),
        (f"{UNIT}test_affected_keys_computed.py::test_other_subqueries_are_refused",),
    ),
    Refused(
        "a window without `PARTITION BY`, windows without a common column there",
        ("WINDOW_WITHOUT_PARTITION_BY", "WINDOWS_WITHOUT_COMMON_PARTITION_BY"),
        ("whole_window",),
        (f"{UNIT}test_windows.py::test_reasons",),
        ("Window",),
    ),
    Refused(
        "`rand()`, `current_timestamp()` outside of a `WHERE` over rows, `collect_list` that"
        " nothing sorts or counts (`sort_array(collect_set(x))`, `size(...)` and"
        " `listagg(x) within group (order by x)` are FAST), `first`, sketches; your own functions",
        ("EXPRESSION_NOT_DETERMINISTIC", "UDF_NOT_DETERMINISTIC"),
        ("gathered", "sketched", "encrypted", "of_files"),
        (
            f"{UNIT}test_classify.py::test_a_moment_in_the_query",
            "tests/unit/sql_text/test_functions.py::test_why_not_deterministic",
        ),
    ),
    Refused(
        "`current_date()` elsewhere than in a `WHERE` over rows, in the first run of another day",
        ("DATE_CHANGED",),
        tuple(f"{name}{LATER}" for name in DATED_REFUSED),
    ),
    Refused(
        "an `audit` that looks at more than one row, or at the moment",
        ("AUDIT_OVER_ALL_ROWS",),
        tests=(f"{UNIT}test_classify.py::test_audits",),
    ),
)
# Queries that are refused, and spoken of in no row: why.
TOO_RARE = {
    "set_of_all": "one set of no keys: a GROUP BY without keys is written otherwise",
    "limited_pipe": "the syntax of pipes, of which a LIMIT alone is refused",
    "ctes_renamed": "the changed table is read by a CTE that nothing reads",
    "ctes_unread": "the same",
    "wide_groups": "Limits tells how many columns Spark prints, and the setting that lifts it",
}
# Reasons that are not those of a query: why. Reasons and remedies has them.
OF_NO_QUERY = {
    **dict.fromkeys(
        (
            *("CHANGE_DATA_UNAVAILABLE", "DELETION_VECTORS_TOO_LARGE", "INPUT_NOT_IN_DELTA"),
            *("SOURCE_REPLACED", "SOURCE_AT_TWO_TIMES"),
        ),
        "what happened to a source, or which table it is",
    ),
    **dict.fromkeys(
        ("DEFINITION_CHANGED", "SCHEMA_CHANGED", "TARGET_CHANGED", "TIME_ZONE_CHANGED"),
        "something is not as the last refresh left it",
    ),
    **dict.fromkeys(
        ("FAST_FAILED", "FAST_IS_SLOWER", "SMALL_SOURCE", "TOO_MANY_CHANGES"),
        "FAST would be possible, and AUTO decided against it",
    ),
    **dict.fromkeys(
        ("CONSTRAINTS_OF_A_GROUP", "PARTITION_VALUE_NOT_KEPT", "UNIQUE_KEY_OVER_ALL_ROWS"),
        "a config of the view",
    ),
    **dict.fromkeys(
        ("INVARIANT_BROKEN", "ROWS_BEYOND_LIMIT"), "found while the changes are computed"
    ),
}


@functools.cache
def judged() -> dict[str, Any]:
    """How the corpus follows each case."""
    found: dict[str, Any] = json.loads(JUDGED.read_text(encoding="utf-8"))
    return found


def case(name: str) -> str:
    """A query, or a case of it, as a case: all of its tables changed, which comes first."""
    if ":" in name:
        return name
    return next(one for one in judged() if one.startswith(f"{name}: "))


def way(name: str) -> str | None:
    """How the corpus follows a case: its strategy, or the first rows of one."""
    told = judged()[case(name)]
    if told.get("reason"):
        return None
    return FIRST_ROWS if told.get("first_rows") else str(told["strategy"])


def code(name: str) -> str | None:
    """The code of the reason why a case is refused. Of REFUSED it is proven on Spark."""
    text = REFUSED[name][1] if name in REFUSED else judged()[case(name)].get("reason")
    return text.partition(":")[0] if text else None


@functools.cache
def seconds() -> dict[str, str]:
    """What FAST and COMPLETE took of each view that is kept of tests/bench/operators.py."""
    kept = [one for one in results_of(read(KEPT)) if one.comparison == "operators"]
    return {
        one.cell: f"{one.cell} {median(one.ours):.1f} / {median(one.theirs):.1f}" for one in kept
    }


def followed() -> str:
    """The table of what FAST follows, as Markdown; with seconds once there are any."""
    head = ("the query has", "strategy", "what a change costs", "FAST / COMPLETE, s")
    lines = [head, ("---",) * 4]
    for row in FOLLOWED:
        timed = ", ".join(seconds()[name] for name in row.timed if name in seconds())
        lines.append((row.has, row.shown or str(row.strategy), row.costs, timed))
    width = 4 if seconds() else 3
    return "".join(f"| {' | '.join(line[:width])} |\n" for line in lines)


def refused() -> str:
    """The table of what FAST refuses, as Markdown."""
    lines = ["| the query has | reason |", "|---|---|"]
    lines += [
        f"| {row.has} | {', '.join(f'`{one}`' for one in row.codes)} |" for row in REFUSED_ROWS
    ]
    return "\n".join(lines) + "\n"


TABLES = {MARK.format("followed"): followed, MARK.format("refused"): refused}
