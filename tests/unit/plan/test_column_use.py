"""What a query uses of a table: columns, whole maps, columns that views cast."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import delta
from ..kit.harness import Dbt
from ..kit.plans import DIMS, EQUAL, FACTS, GROUPED, chain, node, question, tables

# The columns of a changed table that the query uses.


DBT = Dbt()
FACTS_TABLE = "spark_catalog.shop.facts"
COLUMNS = [{"name": name, "type": "int"} for name in ("id", "k", "amt", "s")]
ALL = ["id", "k", "amt", "s"]
AGAIN = "Relation spark_catalog.shop.facts[id#21L,k#22,amt#23,s#24] parquet"
GROUPS = "k#2, n#10L, total#11"
STAGING = "View (`spark_catalog`.`shop`.`stg_facts`, [i#9L, k#2, amt#3, s#4])"
DIMS_BY_PLACE = node("Project [k#5, name#6]", DIMS)
EVERY = "id#1L, k#2, amt#3, s#4"
ROLLED_UP = (
    "Aggregate [k#32, spark_grouping_id#34L], [k#32, sum(amt#3) AS n#10L]",
    f"Expand [[{EVERY}, k#30, 0], [{EVERY}, null, 1]], [{EVERY}, k#32, spark_grouping_id#34L]",
    f"Project [{EVERY}, k#2 AS k#30]",
)
SRC = chain("SubqueryAlias src", f"Project [{EVERY}]", FACTS)
READ_SRC = ("SubqueryAlias src", f"CTERelationRef 0, true, [{EVERY}], false, false")
RENAMED = chain("SubqueryAlias ren", "Project [id#1L AS i#9L, k#2, amt#3, s#4 AS t#8]", *READ_SRC)
READ_RENAMED = (
    "SubqueryAlias ren",
    "CTERelationRef 1, true, [i#31L, k#32, amt#33, t#34], false, false",
)
SUMS = "Aggregate [k#32], [k#32, sum(amt#33) AS total#11]"


def ctes(query: str, *definitions: str) -> str:
    """A query over CTEs, each of which may read those before it."""
    numbered = [node(f"CTERelationDef {n}, false", text) for n, text in enumerate(definitions)]
    return node("WithCTE", *numbered, query)


def used(plan: str, columns: Any = COLUMNS, truncated: bool = False) -> Any:
    reads = {"plan": plan, "truncated": truncated}
    return DBT("_column_pruning", reads, FACTS_TABLE, columns)


def asked(condition: str, *texts: str) -> str:
    """The names of dims that ask a subquery of the facts."""
    asking = node(f"Filter {condition}", DIMS, inner=(chain(*texts, FACTS),))
    return question("name#6", "Project [name#6]", asking)


@pytest.mark.parametrize(
    ("plan", "names"),
    [
        (question(GROUPS, GROUPED, FACTS), ["k", "amt"]),
        (question(GROUPS, GROUPED, "Filter (s#4 = x)", FACTS), ["k", "amt", "s"]),
        (question(GROUPS, GROUPED, node(f"Join Inner, {EQUAL}", FACTS, DIMS)), ["k", "amt"]),
        (question("name#6", "Project [name#6]", node("Join Cross", FACTS, DIMS)), ["id"]),
        (question("n#10L", "Aggregate [count(1) AS n#10L]", FACTS), ["id"]),
        (question("k#32, n#10L", *ROLLED_UP, FACTS), ["k", "amt"]),
        (
            question(
                "n#10L",
                "Aggregate [count(1) AS n#10L]",
                node("Join Inner, (id#1L = k#22)", FACTS, AGAIN),
            ),
            ["id", "k"],
        ),
        (
            question("id#1L, k#2, amt#3, s#4", "Project [id#1L, k#2, amt#3, s#4]", FACTS),
            ALL,
        ),
        (
            question(GROUPS, GROUPED, STAGING, "Project [id#1L AS i#9L, k#2, amt#3, s#4]", FACTS),
            ["k", "amt"],
        ),
        # Inside, by its place in the list of a UNION.
        (
            question(
                "k#2",
                "Project [k#2]",
                node("Union false, false", chain("Project [k#2, amt#3]", FACTS), DIMS_BY_PLACE),
            ),
            ["k", "amt"],
        ),
        (
            question("a#9", "Project [a#9]", "Project [k#2 AS a#9, s#4 AS b#8]", FACTS),
            ["k"],
        ),
        # A chain of CTEs, as dbt's users write it.
        (
            question("k#32, total#11", ctes(chain(SUMS, *READ_RENAMED), SRC, RENAMED)),
            ["k", "amt"],
        ),
        (
            question(
                "k#32, total#11",
                ctes(chain(SUMS, "Filter (t#34 = x)", *READ_RENAMED), SRC, RENAMED),
            ),
            ["k", "amt", "s"],
        ),
        # A UNION takes what it reads by place, from a CTE as from a table.
        (
            question(
                "k#2",
                "Project [k#2]",
                ctes(node("Union false, false", chain(*READ_SRC), DIMS_BY_PLACE), SRC),
            ),
            ALL,
        ),
        (
            question("k#2", "Project [k#2]", chain(STAGING, ctes(chain(*READ_SRC), SRC))),
            ["k"],
        ),
        # Read twice: each of its columns is taken for used.
        (
            question(
                "k#2",
                "Project [k#2]",
                ctes(
                    node("Join Inner, (k#2 = k#32)", chain(*READ_SRC), chain(*READ_RENAMED)),
                    SRC,
                    RENAMED,
                ),
            ),
            ALL,
        ),
        (
            question(
                "a#9",
                "Project [a#9]",
                "Filter (b#8 > 1)",
                "Project [k#2 AS a#9, s#4 AS b#8]",
                FACTS,
            ),
            ["k", "s"],
        ),
        (asked("exists#9 [k#5]", "Project [1 AS 1#8]", "Filter (k#2 = outer(k#5))"), ["k"]),
        (asked("NOT exists#9 [k#5]", "Project [k#2, s#4]", "Filter (id#1L > 1)"), ["id"]),
        (asked("exists#9 []", "Aggregate [k#2], [k#2]"), ["k"]),
        (asked("k#5 IN (list#9 [])", "Project [k#2]", "Project [k#2, s#4]"), ["k"]),
        (asked("NOT k#5 IN (list#9 [])", "Project [k#2]", "Filter isnotnull(k#2)"), ["k"]),
    ],
)
def test_used(plan: str, names: list[str]) -> None:
    assert used(plan) == names


PLAIN = question(GROUPS, GROUPED, FACTS)


@pytest.mark.parametrize(
    ("plan", "columns", "truncated"),
    [
        (PLAIN, COLUMNS, True),
        (PLAIN, COLUMNS[1:], False),
        (PLAIN, [{"name": "other", "type": "int"}, *COLUMNS[1:]], False),
        # `TABLE facts UNION ALL TABLE more`: by their places.
        (question(GROUPS, GROUPED, node("Union false, false", FACTS, AGAIN)), COLUMNS, False),
        (question("id#1L", "Distinct", FACTS), COLUMNS, False),
        (
            question(
                "k#2",
                "Project [k#2]",
                ctes(chain("CTERelationRef 0, true, [k#2], false, false"), SRC),
            ),
            COLUMNS,
            False,
        ),
        (
            question("k#5", node("Filter k#5 IN (list#9 [])", DIMS, inner=(FACTS,))),
            COLUMNS,
            False,
        ),
        (question("k#5", "Project [k#5]", DIMS), COLUMNS, False),
    ],
    ids=[
        "cut",
        "other count",
        "other name",
        "by place",
        "distinct",
        "cte",
        "in a subquery",
        "not there",
    ],
)
def test_not_told(plan: str, columns: Any, truncated: bool) -> None:
    assert used(plan, columns, truncated) is None


@pytest.mark.parametrize("type_", ["struct<a:int,... 5 more fields>", "struct<a b:int>"])
def test_a_type_that_cannot_be_written_is_read(type_: str) -> None:
    columns = [*COLUMNS[:3], {"name": "s", "type": type_}]
    assert used(PLAIN, columns) == ["k", "amt", "s"]


def test_columns_by_other_names() -> None:
    """As the plan has them, see _canonical."""
    reads = {
        "plan": question("n2_#2", "Project [n2_#2]", FACTS.replace("k#2", "n2_#2")),
        "truncated": False,
    }
    named = [COLUMNS[0], {"name": "a, b", "type": "int"}, *COLUMNS[2:]]
    assert DBT("_column_pruning", {**reads, "made": {"a, b": "n2_"}}, FACTS_TABLE, named) == [
        "a, b"
    ]
    assert DBT("_column_pruning", reads, FACTS_TABLE, named) is None


# Whether the query reads other columns now than when the view was refreshed last.


NAME = "spark_catalog.shop.facts"
FACTS_THEN = "Relation spark_catalog.shop.facts[id#1L,k#2,amt#3,s#4] parquet"
NOW = [("id", "bigint"), ("k", "int"), ("amt", "int"), ("s", "string")]
TYPES = {"k": "int", "amt": "int", "s": "string"}
READS = {
    "plan": question("k#2, n#10L, total#11", GROUPED, FACTS_THEN),
    "truncated": False,
    "columns": {
        NAME: [
            dict(one, expression=f"`{one['name']}`") for one in tables(FACTS_THEN, **TYPES)[NAME]
        ]
    },
}
BY_PLACE = chain("Project [k#2, amt#3]", node("Union false, false", FACTS_THEN, DIMS))


def differ(before: list[tuple[str, str]], since: int | None = 2, **reads: Any) -> tuple[bool, Dbt]:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(columns=",".join(" ".join(pair) for pair in NOW))
    dbt.engine.tables[NAME].older_columns[2] = before
    change = {"relation": NAME, "end": 5, "columns_since": since}
    return dbt("_columns_differ", {**READS, **reads}, change), dbt


@pytest.mark.parametrize(
    ("before", "found"),
    [
        (NOW, False),
        (NOW[:3], False),
        ([*NOW, ("gone", "int")], False),
        ([NOW[1], NOW[0], *NOW[2:]], False),
        ([NOW[0], ("k", "tinyint"), *NOW[2:]], True),
        ([("id", "int"), *NOW[1:]], False),
        ([NOW[0], *NOW[2:]], True),
        ([NOW[0], ("K", "int"), *NOW[2:]], True),
        ([NOW[0], NOW[2], NOW[1], NOW[3]], True),
    ],
    ids=[
        "a comment", "one came", "one went", "unused ones moved", "type", "type of an unused one",
        "a used one came", "renamed", "used ones moved",
    ],
)  # fmt: skip
def test_used_columns_matter(before: list[tuple[str, str]], found: bool) -> None:
    assert differ(before)[0] is found


@pytest.mark.parametrize(
    "reads",
    [{"truncated": True}, {"plan": question("k#2, amt#3", BY_PLACE)}],
    ids=["truncated", "by place"],
)
def test_where_the_plan_does_not_tell_all_do(reads: Any) -> None:
    assert differ(NOW[:3], **reads)[0] is True
    assert differ(NOW, **reads)[0] is False


@pytest.mark.parametrize(
    ("was", "now", "found"),
    [
        ({"s": 5}, {"s": 5}, False),
        ({"s": 5}, {}, True),
        ({}, {"s": 5}, True),
        ({"s": 5}, {"s": 6}, True),
    ],
)
def test_a_char_that_is_a_text_now(was: Any, now: Any, found: bool) -> None:
    """DESCRIBE calls both string; the plan pads one where it is read."""
    _, dbt = differ(NOW)
    assert "read_chars" not in dbt.engine.steps, "and is asked where a commit may have changed it"
    dbt.engine.chars = {2: was, 5: now}
    change = {"relation": NAME, "end": 5, "columns_since": 2, "may_be_char": True}
    assert dbt("_columns_differ", {**READS, "truncated": True}, change) is found
    assert "select `s` from" in dbt.engine.sql("read_chars")


def test_many_texts_are_asked_for_in_parts() -> None:
    """A plan prints no more than 25 columns."""
    dbt = Dbt()
    columns = [{"name": f"c{number}", "type": "string"} for number in range(45)]
    dbt.engine.chars = {3: {"c1": 5}}
    assert dbt("_char_columns_at", NAME, 3, columns) == ["readSidePadding(c1, 5)"]
    assert dbt.engine.steps == ["read_chars"] * 3


def test_history_tells_that_there_is_nothing_to_look_at() -> None:
    found, dbt = differ(NOW[:1], since=None)
    assert (found, dbt.engine.steps) == (False, [])


def test_a_text_with_a_name_that_no_plan_tells() -> None:
    """Whether it was a CHAR is not known, so it is taken for another one."""
    named = [*READS["columns"][NAME][:3], {**READS["columns"][NAME][3], "name": "a, b"}]
    _, dbt = differ(NOW)
    dbt.engine.tables[NAME].older_columns[2] = [*NOW[:3], ("a, b", "string")]
    change = {"relation": NAME, "end": 5, "columns_since": 2, "may_be_char": True}
    reads = {**READS, "truncated": True, "columns": {NAME: named}}
    named[3]["expression"] = "`a, b`"
    assert dbt("_columns_differ", reads, change) is True


def test_columns_are_those_that_were_asked_for() -> None:
    dbt = Dbt()
    change: dict[str, Any] = {"relation": NAME, "end": 5}
    dbt("_note_used_columns", READS, change)
    assert dbt.engine.steps == []
    assert [column["name"] for column in change["columns"]] == ["id", "k", "amt", "s"]
    assert change["used"] == ["k", "amt"]


# Maps of which the query asks for more than values by their keys.


BASE = "Relation spark_catalog.shop.m[id#1L,props#2,n#3] parquet"
VIEW = chain(
    "View (`c`.`s`.`v`, [id#1L, attributes#9])",
    "Project [id#1L, cast(attributes#8 as map<string,int>) AS attributes#9]",
    "Project [id#1L, props#2 AS attributes#8]",
    BASE,
)


def whole(plan: str, type_: str = "map<string,int>", **reads: Any) -> list[str]:
    columns = [{"name": "id", "type": "int"}, {"name": "props", "type": type_}]
    found: list[str] = Dbt()("_whole_maps", {"plan": plan, "truncated": False, **reads}, columns)
    return found


@pytest.mark.parametrize(
    ("item", "seen"),
    [
        ("props#2[a] AS x#4", False),
        ("element_at(props#2, a, None, true) AS x#4", False),
        ("(size(props#2, false) + props#2[k]) AS x#4", False),
        ("CASE WHEN isnotnull(props#2) THEN props#2[a] END AS x#4", False),
        ("props#2", False),
        ("props#2 AS p#4", False),
        ("to_json(props#2, Some(UTC)) AS x#4", True),
        ("map_keys(props#2)[0] AS x#4", True),
        ("props#2[to_json(props#2)] AS x#4", True),
        ("cast(props#2 as string) AS x#4", True),
        ("array_size(props#2) AS x#4", True),
        ("count(distinct props#2) AS x#4", True),
    ],
)
def test_what_is_asked_of_it(item: str, seen: bool) -> None:
    assert whole(question("id#1L", f"Project [id#1L, {item}]", BASE)) == ["props"] * seen


def test_under_other_names() -> None:
    for item, seen in {
        "attributes#9[a] AS x#4": False,
        "map_keys(attributes#9) AS x#4": True,
    }.items():
        assert whole(question("id#1L", f"Project [{item}]", VIEW)) == ["props"] * seen
    define = node("CTERelationDef 0, false", node("Project [props#2 AS p#5]", BASE))
    ref = "CTERelationRef 0, true, [p#6], false, false"
    for item, seen in {"p#6[a] AS x#4": False, "map_entries(p#6) AS x#4": True}.items():
        plan = node("WithCTE", define, node(f"Project [{item}]", ref))
        assert whole(question("x#4", plan)) == ["props"] * seen


def test_in_other_operators() -> None:
    for text, seen in {
        "Filter (props#2[a] > 1)": False,
        "Filter (to_json(props#2) = x)": True,
        "Generate explode(props#2), false, x, [k#7, v#8]": False,
        "Generate posexplode(props#2), false, x, [p#6, k#7, v#8]": True,
        "Sort [map_keys(props#2)[0] ASC NULLS FIRST], true": True,
    }.items():
        assert whole(question("id#1L", text, BASE)) == ["props"] * seen, text


def test_what_nobody_can_tell() -> None:
    plan = question("id#1L", "Project [id#1L, props#2[a] AS x#4]", BASE)
    assert whole(plan) == []
    assert whole(plan, truncated=True) == ["props"]
    for type_ in ("map<string,map<int,int>>", "struct<p:map<int,int>>"):
        assert whole(plan, type_) == ["props"]


# Views that cast their tables' columns to what these were.


V = "spark_catalog.shop.v"


@pytest.mark.parametrize(
    ("made", "now", "fine"),
    [
        ("bigint", "bigint", True),
        ("bigint", "decimal(20,2)", False),
        ("varchar(9)", "string", True),
        ("struct<a:int,... 9 more fields>", "struct<a:int,b:int>", True),
        ("string", "bigint", False),
    ],
)
def test_view_casts(made: str, now: str, fine: bool) -> None:
    dbt = Dbt()
    sql = "select K, total as t from shop.facts"
    dbt.engine.described[sql] = [("K", "int"), ("t", now)]
    columns = [{"name": "k", "type": "int", "source": "k"}]
    columns.append({"name": "total", "type": made, "source": "t"})
    view = {"kind": "view", "text": sql, "namespace": "spark_catalog.shop", "columns": columns}
    bindings: dict[str, Any] = {"spark_catalog.shop.x": {"kind": "table", "version": 1}}
    bindings.update({V: view, "spark_catalog.shop.w": None})
    reason = f"SCHEMA_CHANGED: the view shop.v was made when total was {made}"
    assert dbt("_view_casts", bindings) == (None if fine else reason)
