"""Which statements record the ends of refreshes."""

from __future__ import annotations

import pytest

from ...kit.engine import outcome_rows
from ...kit.harness import Dbt
from ...kit.nasty import NASTY
from ...kit.rows import outcome

JOB = {"id": "j", "dry_run": False, "token": 4, "owner": "o'"}


def skipped(dbt: Dbt) -> object:
    return dbt("_outcome", "v", "j", "o", None, "success", "skip")


def test_history_first_then_info() -> None:
    dbt = Dbt()
    dbt("_write_outcomes", [outcome(dbt), skipped(dbt)], JOB)
    history, info = (one.sql for one in dbt.engine.log)
    assert "insert into `shop_mview`.`mview_refresh_hist`" in history
    assert "merge into `shop_mview`.`mview_refresh_info`" in info
    first = history.split("set tries = 100")[0]
    assert [row["mview_id"] for row in outcome_rows(first)] == ["plain"], "skips leave no history"
    first = info.split("set tries = 100")[0]
    assert [row["mview_id"] for row in outcome_rows(first)] == ["plain", "v"]


def test_skips_take_one_commit() -> None:
    dbt = Dbt()
    dbt("_write_outcomes", [skipped(dbt)] * 3, JOB)
    assert dbt.engine.steps == ["record"]


def test_nothing_to_write() -> None:
    dbt = Dbt()
    dbt("_write_outcomes", [], JOB)
    assert dbt.engine.log == []


@pytest.mark.parametrize("text", NASTY)
def test_delete_and_release_name_one_row(text: str) -> None:
    dbt = Dbt()
    row = f" where mview_id = {dbt('_literal', text)} and lock_token = 4"
    dbt("_delete_state", text, JOB)
    assert f"delete from `shop_mview`.`mview_refresh_info`{row};" in dbt.engine.sql("forget")
    dbt("_release", text, JOB)
    assert f"{row} and lock_owner = 'o\\'';" in dbt.engine.sql("release")
