"""Lists as the plan prints them."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.plans import GROUPED, RANKED, tree

DBT = Dbt()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("k#1", ["k#1"]),
        ("k#1, name#2", ["k#1", "name#2"]),
        ("id#1L,k#2,amt#3", ["id#1L", "k#2", "amt#3"]),
        (
            "coalesce(a#1, b#2) AS c#3, struct(x, 1, y, [2, 3]) AS d#4",
            ["coalesce(a#1, b#2) AS c#3", "struct(x, 1, y, [2, 3]) AS d#4"],
        ),
        ("[k#1], [k#1, n#2L]", ["[k#1]", "[k#1, n#2L]"]),
        ("map(keys: {a, b}, 1) AS m#1, z#2", ["map(keys: {a, b}, 1) AS m#1", "z#2"]),
        ('it\'s AS q#1, say "a" AS r#2', ["it's AS q#1", 'say "a" AS r#2']),
    ],
)
def test_split_list(text: str, parts: list[str]) -> None:
    assert DBT("_split_list", text) == parts


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        (
            GROUPED.split(" ", 1)[1],
            [["k#2"], ["k#2", "count(1) AS n#10L", "sum(amt#3) AS total#11"]],
        ),
        ("[count(1) AS n#1L]", [["count(1) AS n#1L"]]),
        ("[a#1[0] AS x#2, b#3]", [["a#1[0] AS x#2", "b#3"]]),
        ("0, true, [k#10, n#11L], false, false", [["k#10", "n#11L"]]),
        ("Inner, (a#1[0] = b#2)", []),
        ("", []),
    ],
)
def test_bracketed_lists(text: str, lists: list[list[str]]) -> None:
    assert DBT("_bracketed_lists", text) == lists


def test_a_window_has_functions_partition_and_order() -> None:
    functions, partition, order = DBT("_bracketed_lists", RANKED.split(" ", 1)[1])
    assert len(functions) == 1 and functions[0].endswith("currentrow$())) AS rn#12")
    assert (partition, order) == (["k#2"], ["id#1L DESC NULLS LAST"])


LABEL = "CASE WHEN (n#3L > 2) THEN many, really ELSE few END"


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        (f"Project [k#1, {LABEL} AS label#4]", [["k#1", f"{LABEL} AS label#4"]]),
        ("Project [a, b AS c, d#5, ... 3 more fields]", [["a, b AS c, d#5", "... 3 more fields"]]),
        (
            "Window [max(k#1) windowspecdefinition(x) AS m, n#4], [k#1, s#2], [s#2 ASC]",
            [["max(k#1) windowspecdefinition(x) AS m, n#4"], ["k#1", "s#2"], ["s#2 ASC"]],
        ),
        (
            f"Aggregate [k#1, {LABEL}, upper(s#2)], [{LABEL} AS label#4, k#1, upper(s#2) AS u#5]",
            [
                ["k#1", LABEL, "upper(s#2)"],
                [f"{LABEL} AS label#4", "k#1", "upper(s#2) AS u#5"],
            ],
        ),
        ("Aggregate [a, b AS c#4, count(1) AS n#5L]", [["a, b AS c#4", "count(1) AS n#5L"]]),
        ("Sort [k#1 ASC NULLS FIRST, s#2 ASC], true", [["k#1 ASC NULLS FIRST", "s#2 ASC"]]),
        ("Relation c.s.t[k#1,s#2] parquet", [["k#1", "s#2"]]),
    ],
)
def test_a_comma_in_a_literal_parts_nothing(text: str, lists: list[list[str]]) -> None:
    assert DBT("_lists", tree(DBT, text)[0]) == lists
    assert DBT("_first_list", tree(DBT, text)[0]) == lists[0]
