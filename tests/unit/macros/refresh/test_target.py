"""What stands under the view's name."""

from __future__ import annotations

from typing import Any

import pytest

from ..engine import Delta, Engine, Foreign, View, delta
from ..harness import Dbt
from ..lexer import skeleton
from ..nasty import NASTY

SPEC = {"schema": "shop", "identifier": "v", "name": "`shop`.`v`"}


def kind(table: Any, name: str = "v") -> Any:
    engine = Engine()
    engine.schemas.add("shop")
    if table is not None:
        engine.tables[f"spark_catalog.shop.{name}"] = table
    return Dbt(engine)("_kind_of", "shop", "v")


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (None, "missing"),
        (delta(1), "delta"),
        (Foreign("parquet"), "parquet"),
        (Foreign("hive"), "hive"),
        (View("select 1", []), "view"),
    ],
)
def test_kinds(table: Any, found: str) -> None:
    assert kind(table) == found


def test_what_is_in_a_schema_that_is_gone_is_missing() -> None:
    """The engine refuses to list the tables of one."""
    dbt = Dbt()
    assert dbt("_kind_of", "shop", "v") == "missing" and dbt.engine.steps == ["read_schemas"]
    dbt.engine.schemas.add("shop")
    dbt.engine.tables["spark_catalog.shop.v"] = delta(1)
    assert [dbt("_kind_of", "shop", name) for name in "vw"] == ["delta", "missing"]
    assert dbt.engine.steps.count("read_schemas") == 2, "and asked for once"


def test_a_longer_name_is_another_table() -> None:
    assert kind(delta(1), name="v2") == "missing"


def test_a_comment_cannot_make_a_table_a_view() -> None:
    table = Delta([], comment="What it is:\nType: VIEW of the orders")
    assert kind(table) == "delta"


@pytest.mark.parametrize("text", NASTY)
def test_no_name_changes_the_statement(text: str) -> None:
    dbt = Dbt()
    dbt("_memory")["schemas"].extend(["shop", text.lower()])
    dbt("_kind_of", "shop", "plain")
    dbt.engine._read_catalog = dbt.engine._read_audit  # type: ignore[method-assign]
    dbt.engine.audit = ["s", "t", False, ""]  # type: ignore[list-item]
    dbt("_kind_of", text, text)
    assert skeleton(dbt.engine.sql("read_catalog", 1)) == skeleton(dbt.engine.sql("read_catalog"))


def test_target_with_its_newest_commits() -> None:
    engine = Engine()
    engine.schemas.add("shop")
    engine.tables["spark_catalog.shop.v"] = delta(*range(30))
    found = Dbt(engine)("_target", SPEC)
    assert (found["kind"], found["name"], len(found["history"])) == ("delta", "`shop`.`v`", 20)
    assert found["history"][0]["version"] == 29
    assert Dbt(Engine())("_target", SPEC) == {
        "kind": "missing",
        "name": "`shop`.`v`",
        "history": [],
    }


HISTORY = [
    {"version": 3, "operation": "OPTIMIZE", "meta": None},
    {"version": 2, "operation": "SET TBLPROPERTIES", "meta": None},
    {"version": 1, "operation": "WRITE", "meta": {"refresh_job_id": "j"}},
    {"version": 0, "operation": "WRITE", "meta": None},
]


def test_published() -> None:
    assert Dbt()("_published", {"history": HISTORY}, "j") == HISTORY[2]
    assert Dbt()("_published", {"history": HISTORY}, "k") is None
    assert Dbt()("_published", {"history": []}, "j") is None


def test_newest_data_commit() -> None:
    assert Dbt()("_newest_data_commit", {"history": HISTORY}) == HISTORY[2]
    assert Dbt()("_newest_data_commit", {"history": HISTORY[:2]}) is None
