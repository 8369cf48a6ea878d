"""Columns that a view can have."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError, Model


def columns(given: list[str], **config: Any) -> Any:
    dbt = Dbt(None, Model(config=config))
    dbt.engine.columns = [(name, "int") for name in given]
    spec = dbt("_spec_from_model")
    return dbt("_query_columns", spec, {"query": spec["definition"]})


def test_columns() -> None:
    assert columns(["a", "b`c", "ünï", "select"]) == [
        {"name": "a", "type": "int", "expression": "`a`"},
        {"name": "b`c", "type": "int", "expression": "`b``c`"},
        {"name": "ünï", "type": "int", "expression": "`ünï`"},
        {"name": "select", "type": "int", "expression": "`select`"},
    ]


def test_duplicates() -> None:
    with pytest.raises(DbtError, match=r"the query has two columns named 'A'\. Give each column"):
        columns(["a", "b", "A"])


@pytest.mark.parametrize("name", ["a b", "a,b", "a;b", "{a}", "(a)", "a\nb", "a\tb", "a=b"])
def test_names_that_delta_cannot_store(name: str) -> None:
    with pytest.raises(DbtError, match="Delta cannot store the column name"):
        columns([name])
    mapped = columns([name], tblproperties={"delta.columnMapping.mode": "name"})
    assert mapped[0]["name"] == name


def test_describe_query() -> None:
    dbt = Dbt()
    dbt("_describe_query", "select 1 -- x")
    assert dbt.engine.sql("read_describe_query").endswith("describe query\nselect 1 -- x")


def test_a_contract_orders_the_columns() -> None:
    model = Model(config={"contract": {"enforced": True}}, columns={"b": {}, "a": {}})
    dbt = Dbt(None, model)
    dbt.engine.columns = [("a", "int"), ("b", "int")]
    spec = dbt("_spec_from_model")
    found = dbt("_query_columns", spec, {"query": spec["definition"]})
    assert [column["name"] for column in found] == ["b", "a"]
