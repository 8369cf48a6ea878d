"""The analyzed plan as a tree, read to its last character or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.plans import (
    DIMS,
    FACTS,
    GROUPED,
    MORE,
    RANKED,
    chain,
    find,
    node,
    question,
    tables,
    tree,
)

# The analyzed plan as a tree.


DBT = Dbt()


def outline(plan: str) -> list[tuple[str, Any, bool, int]]:
    """(operator, parent, inner, position) of every line."""
    found = DBT("_parse_plan", plan)
    return [(one["op"], one["parent"], one["inner"], one["position"]) for one in found]


def test_one_below_the_other() -> None:
    plan = question("k#2, n#10L, total#11", GROUPED, FACTS)
    assert outline(plan) == [
        ("Project", None, False, 0),
        ("Filter", 0, False, 0),
        ("SubqueryAlias", 1, False, 0),
        ("Aggregate", 2, False, 0),
        ("Relation", 3, False, 0),
    ]
    nodes = tree(DBT, plan)
    assert [one["depth"] for one in nodes] == [0, 1, 2, 3, 4]
    assert nodes[3]["text"] == GROUPED.split(" ", 1)[1]
    assert nodes[4]["text"] == FACTS.split(" ", 1)[1]


def test_sides_of_a_join() -> None:
    join = node("Join Inner, (k#2 = k#5)", node("Filter (id#1L > 3)", FACTS), DIMS)
    assert outline(node("Join LeftOuter, (k#2 = k#7)", join, MORE)) == [
        ("Join", None, False, 0),
        ("Join", 0, False, 0),
        ("Filter", 1, False, 0),
        ("Relation", 2, False, 0),
        ("Relation", 1, False, 1),
        ("Relation", 0, False, 1),
    ]


EXISTS = "Filter ((s#4 = x) AND exists#7 [k#2])"
SUBQUERY = chain("Project [1 AS 1#8]", "Filter (outer(k#2) = k#5)", DIMS)


def test_a_subquery_is_no_child() -> None:
    plan = node(EXISTS, FACTS, inner=(SUBQUERY,))
    assert plan.splitlines()[1] == ":  +- Project [1 AS 1#8]"
    assert outline(plan) == [
        ("Filter", None, False, 0),
        ("Project", 0, True, 0),
        ("Filter", 1, False, 0),
        ("Relation", 2, False, 0),
        ("Relation", 0, False, 0),
    ]


def test_two_subqueries_and_one_within_the_other() -> None:
    inside = node("Filter (x#9 > scalar-subquery#20 [])", MORE, inner=(DIMS,))
    plan = chain("Sort [k#2 ASC NULLS FIRST], true", node(EXISTS, FACTS, inner=(SUBQUERY, inside)))
    assert outline(plan) == [
        ("Sort", None, False, 0),
        ("Filter", 0, False, 0),
        ("Project", 1, True, 0),
        ("Filter", 2, False, 0),
        ("Relation", 3, False, 0),
        ("Filter", 1, True, 0),
        ("Relation", 5, True, 0),
        ("Relation", 5, False, 0),
        ("Relation", 1, False, 0),
    ]


def test_a_subquery_of_an_operator_without_children() -> None:
    plan = node("Project [scalar-subquery#7 [] AS s#8]", inner=(FACTS,))
    assert plan.splitlines()[1].startswith("   +- Relation")
    assert outline(node("Join Cross", plan, DIMS)) == [
        ("Join", None, False, 0),
        ("Project", 0, False, 0),
        ("Relation", 1, True, 0),
        ("Relation", 0, False, 1),
    ]


def test_ctes_and_views() -> None:
    view = node("View (`spark_catalog`.`shop`.`v`, [k#5,name#6])", DIMS)
    plan = node(
        "WithCTE",
        node("CTERelationDef 0, false", node("SubqueryAlias a", FACTS)),
        node("CTERelationDef 1, false", node("SubqueryAlias b", view)),
        node("Join Inner", "CTERelationRef 0, true, [k#20], false, false", "LocalRelation [x#1]"),
    )
    nodes = DBT("_parse_plan", plan)
    definitions = [one for one in nodes if one["op"] == "CTERelationDef"]
    assert [one["position"] for one in definitions] == [0, 1]
    join = nodes[find(nodes, "Join")]
    assert (join["parent"], join["position"]) == (0, 2)
    assert nodes[find(nodes, "View")]["text"].startswith("(`spark_catalog`.`shop`.`v`, ")


@pytest.mark.parametrize(
    "literal",
    [
        "x\ny",
        "\n\nProject of mine",
        "a\nSort b",
        "\n+ Filter",
        "\r\nView (`v`",
        "x\n   Limit",
        "\n",
    ],
)
def test_the_line_breaks_of_literals_begin_no_operator(literal: str) -> None:
    """Spark prints them as they are."""
    plan = chain("GlobalLimit 5", f"Filter NOT (s#4 = {literal})", FACTS)
    assert [one[:2] for one in outline(plan)] == [
        ("GlobalLimit", None), ("Filter", 0), ("Relation", 1)
    ]  # fmt: skip
    assert "\n" not in DBT("_parse_plan", plan)[1]["text"]


def test_an_operator_that_is_not_resolved() -> None:
    assert outline("'Project [*]\n+- 'UnresolvedRelation [t], [], false")[1][0] == (
        "UnresolvedRelation"
    )


# Lists as the plan prints them.


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
    ("text", "columns", "groups"),
    [
        (f"Project [k#1, {LABEL} AS label#4]", ["k#1", f"{LABEL} AS label#4"], []),
        (
            "Project [a, b AS c, d#5, ... 3 more fields]",
            ["a, b AS c, d#5", "... 3 more fields"],
            [],
        ),
        (
            "Window [max(k#1) windowspecdefinition(x) AS m, n#4], [k#1, s#2], [s#2 ASC]",
            ["max(k#1) windowspecdefinition(x) AS m, n#4"],
            [],
        ),
        (
            f"Aggregate [k#1, {LABEL}, upper(s#2)], [{LABEL} AS label#4, k#1, upper(s#2) AS u#5]",
            [f"{LABEL} AS label#4", "k#1", "upper(s#2) AS u#5"],
            ["k", LABEL.replace("#3L", ""), "upper(s)"],
        ),
        ("Aggregate [a, b AS c#4, count(1) AS n#5L]", ["a, b AS c#4", "count(1) AS n#5L"], []),
        ("Sort [k#1 ASC NULLS FIRST, s#2 ASC], true", ["k#1 ASC NULLS FIRST", "s#2 ASC"], []),
        ("Relation c.s.t[k#1,s#2] parquet", ["k#1", "s#2"], []),
    ],
)
def test_a_comma_in_a_literal_parts_nothing(
    text: str, columns: list[str], groups: list[str]
) -> None:
    found = tree(DBT, text)[0]
    assert found["columns"] == DBT("_plan_items", columns)
    assert [one["shown"] for one in found["group_keys"]] == groups


def test_what_parts_a_window() -> None:
    found = tree(DBT, "Window [rank() AS r#4], [k#1, (s#2 + 1), _w0#3L], [s#2 ASC, v#9]")[0]
    assert found["partition_keys"] == [
        {"id": "1", "name": "k"},
        {"id": None, "name": "(s"},
        {"id": "3", "name": "_w0"},
    ]
    assert found["decides"] == ["1", "2", "3", "2", "9"]


def test_fields_of_a_line() -> None:
    join, facts, _ = tree(DBT, node("Join LeftOuter, (k#2 = k#5)", FACTS, DIMS))
    assert (join["join_type"], join["condition"]) == ("LeftOuter", "(k#2 = k#5)")
    assert (join["children"], join["references"], join["relation"]) == ([1, 2], ["2", "5"], None)
    assert (facts["index"], facts["join_type"], facts["condition"]) == (1, None, None)
    assert facts["truncated"] is False
    assert tree(DBT, "Project [k#2, ... 2 more fields]")[0]["truncated"] is True


@pytest.mark.parametrize(
    "text",
    [
        "Aggregate [k#2], [k#2], [k#2]",
        "Aggregate k#2",
        "Project [k#2], [k#2]",
        "Window [rank() AS r#4], [k#1], [s#2], [s#2]",
    ],
)
def test_lists_that_an_operator_has_not(text: str) -> None:
    assert tree(DBT, text)[0]["understood"] is False


def test_a_plan_is_parsed_once() -> None:
    reads = {"plan": question("k#2", FACTS)}
    first = DBT("_query_tree", reads)
    assert DBT("_query_tree", reads) is first
    assert [one["op"] for one in first[:2]] == ["Project", "SubqueryAlias"], "no filter of theirs"
    reads["plan"] = question("k#5", DIMS)
    assert DBT("_query_tree", reads)[0]["references"] == ["5"]


# One item of a list of the plan.


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("k#1", ("k#1", "k", "1", False)),
        ("n#12L", ("n#12L", "n", "12", False)),
        ("count(1) AS n#3L", ("count(1)", "n", "3", True)),
        ("k#1 AS K2#7", ("k#1", "K2", "7", True)),
        ("cast(a#1 as int) AS sum of#9", ("cast(a#1 as int)", "sum of", "9", True)),
        ("AS note#9", ("", "note", "9", True)),
        ("AS#9", ("AS#9", "AS", "9", False)),
        (
            "(cast(p#1 as int) / cast(t#2 as int)) AS (CAST(p AS INT) / CAST(t AS INT))#4",
            (
                "(cast(p#1 as int) / cast(t#2 as int))",
                "(CAST(p AS INT) / CAST(t AS INT))",
                "4",
                True,
            ),
        ),
        (
            "(CAST(p AS INT) / CAST(t AS INT))#4",
            (
                "(CAST(p AS INT) / CAST(t AS INT))#4",
                "(CAST(p AS INT) / CAST(t AS INT))",
                "4",
                False,
            ),
        ),
        ("id#2L DESC NULLS LAST", ("id#2L DESC NULLS LAST", None, None, False)),
        ("1", ("1", None, None, False)),
    ],
)
def test_plan_item(item: str, found: Any) -> None:
    part = DBT("_plan_item", item)
    assert (part["expression"], part["name"], part["id"], part["alias"]) == found
    if part["id"]:
        assert item.endswith(part["reference"]) and part["reference"].startswith(part["name"] + "#")


@pytest.mark.parametrize(
    ("text", "nameless"),
    [
        ("Region#3", "#3"),
        ("sum(cast(Amt#4 as decimal(10,2)))", "sum(cast(#4 as decimal(10,2)))"),
        ("(-amt#4 + NOT x_1#5)", "(-#4 + NOT #5)"),
        ("my Region#3", "my #3"),
        ("upper(a)", "upper(a)"),
    ],
)
def test_nameless(text: str, nameless: str) -> None:
    assert DBT("_nameless", text) == nameless


# Plans are read to their last character, or not at all.


JOINED = node("Join Inner, (k#2 = k#5)", FACTS, DIMS)


def whole(plan: str, **reads: Any) -> Any:
    return DBT("_is_understood", tree(DBT, plan), {"columns": tables(JOINED), **reads})


@pytest.mark.parametrize(
    "plan",
    [
        question("k#2, n#10L", GROUPED, JOINED),
        question("k#2", RANKED, "Filter (s#4 = x)", FACTS),
        question("note#9, k#2", "Project [ AS note#9, k#2, ... 3 more fields]", FACTS),
        question("k#2", "Project [cast(k#2 as int) AS CAST(k AS INT)#8, k#2]", FACTS),
        question("k#2", FACTS.replace("amt#3,s#4", "... 2 more fields")),
        question("k#2", "Aggregate [k#2], [k#2, max(id#1L) AS max(id#1L)#9L]", FACTS),
        "OneRowRelation",
    ],
)
def test_whole(plan: str) -> None:
    assert whole(plan) is True


@pytest.mark.parametrize(
    "plan",
    [
        question("k#2", "Project [k#2, a) AS b#9]", FACTS),
        question("k#2", "Filter (s#4 = [)", FACTS),
        question("k#2", "Filter (s#4 = (])", FACTS),
        question("k#2", "Project [k#2, unknown]", FACTS),
        question("k#2", "Project [k#2 AS x#9 AS y#10]", FACTS),
        question("k#2", "Aggregate [k#2], [k#2, max(id#1L) AS max(k#2)#9L]", FACTS),
        question("k#2", GROUPED.replace("total#11", "total"), FACTS),
        question("k#2", RANKED.replace("rn#12", "rn"), FACTS),
        question("k#2", FACTS.replace(",s#4", "")),
        question("k#2", FACTS.replace("s#4", "s#4,t#5")),
        question("k#2", FACTS.replace("s#4", "s#x#4")),
        question("k#2", FACTS.replace("s#4", "S#4")),
        question("k#2", FACTS.replace("k#2,amt#3", "amt#2,k#3")),
    ],
)
def test_not_whole(plan: str) -> None:
    assert whole(plan) is False


def test_columns_by_other_names() -> None:
    made = {"made": {"s": "mview_name0_"}}
    assert whole(question("k#2", FACTS.replace("s#4", "mview_name0_#4")), **made) is True
    assert whole(question("k#2", FACTS), **made) is False


# Attributes that a plan has left out where they are made.


def unprinted(*texts: str) -> list[str]:
    nodes = tree(DBT, chain(*texts))
    found: list[str] = DBT("_undefined_ids", nodes, DBT("_derivations", nodes))
    return found


def test_only_where_a_list_is_cut() -> None:
    cut = "Project [k#2, ... 2 more fields]"
    assert unprinted(GROUPED, "Project [k#2, p#40]", FACTS) == []
    assert unprinted("Project [p#40, n#10L, k#2]", GROUPED, cut, FACTS) == ["40"]
    upcast = "Project [cast(k#2 as int) AS k#9, ... 2 more fields]"
    assert unprinted("Project [k#9, p#40]", upcast, FACTS) == ["40"]
    wide = "Relation spark_catalog.shop.wide[k#2, ... 2 more fields] parquet"
    assert unprinted("Project [p#40]", wide) == [], "columns of a table are known by their names"


# Literals that are doubles or floats.


@pytest.mark.parametrize(
    ("number", "is_double"),
    [("1e-1", True), ("0.7D", True), ("7f", True), (".5E2", True), ("2e1d", True),
     ("0.1", False), ("1L", False), ("1e3BD", False), ("0.7bd", False), ("e1", False)],
)  # fmt: skip
def test_doubles(number: str, is_double: bool) -> None:
    words = DBT("_words", f"select a + {number} from t")
    assert (DBT("_float_literal", words) is not None) is is_double
