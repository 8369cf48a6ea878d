"""The rows of history, each at most once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.harness import Dbt
from ..kit.lexer import has_variable
from ..kit.log_scenes import a_purge
from ..kit.nasty import NASTY
from ..kit.parsing import parse
from ..kit.rows import outcome

# History rows, each at most once.


def test_insert_history(golden: Golden) -> None:
    dbt = Dbt()
    rows = [
        outcome(dbt),
        dbt("_outcome", "v2", "j2", "o", None, "failed", None, failed_reason="no"),
    ]
    sql = dbt("_insert_history_sql", rows).strip()
    golden("insert_history", sql)
    assert parse(sql)
    assert "where mview_id in ('plain', 'v2')" in sql, "literals, so that only their files are read"


# The last rows of mview_refresh_hist.


def test_read_history(golden: Golden) -> None:
    sql = Dbt()("_read_history_sql", ["a'b"], 5).strip()
    golden("read_history", sql)
    assert parse(sql)
    assert "where" not in Dbt()("_read_history_sql", None, 5)


@pytest.mark.parametrize(
    ("limit", "end"), [(5, "limit 5"), ("7", "limit 7"), ("1; drop", "limit 0")]
)
def test_limit(limit: Any, end: str) -> None:
    assert Dbt()("_read_history_sql", None, limit).strip().endswith(end)


def test_rows() -> None:
    dbt = Dbt()
    dbt.engine.history = [[1, 2]]
    assert [list(row) for row in dbt("_read_history", None, 1).rows] == [[1, 2]]


# The statements that write mlog_purge_hist.


LOG = {"mlog_id": "c.s.l"}


def test_golden(golden: Golden) -> None:
    dbt, job = Dbt(), a_purge()
    texts = [
        dbt("_insert_purge_sql", LOG, job, "running", None),
        dbt("_end_purge_sql", LOG, job, "it's over"),
        dbt("_end_dead_purges_sql", LOG),
    ]
    golden("purge_hist", "\n;\n".join(text.strip() for text in texts))
    assert all(parse(text.strip()) for text in texts)


@pytest.mark.parametrize(("reason", "status"), [(None, "success"), ("x", "failed")])
def test_status(reason: str | None, status: str) -> None:
    assert f"purge_status = '{status}'" in Dbt()("_end_purge_sql", LOG, a_purge(), reason)


def test_an_end_at_once() -> None:
    sql = Dbt()("_insert_purge_sql", LOG, a_purge(), "success", None)
    assert "cast(null as timestamp)" not in sql and "'success'" in sql


# Which refreshes and purges are in history.


def test_nothing_is_asked_of_no_views() -> None:
    dbt = Dbt()
    assert dbt("_recorded_refreshes", [], {"c.s.l": "j"}) == {} and dbt.engine.log == []


def test_when_they_ended() -> None:
    dbt = Dbt()
    dbt.engine.noted = {"j1": 5, "j3": 6}
    assert dbt("_recorded_refreshes", ["a", "b"], {"a": "j1", "b": "j2"}) == {"j1": 5}
    assert dbt("_recorded_purges", ["a", "b"], {"a": "j1", "b": "j3"}) == ["j1", "j3"]


@pytest.mark.parametrize("text", NASTY)
def test_names(text: str) -> None:
    dbt = Dbt()
    literal = dbt("_literal", text)
    for sql in (
        dbt("_recorded_sql", "t", "k", "j", "e", [text], {text: "x"}),
        dbt("_charge_log_sql", text),
    ):
        assert literal in sql and not has_variable(sql) and parse(sql.strip())
