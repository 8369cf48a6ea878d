"""Step stage."""

from __future__ import annotations

from collections.abc import Callable

from ..harness import Dbt
from ..parsing import parse

JOB = {
    "id": "j1",
    "dry_run": False,
    "staged": True,
    "query": "with c as (select 1 as a) select a, 'x\ny' as b from c",
    "columns": [{"name": "a", "expression": "`a`"}, {"name": "b", "expression": "null"}],
}


def test_stage(golden: Callable[[str, str], None]) -> None:
    dbt = Dbt()
    dbt("_stage", {}, JOB)
    golden("stage", dbt.engine.sql("stage"))
    assert JOB["query"] in dbt.engine.sql("stage")


def test_only_where_planned() -> None:
    dbt = Dbt()
    dbt("_stage", {}, {**JOB, "staged": False})
    assert dbt.engine.log == []


def test_select_list() -> None:
    assert Dbt()("_select_list", JOB["columns"]) == "`a`, null as `b`"
    assert parse("select " + Dbt()("_select_list", [{"name": "x`y", "expression": "`x``y`"}]))
