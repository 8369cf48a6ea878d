"""What the catalog holds."""

from __future__ import annotations

import pytest

from ...kit.engine import Engine, delta
from ...kit.harness import Dbt
from ...kit.lexer import skeleton
from ...kit.nasty import NASTY


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
