"""The rows of mview_refresh_info."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ..engine import Engine, micros
from ..harness import Dbt
from ..lexer import skeleton, strings
from ..nasty import NASTY
from ..parsing import parse


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
    assert (states["a"]["spec"], states["a"]["sources"]) == ({"x": 1}, [{"version": 2}])
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


def test_read_states(golden: Callable[[str, str], None]) -> None:
    sql = Dbt()("_read_states_sql", ["a", "b"]).strip()
    golden("read_states", sql)
    assert parse(sql)
    assert "where" not in Dbt()("_read_states_sql", None)


@pytest.mark.parametrize("text", NASTY)
def test_no_id_changes_the_query(text: str) -> None:
    sql = Dbt()("_read_states_sql", [text])
    assert skeleton(sql) == skeleton(Dbt()("_read_states_sql", ["a"]))
    assert strings(sql)[-1] == text


def test_a_row_that_is_not_there() -> None:
    assert Dbt()("_read_state", "x") is None


def test_sources_to_json() -> None:
    assert parse("select " + Dbt()("_sources_to_json_sql", "sources"))
