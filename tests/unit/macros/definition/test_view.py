"""A view as the catalog keeps it."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Engine, View
from ...kit.harness import Dbt


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
