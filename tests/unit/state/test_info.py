"""The rows of views and logs: read, and restored."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import Engine, micros, outcome_rows
from ..kit.harness import Dbt, DbtError
from ..kit.lexer import skeleton, strings
from ..kit.log_engine import LogEngine
from ..kit.log_scenes import LOG, log_engine, logged
from ..kit.nasty import NASTY
from ..kit.parsing import parse
from ..kit.records import as_job

# A row of state, from whatever connection.


COLUMNS = ["owner", "token", "lease_over"]


@pytest.mark.parametrize(
    ("values", "token", "over"),
    [
        (["me", "7", True], 7, True),
        (["me", 7, "true"], 7, True),
        (["me", None, 1], None, True),
        (["me", 0, "false"], 0, False),
        (["me", 0, None], 0, False),
    ],
)
def test_row(values: list[Any], token: int | None, over: bool) -> None:
    row = Dbt()("_state_row", values, COLUMNS, ["token"])
    assert row == {"owner": "me", "token": token, "lease_over": over}
    assert row["lease_over"] is over


# The query for rows of mview_refresh_info.


def test_read_states(golden: Golden) -> None:
    sql = Dbt()("_read_states_sql", ["a", "b"]).strip()
    golden("read_states", sql)
    assert parse(sql)
    assert "where" not in Dbt()("_read_states_sql", None)


@pytest.mark.parametrize("text", NASTY)
def test_no_id_changes_the_query(text: str) -> None:
    sql = Dbt()("_read_states_sql", [text])
    assert skeleton(sql) == skeleton(Dbt()("_read_states_sql", ["a"]))
    assert strings(sql)[-1] == text


def test_sources_to_json() -> None:
    assert parse("select " + Dbt()("_sources_to_json_sql", "sources"))


# The rows of mview_refresh_info.


def test_rows() -> None:
    engine = Engine()
    engine.state(
        "a", spec={"x": 1}, sources=[{"version": 2}], lock_token="7", target_version="3",
        lease_until=micros(0), last_refresh_time=5,
    )  # fmt: skip
    engine.state("b", lease_until=micros(9999), lock_token=None)
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


# The row of a log.


def test_read() -> None:
    dbt = logged(1)
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "o", "lock_token": 2, "lease_until": 1}
    row = dbt("_read_log_row", LOG)
    assert (row["lock_owner"], row["lock_token"], row["lease_over"]) == ("o", 2, True)
    assert row["last_purged_version"] is None and row["base"].endswith(".orders")


def test_never_locked() -> None:
    row = logged(1)("_read_log_row", LOG)
    assert (row["lock_token"], row["lock_owner"], row["lease_over"]) == (0, None, True)


def test_none() -> None:
    dbt = logged(1)
    with pytest.raises(DbtError, match=r"mlog purge lock row does not exist for c\.s\.l"):
        dbt("_read_log_row", "c.s.l")
    assert parse(dbt("_read_log_row_sql", "c.s.l"))


# The logs that state knows.


def known(**logs: str) -> Dbt:
    engine = LogEngine()
    engine.built_state()
    engine.logs = logs
    return Dbt(engine)


def test_logs() -> None:
    dbt = known(b="t", a="t", c="it's")
    assert dbt("_logs_of") == ["a", "b", "c"]
    assert dbt("_logs_of", "t") == ["a", "b"]
    assert dbt("_logs_of", "it's") == ["c"]
    assert dbt("_logs_of", "u") == []


def test_a_project_without_logs() -> None:
    dbt = known()
    del dbt.engine.state_tables["mlog_purge_info"]
    assert dbt("_logs_of", "t") == []
    assert dbt.engine.steps == ["read_tables"]


def register(dbt: Dbt, mlog_id: str, base: str) -> None:
    dbt("_register_log", {"mlog_id": mlog_id, "base": base}, as_job({"id": "j", "dry_run": False}))


def test_registered_once() -> None:
    dbt = known()
    register(dbt, "c.s.log", "c.s.t")
    register(dbt, "c.s.log", "c.s.t")
    assert dbt.engine.steps.count("register_log") == 1
    register(dbt, "c.s.log", "c.s.u")
    assert dbt.engine.logs == {"c.s.log": "c.s.u"}, "of another base now"


def test_register_log(golden: Golden) -> None:
    sql = Dbt()("_register_log_sql", {"mlog_id": "c.s.log", "base": "c.s.it's"})
    golden("register_log", sql)
    assert parse(sql)
    assert "and t.mlog_id = 'c.s.log'" in sql, "so that only that partition is read"


@pytest.mark.parametrize("text", NASTY)
def test_no_text_changes_the_statement(text: str) -> None:
    dbt = Dbt()
    plain = dbt("_register_log_sql", {"mlog_id": "m", "base": "b"})
    assert skeleton(dbt("_register_log_sql", {"mlog_id": text, "base": text})) == skeleton(plain)


# Sources of which nothing was read yet.


def test_named() -> None:
    found = Dbt()("_named_sources", ["c.s.a"])
    assert found == [{"relation": "c.s.a", "table_id": None, "version": None, "commit_time": None}]
    assert Dbt()("_named_sources", []) is None and Dbt()("_named_sources", None) is None


# The row of a view, restored from the view's own history.


def test_restore_row(golden: Golden) -> None:
    dbt = Dbt()
    meta = {
        "refresh_job_id": "j", "lock_token": 4, "method": "complete", "read_time": 5,
        "definition_hash": "h", "sources": [{"relation": "c.s.t", "version": 1}],
    }  # fmt: skip
    commit = {"version": 9, "commit_time": 6, "meta": meta}
    sql = dbt("_restore_row_sql", {"mview_id": "c.s.v'"}, commit).strip()
    golden("restore_row", sql)
    assert parse(sql)
    (row,) = outcome_rows(sql)
    assert (row["mview_id"], row["token"], row["target_version"]) == ("c.s.v'", 4, 9)
    assert row["definition"] is None and row["sources"] == meta["sources"]
