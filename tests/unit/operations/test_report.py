"""mview_report: what the page of a project is made of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dbt_mview.project_report import page_of, report_of

from ..kit.harness import Dbt, DbtError, Model
from ..kit.scenes import VIEW, built, new, with_feed


def told(dbt: Dbt, **args: Any) -> dict[str, Any]:
    """What it prints, on one line."""
    (line,) = dbt.operation("mview_report", **args)
    assert dbt.engine.writes == []
    found: dict[str, Any] = json.loads(line.removeprefix("report: "))
    return found


def test_views_state_and_history() -> None:
    dbt = with_feed(built())
    row = [VIEW, "1000", "3000", "complete", "success", "3", "first build", None]
    dbt.engine.history = [row]
    found = told(dbt, limit=7)
    (view,) = found["views"]
    assert (view["fast"], view["result"], view["type"]) == ("yes", "success", "complete")
    assert view["refreshed"] and view["as_of"] and view["version"] == 0
    assert found["history"] == [
        {"id": VIEW, "started": 1000, "ended": 3000, "method": "complete", "status": "success",
         "rows": 3, "reason": "first build", "failed": None}
    ]  # fmt: skip
    assert (found["project"], found["target"]) == ("shop", "dev")
    assert "where place <= 7" in dbt.engine.sql("read_history")
    assert "can be FAST" in page_of(report_of(dbt.printed))


def test_a_view_that_was_never_built() -> None:
    (view,) = told(new())["views"]
    assert (view["built"], view["result"], view["refreshed"], view["paused"]) == (
        False, None, None, False,
    )  # fmt: skip


def test_a_project_without_views_asks_for_no_history() -> None:
    dbt = Dbt(new().engine, Model(materialized="table"))
    assert told(dbt)["views"] == []
    assert "read_history" not in dbt.engine.steps


@pytest.mark.parametrize("limit", [0, "many"])
def test_a_limit_that_is_none(limit: Any) -> None:
    with pytest.raises(DbtError, match="mview_report: limit is"):
        told(new(), limit=limit)
