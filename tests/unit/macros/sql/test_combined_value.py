"""One value of a group after the change; what it means is computed in test_combined.py."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.parsing import parse

DBT = Dbt()
SUM = "coalesce(v.`x`, 0) + coalesce(s._mview_sum_1, 0)"
ANY = "coalesce(v.`x`, s._mview_sum_1) is not null"


@pytest.mark.parametrize("kind", ["count", "count_all"])
def test_counts_are_never_in_doubt(kind: str) -> None:
    assert DBT("_combined_value", 1, "`x`", kind) == {
        "sql": SUM, "doubt": None, "alive": f"{SUM} > 0"
    }  # fmt: skip


def test_a_sum_of_nothing_may_be_null() -> None:
    assert DBT("_combined_value", 1, "`x`", "sum") == {
        "sql": f"case when {ANY} then {SUM} end",
        "doubt": f"({ANY} and {SUM} = 0)",
        "alive": f"{SUM} <> 0",
    }


def test_a_wide_sum_that_is_null_may_have_overflowed() -> None:
    wide = "coalesce(v.`x`, 0) + s._mview_sum_1"
    assert DBT("_combined_value", 1, "`x`", "wide_sum") == {
        "sql": wide,
        "unsure": f"(coalesce(v._mview_there, false) and v.`x` is null or {wide} is null)",
        "doubt": f"{wide} = 0",
        "alive": f"{wide} <> 0",
    }


@pytest.mark.parametrize(
    ("kind", "pick", "before"), [("min", "least", "<"), ("max", "greatest", ">")]
)
def test_extremes(kind: str, pick: str, before: str) -> None:
    value = DBT("_combined_value", 3, "`x`", kind)
    assert value["sql"] == f"{pick}(v.`x`, s._mview_come_3)"
    assert f"s._mview_come_3 {before}= v.`x`" in value["doubt"]
    assert f"v.`x` {before} s._mview_gone_3" in value["alive"]
    assert parse(f"select {value['doubt']}, {value['alive']}")
