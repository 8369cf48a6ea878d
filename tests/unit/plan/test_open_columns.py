"""Which columns of its result a query leaves open."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.plans import DIMS, FACTS, RANKED, chain, node, question

DBT = Dbt()
ROWS = "specifiedwindowframe(RowFrame, unboundedpreceding$(), currentrow$())"
RANGE = "specifiedwindowframe(RangeFrame, unboundedpreceding$(), currentrow$())"
WHOLE = "specifiedwindowframe(RowFrame, unboundedpreceding$(), unboundedfollowing$())"


def window(call: str, frame: str = ROWS, order: str = "amt#3 ASC NULLS FIRST") -> str:
    of = f"windowspecdefinition(k#2, {order}, {frame})"
    return f"Window [{call} {of} AS w#12], [k#2], [{order}]"


def opened(plan: str) -> Any:
    return DBT("_open_columns", {"plan": plan})


def columns(items: str, *texts: str) -> list[str]:
    found = opened(question(items, *texts))
    assert not found["rows"]
    return list(found["columns"])


@pytest.mark.parametrize(
    ("call", "frame", "is_open"),
    [
        ("row_number()", ROWS, True),
        ("ntile(4)", ROWS, True),
        ("lag(id#1L, -1, null)", ROWS, True),
        ("first(s#4, false)", RANGE, True),
        ("sum(amt#3)", ROWS, True),
        ("collect_list(s#4, 0, 0)", WHOLE, True),
        ("sum(amt#3)", RANGE, False),
        ("sum(amt#3)", WHOLE, False),
        ("rank(amt#3)", ROWS, False),
        ("dense_rank(amt#3)", ROWS, False),
    ],
)
def test_windows(call: str, frame: str, is_open: bool) -> None:
    assert columns("k#2, w#12", window(call, frame), FACTS) == (["w"] if is_open else [])


def test_an_order_of_all_columns_decides() -> None:
    plain = "Project [k#2, amt#3]"
    assert columns("k#2, w#12", window("row_number()"), plain, FACTS) == []
    assert columns("k#2, w#12", window("row_number()"), "Project [k#2, amt#3, s#4]", FACTS)
    by_day = window("row_number()", order="year(amt#3) ASC NULLS FIRST")
    assert columns("k#2, w#12", by_day, plain, FACTS) == ["w"]


@pytest.mark.parametrize(
    ("call", "is_open"),
    [
        ("first(s#4, false)", True),
        ("max_by(s#4, amt#3)", True),
        ("collect_list(s#4, 0, 0)", True),
        ("concat_ws(,, collect_set(s#4, 0, 0))", True),
        ("sort_array(collect_set(s#4, 0, 0), true)", False),
        ("size(collect_set(s#4, 0, 0), true)", False),
        ("sum(amt#3)", False),
        ("pivotfirst(s#4, amt#3, a, b, 0, 0)", False),
    ],
)
def test_aggregates(call: str, is_open: bool) -> None:
    group = f"Aggregate [k#2], [k#2, {call} AS x#20, count(1) AS n#21L]"
    assert columns("k#2, x#20, n#21L", group, FACTS) == (["x"] if is_open else [])


def test_what_is_made_of_it() -> None:
    numbered = "Project [k#2, upper(w#12) AS u#30, amt#3]"
    assert columns("k#2, u#30, amt#3", numbered, window("row_number()"), FACTS) == ["u"]
    group = "Aggregate [k#2], [k#2, max(w#12) AS m#31, count(1) AS n#32L]"
    assert columns("k#2, m#31, n#32L", group, window("lag(id#1L, -1, null)"), FACTS) == ["m"]
    grouped = "Aggregate [w#12], [w#12, count(1) AS n#32L]"
    assert opened(question("w#12, n#32L", grouped, window("row_number()"), FACTS))["rows"]


def test_of_equal_rows_the_first_is_taken() -> None:
    """What they are partitioned and ordered by is the same, whichever it is."""
    top = ("Project [k#2 AS key#40, amt#3, s#4]", "Filter (w#12 = 1)", "SubqueryAlias q")
    over = (window("row_number()"), FACTS)
    assert columns("key#40, amt#3, s#4", *top, *over) == ["s"]
    first = ("Project [k#2 AS k#5, id#1L]", "Filter (rn#12 < 3)", RANKED, FACTS)
    assert columns("k#5, id#1L", *first) == []
    also = "Filter ((w#12 = 1) AND isnotnull(s#4))"
    assert opened(question("k#2", also, *over))["rows"], "another row may come in its place"
    assert not opened(question("k#2", "Filter ((w#12 = 1) AND (amt#3 > 1))", *over))["rows"]
    ranked = ("Filter (w#12 = 1)", window("rank(amt#3)"), FACTS)
    assert columns("k#2, s#4", *ranked) == []
    lagged = ("Filter (w#12 = 1)", window("lag(id#1L, -1, null)"), FACTS)
    assert opened(question("k#2, s#4", *lagged))["rows"]


def test_joined_with_the_first_of_each() -> None:
    numbered = chain("SubqueryAlias r", window("row_number()"), FACTS)
    join = node("Join LeftOuter, ((k#2 = k#5) AND (w#12 = 1))", DIMS, numbered)
    assert columns("k#5, name#6, amt#3, s#4", join) == ["s"]
    by_text = node("Join LeftOuter, ((s#4 = name#6) AND (w#12 = 1))", DIMS, numbered)
    assert opened(question("k#5, s#4", by_text))["rows"]


def test_limits() -> None:
    sort = "Sort [amt#3 DESC NULLS LAST], true"
    limited = ("GlobalLimit 5", "LocalLimit 5")
    assert columns("id#1L, amt#3", *limited, "Project [id#1L, amt#3]", sort, FACTS) == ["id"]
    assert columns("amt#3", *limited, sort, "Project [amt#3]", FACTS) == []
    assert columns("id#1L, amt#3", *limited, FACTS) == ["id", "amt"]
    within = sort.replace("true", "false")  # SORT BY: of each partition alone
    assert columns("id#1L, amt#3", *limited, within, FACTS) == ["id", "amt"]
    grouped = ("Aggregate [id#1L], [id#1L, count(1) AS n#9L]", *limited, FACTS)
    assert opened(question("id#1L, n#9L", *grouped))["rows"]
    counted = ("Aggregate [count(1) AS n#9L]", *limited, FACTS)
    assert columns("n#9L", *counted) == []


def test_what_changes_by_itself() -> None:
    found = opened(question("id#1L, r#50", "Project [id#1L, rand(1) AS r#50]", FACTS))
    assert found == {"columns": ["r"], "rows": False, "by_itself": ["rand"]}
    assert opened(question("id#1L", "Filter (rand(1) < 0.5)", FACTS))["rows"]
    assert opened(question("id#1L", "Sample 0.0, 0.5, false, 1", FACTS))["rows"]


def test_through_ctes_and_unions() -> None:
    defined = node("CTERelationDef 0, false", chain("SubqueryAlias c", window("ntile(2)"), FACTS))
    ref = "CTERelationRef 0, true, [id#61L, k#62, amt#63, s#64, w#65], false, false"
    plan = question("k#62, w#65", node("WithCTE", defined, chain("Project [k#62, w#65]", ref)))
    assert opened(plan) == {"columns": ["w"], "rows": False, "by_itself": []}
    second = chain("Project [k#2, w#12]", window("ntile(2)"), FACTS)
    union = node("Union false, false", chain("Project [k#5, name#6]", DIMS), second)
    assert columns("k#5, name#6", union) == ["name"]
    assert opened(question("k#5, name#6", "Distinct", union))["rows"]
    plain = chain("Project [k#2, amt#3]", FACTS)
    union = node("Union false, false", chain("Project [k#5, name#6]", DIMS), plain, second)
    assert columns("k#5, name#6", union) == ["name"], "of the third branch"


def test_a_plan_that_does_not_tell() -> None:
    cut = "Project [id#1L, ... 30 more fields]"
    assert opened(question("id#1L", cut, FACTS)) is None


def test_a_plain_query() -> None:
    assert columns("k#2, s#4", "Filter (amt#3 > 1)", FACTS) == []
