"""Single operators of the climb."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, RANKED, node, tree

DBT = Dbt()


def step(name: str, text: str, sure: Any, **path: Any) -> dict[str, Any]:
    (one,) = tree(DBT, text)
    before = {"sure": sure, "ranks": [], "alike": [], **path}
    found: dict[str, Any] = DBT(f"_covered_{name}", one, before)
    return found


GROUPS = "Aggregate [k#2, (id#1L + k#2)], [k#2, (id#1L + k#2) AS g#9L, max(k#2) AS m#10]"


def test_groups() -> None:
    assert step("groups", GROUPS, None)["sure"] == ["2", "9"]
    assert step("groups", GROUPS, ["2"])["sure"] == ["2"]
    assert step("groups", GROUPS, ["1"])["sure"] == []
    assert step("groups", "Aggregate [max(k#2) AS m#10]", None)["sure"] == [], "one group of all"


def test_windows() -> None:
    assert step("window", RANKED, None) == {"sure": ["2"], "ranks": ["12"], "core": None}
    assert step("window", RANKED, ["1", "3"])["sure"] == []
    overall = "Window [sum(amt#3) windowspecdefinition(x) AS t#13], [id#1L ASC NULLS FIRST]"
    assert step("window", overall, None) == {"sure": [], "ranks": [], "core": None}


@pytest.mark.parametrize("sure", [None, ["2"]])
def test_filters(sure: Any) -> None:
    assert step("filter", "Filter (k#2 > 3)", sure) == {"core": None}
    assert ("reason" in step("filter", "Filter (k#3 > 3)", sure)) is (sure is not None)


def test_one_filter_of_first_ranks() -> None:
    text = "Filter (rn#12 <= 3)"
    assert step("filter", text, [], ranks=["12", "13"]) == {"core": None, "ranks": []}
    assert "reason" in step("filter", text, [], ranks=["13"])
    assert "reason" in step("filter", "Filter (rn#12 > 3)", [], ranks=["12"])


def test_items() -> None:
    text = "Project [k#2, k#2 AS a#20, s#4 AS b#21, (k#2 + 1) AS c#22]"
    assert step("items", text, ["2"]) == {"sure": ["2", "20", "22"]}
    assert step("items", text, None) == {}


def test_values_that_are_alike() -> None:
    """They are passed on as they are; what is made of them may be another one for each."""
    text = "Project [k#2, k#2 AS a#20, (k#2 + 1) AS c#22, (k#2 = s#4) AS d#23]"
    assert step("items", text, ["2", "4"], alike=["2"])["sure"] == ["2", "4", "20", "23"]
    for sure in (None, ["1", "2"]):
        assert step("groups", GROUPS, sure, alike=["2"])["sure"] == ["2"]
        assert "reason" in step("filter", "Filter (k#2 > 3)", sure, alike=["2"])
        assert step("filter", "Filter (k#2 <=> id#1L)", sure, alike=["2"]) == {"core": None}


def test_distinct() -> None:
    nodes = tree(DBT, node("Distinct", node("Project [k#2, s#4 AS b#21]", DIMS)))
    before = {"sure": None, "alike": [], "coarse": []}
    assert DBT("_covered_distinct", nodes, before, 0) == {}
    before["coarse"] = ["2"]
    assert DBT("_covered_distinct", nodes, before, 0) == {"sure": ["2", "21"], "alike": ["2"]}
    before["sure"] = ["21"]
    assert DBT("_covered_distinct", nodes, before, 0)["sure"] == ["21"]


def reference(sure: Any, plan: str, ref: str = "k#30, n#31L") -> Any:
    nodes = tree(DBT, node("WithCTE", node("CTERelationDef 0, false", plan), f"{REF}[{ref}]"))
    path = {"sure": sure, "ranks": ["6"]}
    return DBT("_covered_reference", nodes, path, 1, len(nodes) - 1)


REF = "CTERelationRef 0, true, "


def test_references() -> None:
    assert reference(["5"], DIMS) == {"sure": ["30"], "ranks": ["31"]}
    assert reference(None, DIMS) == {}
    cut = DIMS.replace("name#6", "... 4 more fields")
    assert reference(["5"], cut, "k#30, ... 4 more fields") == {"sure": ["30"], "ranks": []}


def test_references_that_are_not_understood() -> None:
    unknown = {"sure": [], "ranks": []}
    assert reference(["5"], DIMS, "k#30") == unknown
    assert reference(["5"], DIMS, "k#30, n#31, m#32") == unknown
    wide = node("Join Inner", "Relation c.s.w[a#5, ... 9 more fields] parquet", DIMS)
    assert reference(["5"], wide, "a#30, b#31, c#32, d#33") == unknown
    inner = node("WithCTE", node("CTERelationDef 1, false", DIMS), DIMS)
    assert reference(["5"], inner) == unknown


def test_labels_with_commas() -> None:
    """Printed without their quotes: what follows the comma is no constant."""
    label = "CASE WHEN (count(1) > 2) THEN many, really ELSE few END AS label#20"
    assert step("groups", f"Aggregate [k#2], [k#2, {label}]", None)["sure"] == ["2"]
    label = "CASE WHEN (t#13 > 2) THEN big, very ELSE small END AS label#20"
    assert step("items", f"Project [k#2, {label}]", ["2"])["sure"] == ["2"]
    by_label = "Aggregate [CASE WHEN (t#13 > 2) THEN many, really ELSE few END], [{}, count(1) AS"
    label = label.replace("big, very", "many, really").replace("small", "few")
    assert step("groups", by_label.format(label) + " n#21L]", ["2"])["sure"] == []
    assert step("groups", by_label.format(label) + " n#21L]", None)["sure"] == ["20"]


def test_a_literal_that_reads_like_a_count() -> None:
    items = "Aggregate [k#2, count(1)], [k#2, count(1) AS label#20, count(1) AS n#21L]"
    assert step("groups", items, None)["sure"] == ["2"]
