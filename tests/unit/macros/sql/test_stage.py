"""The stage: a result, or changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.harness import Dbt
from ...kit.jobs import SPEC, aggregate, append, keyed
from ...kit.parsing import parse, statements

DBT = Dbt()
RESULT = {
    "id": "j1",
    "query": "with c as (select 1 as a) select a, 'x\ny' as b from c",
    "columns": [
        {"name": "a", "type": "int", "expression": "`a`"},
        {"name": "b", "type": "string", "expression": "null"},
    ],
    "fast": None,
    "waits": False,
}


def test_result(golden: Callable[[str, str], None]) -> None:
    sql = DBT("_stage_sql", SPEC, RESULT)
    golden("stage", sql)
    assert RESULT["query"] in sql


def test_a_group_has_its_constraints_checked_there() -> None:
    spec = {**SPEC, "layout": {"constraints": {"few": "a < 5", "it's": "b > 0"}}}
    sql = DBT("_stage_sql", spec, {**RESULT, "waits": True})
    assert (
        "tblproperties ('delta.constraints.few' = 'a < 5', 'delta.constraints.it\\'s' = 'b > 0')"
    ) in sql
    assert "tblproperties" not in DBT("_stage_sql", spec, RESULT)
    assert "tblproperties" not in DBT("_stage_sql", spec, {**aggregate(), "waits": True})


@pytest.mark.parametrize("job", [aggregate, keyed, append])
def test_changes(job: Callable[[], object], golden: Callable[[str, str], None]) -> None:
    sql = DBT("_stage_sql", SPEC, job())
    golden(f"stage_{job.__name__}", sql)
    assert parse(sql)


def test_a_statement_whose_failure_is_an_answer() -> None:
    sql = DBT("_try_sql", "select 1 -- one")
    assert sql == (
        "begin\n    declare exit handler for sqlexception select 'failed' as outcome;\n    begin\n"
        "        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;\n"
        "        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES\n"
        "            select 'failed' as outcome;\nselect 1 -- one\n;\n"
        "        select 'done' as outcome;\n    end;\nend"
    )
    assert list(statements(sql)) == ["select 1 -- one", "select 'done' as outcome"]


def test_names_that_parquet_does_not_take() -> None:
    layout = {"constraints": {}, "tblproperties": {"delta.columnMapping.mode": "name", "a": "b"}}
    sql = DBT("_stage_sql", {**SPEC, "layout": layout}, RESULT)
    assert "tblproperties ('delta.columnMapping.mode' = 'name')" in sql
