"""A view as the catalog keeps it."""

from __future__ import annotations

from typing import Any

import pytest

from ..engine import Engine, View
from ..harness import Dbt


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


@pytest.mark.xfail(reason="a '#' is taken for the end of the columns")
def test_names_of_columns_that_begin_with_a_hash() -> None:
    found = read(View("select 1 as `#n`, 2 as m", [("#n", "int"), ("m", "int")]))
    assert [column["name"] for column in found["columns"]] == ["#n", "m"]


@pytest.mark.parametrize(
    ("name", "quoted"),
    [("a.b.c", "`a`.`b`.`c`"), ("c", "`c`"), ("a.b`c", "`a`.`b``c`")],
)
def test_quoted_name(name: str, quoted: str) -> None:
    assert Dbt()("_quoted_name", name) == quoted
