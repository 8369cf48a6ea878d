"""The rows of mview_refresh_info."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Engine, micros
from ...kit.harness import Dbt


def test_rows() -> None:
    engine = Engine()
    engine.state(
        "a", spec={"x": 1}, sources=[{"version": 2}], lock_token="7", target_version="3",
        lease_until=micros(0), last_refresh_time=5,
    )  # fmt: skip
    engine.state("b", lease_until=micros(9999))
    states = Dbt(engine)("_read_states")
    assert list(states) == ["a", "b"]
    assert (states["a"]["lock_token"], states["a"]["target_version"]) == (7, 3)
    read = {"table_id": None, "version": 2, "commit_time": None}
    assert (states["a"]["spec"], states["a"]["sources"]) == ({"x": 1}, [read])
    assert states["a"]["lease_over"] is True and states["b"]["lease_over"] is False
    assert states["b"]["spec"] is None and states["b"]["lock_token"] is None


@pytest.mark.parametrize(
    ("value", "over"), [(True, True), ("true", True), (1, True), ("false", False)]
)
def test_booleans_of_all_connections(value: Any, over: bool) -> None:
    engine = Engine()
    engine.state("a")
    engine.lease_over = lambda row: value  # type: ignore[method-assign]
    assert Dbt(engine)("_read_state", "a")["lease_over"] is over


def test_a_row_that_is_not_there() -> None:
    assert Dbt()("_read_state", "x") is None


def test_no_rows_in_a_dry_run_without_state() -> None:
    dbt = Dbt()
    dbt("_memory")["without_state"] = True
    dbt.engine.state("a")
    assert dbt("_read_states") == {} and dbt.engine.log == []
