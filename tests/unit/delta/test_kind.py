"""What stands under a name: a table, a view, nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Engine, View, delta
from ..kit.harness import Dbt
from ..kit.lexer import skeleton
from ..kit.nasty import NASTY

# What stands under a name in any catalog.


def test_other_catalogs_are_asked_whether_it_can_be_read() -> None:
    dbt = Dbt()
    assert dbt("_kind_at", "spark_catalog.shop.orders") == "missing"
    assert "read_is_there" not in dbt.engine.steps
    assert dbt("_kind_at", "lake.shop.orders") == "missing"
    dbt.engine.tables["lake.shop.orders"] = delta(1)
    assert dbt("_kind_at", "lake.shop.orders") == "delta"
    assert "select 1 from `lake`.`shop`.`orders` where false" in dbt.engine.sql("read_is_there")


# What the catalog holds.


@pytest.mark.parametrize(
    ("there", "schema", "found"),
    [
        ("shop_mview", "shop_mview", True),
        ("shop_mview", "Shop_Mview", True),
        ("shop_mview2", "shop_mview", False),
        ("my-state", "my-state", True),
        ("my`state", "my`state", True),
        ("my_state", "my-state", False),
        ("state", "*", False),
    ],
)
def test_has_schema(there: str, schema: str, found: bool) -> None:
    engine = Engine()
    engine.schemas.add(there)
    assert Dbt(engine)("_has_schema", schema) is found


def test_has_schema_of_another_catalog() -> None:
    engine = Engine()
    engine.schemas.add("shop")
    assert Dbt(engine)("_has_schema", "shop", "main") is False
    engine.tables["main.shop.orders"] = delta(1)
    assert Dbt(engine)("_has_schema", "shop", "main") is True
    assert engine.sql("read_schemas").endswith("show schemas in `main` like 'shop'")


@pytest.mark.parametrize("text", NASTY)
def test_no_schema_changes_the_statement(text: str) -> None:
    dbt = Dbt()
    dbt("_has_schema", text, text or "plain")
    dbt("_has_schema", "plain", "plain")
    nasty, plain = (one.sql for one in dbt.engine.log)
    assert skeleton(nasty) == skeleton(plain)


def test_tables_like() -> None:
    engine = Engine()
    engine.state_tables = {"Mview_Stage_a": {}, "other": {}}
    assert Dbt(engine)("_tables_like", "s", "M*") == ["mview_stage_a"]
    assert engine.sql("read_tables").endswith("show tables in `s` like 'M*'")


def test_a_schema_that_was_missing_has_no_tables() -> None:
    dbt = Dbt()
    dbt("_memory")["new_schemas"].append("s")
    assert dbt("_tables_like", "s", "*") == [] and dbt.engine.log == []


# A view as the catalog keeps it.


def read(view: View) -> Any:
    engine = Engine()
    engine.tables["spark_catalog.shop.v"] = view
    return Dbt(engine)("_view", "spark_catalog.shop.v")


def test_view() -> None:
    found = read(
        View(
            "select a, B\nfrom src ; -- end", [("x", "int"), ("y", "string")], "cat.Db", ["a", "B"]
        )
    )
    assert found == {
        "kind": "view",
        "text": "select a, B\nfrom src",
        "namespace": "cat.db",
        "columns": [
            {"name": "x", "type": "int", "source": "a"},
            {"name": "y", "type": "string", "source": "B"},
        ],
    }


def test_names_of_columns_with_backticks() -> None:
    found = read(View("select 1", [("a`b", "int"), ("c,d", "int")]))
    assert [column["source"] for column in found["columns"]] == ["a`b", "c,d"]


def test_names_of_columns_that_begin_with_a_hash() -> None:
    found = read(View("select 1 as `#n`, 2 as m", [("#n", "int"), ("m", "int")]))
    assert [column["name"] for column in found["columns"]] == ["#n", "m"]


@pytest.mark.parametrize(
    "view",
    [
        View("", [("x", "int")]),
        View("select * from t", [("x", "int")], facts={"View Schema Mode": "TYPE EVOLUTION"}),
        View("select 1 as a, 2 as A", [("x", "int"), ("y", "int")], sources=["a", "A"]),
        View("select 1 as a", [("x", "int"), ("y", "int")], sources=["a"]),
    ],
    ids=["no text", "follows its tables", "two columns of one name", "columns unknown"],
)
def test_a_view_that_its_text_does_not_describe(view: View) -> None:
    assert read(view) is None


def test_a_view_that_casts_to_its_own_types() -> None:
    view = View("select a from t", [("a", "int")], facts={"View Schema Mode": "COMPENSATION"})
    assert read(view)["columns"] == [{"name": "a", "type": "int", "source": "a"}]


@pytest.mark.parametrize(
    ("name", "quoted"),
    [("a.b.c", "`a`.`b`.`c`"), ("c", "`c`"), ("a.b`c", "`a`.`b``c`")],
)
def test_quoted_name(name: str, quoted: str) -> None:
    assert Dbt()("_quoted_name", name) == quoted


# Views that were made with other settings than the session has.


V = "spark_catalog.db.v"


@pytest.mark.parametrize(
    ("made", "ansi", "setting"),
    [
        ({}, False, None),
        ({"ansi.enabled": "false", "session.timeZone": "UTC"}, False, None),
        ({"ansi.enabled": "TRUE"}, True, None),
        ({"ansi.enabled": "true"}, False, "spark.sql.ansi.enabled = true"),
        ({"ansi.enabled": "false"}, True, "spark.sql.ansi.enabled = false"),
        ({"session.timeZone": "Etc/UTC"}, False, None),
        (
            {"session.timeZone": "Europe/Berlin"},
            False,
            "spark.sql.session.timeZone = Europe/Berlin",
        ),
    ],
)
def test_made_with_another(made: dict[str, str], ansi: bool, setting: str | None) -> None:
    engine = Engine()
    engine.ansi = ansi
    engine.tables[V] = View("select 1 as id", [("id", "int")], made=made)
    engine.plan = "== Analyzed Logical Plan ==\nid: int\nProject [(a#1 + 1) AS id#2]\n"
    assert Dbt(engine)("_made_with_another", V) == setting


# Views that mean the same with and without ANSI mode.


def plan(*nodes: str) -> str:
    """A view over these, as Spark explains it: with a conversion to its own types."""
    own = ["View (`spark_catalog`.`db`.`v`, [id#1L])", "Project [cast(id#2L as bigint) AS id#1L]"]
    relation = "Relation spark_catalog.db.src[id#2L,v#3,d#4,a#5] parquet"
    lines = ["Project [id#1L]", *own, *nodes, relation]
    tree = "\n".join(f"{'   ' * depth}+- {line}" for depth, line in enumerate(lines))
    return f"== Analyzed Logical Plan ==\nid: bigint\n{tree}\n== Optimized Logical Plan ==\n"


@pytest.mark.parametrize(
    ("node", "plain"),
    [
        ("Project [id#2L]", True),
        ("Filter (((id#2L > cast(0 as bigint)) AND v#3 LIKE a%) AND id#2L IN (1,2,3))", True),
        ("Filter (d#4 > cast(cast(-1 as decimal(1,0)) as decimal(10,2)))", True),
        ("Filter (between(id#2L, 1, 5) AND NOT isnull(v#3))", True),
        ("Project [CASE WHEN (id#2L = 1) THEN a ELSE upper(v#3) END AS c#6, -1 AS n#7]", True),
        ("Aggregate [v#3], [v#3, count(1) AS n#6L, max(id#2L) AS m#7L]", True),
        ("View (`spark_catalog`.`db`.`w`, [id#6])\n  +- Project [cast(id#7 as int) AS x]", True),
        ("Project [(id#2L + 1) AS i#6]", False),
        ("Project [(id#2L div 2) AS i#6]", False),
        ("Project [-id#2L AS i#6]", False),
        ("Project [a#5[0] AS i#6]", False),
        ("Filter (cast(v#3 as bigint) = cast(5 as bigint))", False),
        ("Project [cast(id#2L as int) AS i#6]", False),
        ("Aggregate [v#3], [v#3, sum(id#2L) AS n#6L]", False),
        ("Project [to_date(v#3, None, Some(UTC), false) AS c#6]", False),
        ("Project [v#3, ... 3 more fields]", False),
    ],
)
def test_a_view_that_means_the_same_in_any_mode(node: str, plain: bool) -> None:
    engine = Engine()
    engine.tables[V] = View("select 1 as id", [("id", "bigint")], made={"ansi.enabled": "true"})
    engine.plan = plan(node)
    setting = None if plain else "spark.sql.ansi.enabled = true"
    assert Dbt(engine)("_made_with_another", V) == setting
