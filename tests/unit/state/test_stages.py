"""Stages by the ids of their jobs; keeping state small."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import delta
from ..kit.harness import Dbt
from ..kit.parsing import parse
from ..kit.records import as_job

# Stages, by the ids of their jobs.


JOB = "0123456789abcdef0123456789abcdef"


def test_a_job_id_from_state_is_quoted() -> None:
    assert Dbt()("_stage_name", "x`; drop") == "`shop_mview`.`mview_stage_x``; drop`"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (f"mview_stage_{JOB}", [JOB]),
        ("mview_stage_of_ann", []),
        ("mview_stage_", []),
        (f"mview_stage_{JOB}0", []),
        (f"mview_stage_{JOB[1:]}", []),
        (f"mview_stage_x_{JOB}", []),
        (f"mview_stage_{'g' * 32}", []),
        (f"mview_stages_{JOB}", []),
    ],
)
def test_exact_names_only(name: str, found: list[str]) -> None:
    dbt = Dbt()
    dbt.engine.tables[f"spark_catalog.shop_mview.{name}"] = delta(1)
    assert dbt("_stages") == found


def test_in_a_schema_of_several_states() -> None:
    """The locks of one state say nothing of the stages of another."""
    shared = {"dbt_mview:stage_schema": "scratch"}
    mine, other = (
        Dbt(variables=shared | {"dbt_mview:state_schema": name}) for name in ("dev", "prod")
    )
    for dbt in (mine, other):
        stage = dbt("_stage_name", JOB).replace("`", "")
        mine.engine.tables[f"spark_catalog.{stage}"] = delta(1)
    assert len(mine.engine.tables) == 2 and mine("_stages") == [JOB]
    assert mine("_stages", [f"mview_stage_{JOB}"]) == [JOB], "listed where they are"
    assert mine.engine.steps == ["read_tables"] * 2


def test_what_was_listed_is_not_listed_again() -> None:
    dbt = Dbt()
    assert dbt("_stages", ["mview_refresh_info", f"mview_stage_{JOB}"]) == [JOB]
    assert dbt("_stages", []) == [] and dbt.engine.log == []


DECIDED = {"redo": {"publish": "insert"}}


@pytest.mark.parametrize(
    ("state", "lost", "needed"),
    [
        ({"lock_owner": None}, False, []),
        ({}, False, ["j"]),
        ({}, True, ["j"]),
        ({"lease_over": True}, False, ["j"]),
        ({"lease_over": True}, True, []),
        ({"lease_over": True, "intent": DECIDED}, True, ["j"]),
        ({"intent": {"holder": {"job_id": "i", "intent": DECIDED}}}, True, ["j", "i"]),
        ({"intent": {"holder": {"job_id": "i", "intent": {}}}}, True, ["j"]),
    ],
)
def test_stages_that_a_row_needs(state: Any, lost: bool, needed: list[str]) -> None:
    row = {"lock_owner": "x", "refresh_job_id": "j", "lease_over": False, "intent": None, **state}
    assert sorted(set(Dbt()("_stages_needed", row, lost))) == sorted(needed)


def test_what_is_dropped_is_left_no_more() -> None:
    dbt = Dbt()
    dbt.engine.built_state()
    dbt.engine.tables[f"spark_catalog.shop_mview.mview_stage_{JOB}"] = delta(1)
    dbt("_ensure_state")
    assert dbt("_memory")["stages"] == [JOB]
    dbt("_drop_stage", "recover", JOB, as_job({"id": "x", "dry_run": False}))
    assert dbt("_memory")["stages"] == []


# Keeping state and logs small.


def test_maintain(golden: Golden) -> None:
    statements = Dbt()("_maintain_sql", 30, ["c.s.log"])
    golden("maintain", "\n;\n".join(statements) + "\n;")
    deleted = [re.findall("delete from [^;]+", one) for one in statements]
    assert sum(len(found) for found in deleted) == 2 * 3
    assert all(parse(sql) for found in deleted for sql in found)


def test_without_tables_of_logs() -> None:
    statements = Dbt()("_maintain_sql", 30, None)
    assert len(statements) == 5 and not any("mlog" in one for one in statements)
    assert len(Dbt()("_maintain_sql", 30, [])) == 10
