"""Comments of the table and of its columns."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Delta, Table
from ...kit.harness import Dbt, Model
from ...kit.lexer import skeleton, strings
from ...kit.nasty import NASTY

NAME = "spark_catalog.shop.totals"


def docs(text: str, present: Any = None, publish: str = "insert", **persist: bool) -> Dbt:
    columns = {"a": {"description": text}, "B": {"description": "same"}, "c": {"description": "x"}}
    model = Model(description=text, columns=columns, config={"persist_docs": persist})
    dbt = Dbt(None, model)
    dbt.engine.tables[NAME] = Delta([])
    rows = present or [["A", "int", None], ["b", "int", "same"], ["d", "int", None]]
    answer = Table(rows)
    dbt.engine._read_describe_query = lambda sql: answer  # type: ignore[method-assign]
    spec = dbt("_spec_from_model")
    state = {"spec": {"description": "before"}}
    dbt("_persist_docs", spec, {"id": "j", "dry_run": False, "publish": publish, "state": state})
    return dbt


def statements(dbt: Dbt) -> list[str]:
    return [one.sql.split("\n", 1)[1] for one in dbt.engine.writes]


def test_off() -> None:
    assert docs("text").engine.log == []


def test_relation() -> None:
    assert statements(docs("it's", relation=True)) == [
        "comment on table `shop`.`totals` is 'it\\'s'"
    ]
    assert statements(docs("before", relation=True)) == [], "only what differs"
    assert statements(docs("x", publish="replace", relation=True)) == [], "said by the publish"


def test_columns_that_differ_in_one_commit() -> None:
    assert statements(docs("it's", columns=True)) == [
        "alter table `shop`.`totals` alter column `a` comment 'it\\'s'"
    ]
    two = [["a", "int", None], ["b", "int", "x"]]
    assert statements(docs("n", two, columns=True)) == [
        "alter table `shop`.`totals` alter column `a` comment 'n', `B` comment 'same'"
    ]
    same = [["a", "int", "n"], ["b", "int", "same"]]
    assert statements(docs("n", same, columns=True)) == []


@pytest.mark.parametrize("text", [text for text in NASTY if text])
def test_no_description_changes_the_statements(text: str) -> None:
    plain = docs("plain", relation=True, columns=True)
    nasty = docs(text, relation=True, columns=True)
    for one, two in zip(statements(plain), statements(nasty), strict=True):
        assert skeleton(one) == skeleton(two)
        assert strings(two) == [text]
