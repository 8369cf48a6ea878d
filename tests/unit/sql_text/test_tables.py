"""Where tables are named in a query."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.cases import CORNERS, GOOD, NOT_FOUND, plain, tables
from ..kit.engine import Engine, View, delta
from ..kit.harness import Dbt

# Where tables are named in a query.


DBT = Dbt()


def found(marked: str) -> list[str]:
    """The tokens that the macro takes for tables."""
    tokens = DBT("_tokens", plain(marked))
    return [tokens[place["at"]] for place in DBT("_table_names", tokens)]


@pytest.mark.parametrize("marked", GOOD)
def test_table_names(marked: str) -> None:
    assert found(marked) == tables(marked)


@pytest.mark.parametrize("marked", CORNERS.values(), ids=CORNERS.keys())
def test_table_names_in_corners(marked: str) -> None:
    assert found(marked) == tables(marked)


@pytest.mark.parametrize("marked", NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_what_is_not_found(marked: str) -> None:
    assert "src" not in found(marked)


def test_what_is_told_of_a_place() -> None:
    tokens = DBT("_tokens", "table Db . `T` union all select * from x Y")
    assert DBT("_table_names", tokens) == [
        place(7, ["db", "t"], after="union", table_at=4),
        place(25, ["x"], after="y"),
    ]


def place(at: int, parts: list[str], **more: Any) -> dict[str, Any]:
    """As a macro gives it."""
    plain = {"version": None, "end": at, "after": "", "table_at": None, "cte": None}
    return {"at": at, "parts": parts, **plain, **more}


def test_what_is_told_of_a_version() -> None:
    tokens = DBT("_tokens", "select * from a version as of 5 b, c Version As Of 12")
    assert DBT("_table_names", tokens) == [
        place(13, ["a"], version=5, end=25, after="b"),
        place(34, ["c"], version=12, end=46),
    ]
    assert (tokens[25], tokens[46]) == ("5", "12")


# Which sources are bound: those whose places in the text are those in the plan.


SRC, LOG, V = "spark_catalog.db.src", "spark_catalog.db.log", "spark_catalog.db.v"


def bindings(
    sql: str, *places: str, text: str = "select id from src", **made: str
) -> dict[str, Any]:
    engine = Engine()
    engine.tables.update({SRC: delta(1), LOG: delta(1)})
    engine.plan = "== Analyzed Logical Plan ==\nid: int\nProject [cast(v#1 as int) AS id#2]\n"
    settings = {key.replace("_", "."): value for key, value in made.items()}
    engine.tables[V] = View(text, [("id", "int")], "spark_catalog.db", made=settings)
    names = list(dict.fromkeys(places))
    reads = {
        "tables": [name for name in names if name != V],
        "views": [name for name in names if name == V],
        "occurrences": places,
        "other": [],
    }
    found: dict[str, Any] = Dbt(engine)("_bindings", sql, reads, "spark_catalog.default")
    return found


def test_all_is_bound() -> None:
    bound = bindings("select * from db.src, db.src, db.v", SRC, SRC, V, SRC)
    assert bound["unbound"] == []
    assert bound["bindings"][SRC] == {"kind": "table", "version": None}
    assert bound["bindings"][V]["kind"] == "view"
    assert "select id from `spark_catalog`.`db`.`src`" in bound["sql"]


@pytest.mark.parametrize(
    ("sql", "unbound"),
    [
        ("select * from db.src, identifier('db.src'), db.log", [SRC]),
        ("select * from db.src, db.src, db.src, db.log", [SRC]),
        ("select * from db.src, db.src, identifier('db.log')", [LOG]),
        ("select * from db.src timestamp as of 2, db.src, db.log", [SRC]),
        ("select * from db.src for version as of 2, db.src, db.log", [SRC]),
    ],
)
def test_a_place_too_few_or_too_many(sql: str, unbound: list[str]) -> None:
    assert bindings(sql, SRC, SRC, LOG)["unbound"] == unbound


@pytest.mark.parametrize(
    "sql",
    [
        "select * from db.v tablesample (1 rows), db.log",
        "select db.v.id from db.v, db.log",
        "select * from db.v, identifier('db.log')",
    ],
)
def test_one_place_that_is_missed_leaves_all_views_as_they_are(sql: str) -> None:
    bound = bindings(sql, V, SRC, LOG)
    assert bound["sql"] == sql
    assert V not in bound["bindings"] and {SRC, V} <= set(bound["unbound"])


def test_a_name_that_is_missed_in_a_view_is_not_taken_out_of_its_schema() -> None:
    """`src` means db.src in the view, and another table in the query."""
    sql = "select * from db.v, db.log"
    bound = bindings(sql, V, SRC, SRC, LOG, text="select * from src for version as of 1 join src")
    assert bound["sql"] == sql and bound["unbound"] == [SRC, V]


def test_a_view_that_is_read_by_settings_of_its_own_is_left_as_it_is() -> None:
    sql = "select * from db.src, db.v"
    bound = bindings(sql, SRC, V, LOG, ansi_enabled="true")
    assert bound["unbound"] == [LOG, V, "a view made with spark.sql.ansi.enabled = true"]
    assert bound["sql"] == sql
    assert bound["bindings"][SRC] == {"kind": "table", "version": None}


def test_what_has_no_name_is_never_bound() -> None:
    reads = {"tables": [], "views": [], "occurrences": [], "other": ["a file read by its path"]}
    bound = Dbt()("_bindings", "select * from csv.`/x`", reads, "spark_catalog.default")
    assert bound["unbound"] == ["a file read by its path"]


def test_a_table_that_is_none() -> None:
    """The name of a column may have line breaks, and read like a table's line of the plan."""
    engine = Engine()
    engine.tables[SRC] = delta(1)
    phantom = "spark_catalog.x.t"
    reads = {"tables": [SRC, phantom], "views": [], "occurrences": [SRC, phantom], "other": []}
    bound = Dbt(engine)("_bindings", "select * from db.src", reads, "spark_catalog.default")
    assert (reads["tables"], reads["occurrences"]) == ([SRC], [SRC])
    assert bound["unbound"] == ["a text that reads like a plan"]
    assert phantom not in bound["bindings"]
