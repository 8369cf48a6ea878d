"""The statements that take, keep and give back locks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.harness import Dbt, DbtError
from ..kit.lexer import has_variable, skeleton, strings
from ..kit.log_scenes import a_purge
from ..kit.nasty import NASTY
from ..kit.parsing import parse, statements
from ..kit.records import as_job

# The statement that takes the lock.


JOB = as_job(
    {
        "id": "job1",
        "owner": "run1",
        "state": None,
        "force": False,
        "holder": None,
        "target": {"kind": "missing"},
    }
)
HOLDER = {"job_id": "job0", "owner": "run0", "lock_time": 1, "intent": None, "published": None}


def acquire(seen: int = 0, text: str = "select 1", variables: Any = None, **changes: Any) -> str:
    dbt = Dbt(variables=variables)
    spec = dbt("_spec_from_model")
    spec["definition"] = text
    sql: str = dbt("_acquire_sql", spec, {**JOB, **changes}, seen)
    assert [parse(statement) for statement in statements(sql.strip())]
    return sql.strip()


def test_where_there_is_no_row(golden: Golden) -> None:
    golden("acquire_insert", acquire())


def test_where_there_is_a_row(golden: Golden) -> None:
    golden("acquire_update", acquire(5, state={"lock_token": 5}))


def test_by_force() -> None:
    sql = acquire(5, state={"lock_token": 5}, force=True)
    over = "coalesce(lease_until < current_timestamp(), true)"
    assert f"\n                lock_owner is null or {over} or true\n" in sql


@pytest.mark.parametrize("published", [None, {"version": 3}])
def test_from_a_holder_that_has_published(published: Any) -> None:
    sql = acquire(5, state={"lock_token": 5}, holder={**HOLDER, "published": published})
    assert ("or refresh_job_id = 'job0'" in sql) is (published is not None)
    assert '"holder": {"job_id": "job0"' in sql, "what is still to be recovered is not forgotten"
    assert "published" not in sql


def test_the_token_goes_up_by_one() -> None:
    sql = acquire(42, state={"lock_token": 41})
    assert "when lock_token = 41 and (" in sql and "lock_token = 42,\n" in sql


@pytest.mark.parametrize(("given", "seconds"), [(None, 3600), (60, 60), ("90", 90)])
def test_lease(given: Any, seconds: int) -> None:
    variables = {} if given is None else {"dbt_mview:lease_seconds": given}
    assert f"make_interval(0, 0, 0, 0, 0, 0, {seconds})" in acquire(variables=variables)


@pytest.mark.parametrize("given", ["an hour", 0, -5, "1); drop table x; --"])
def test_a_lease_that_is_none_is_refused(given: Any) -> None:
    with pytest.raises(DbtError, match="the var dbt_mview:lease_seconds: "):
        acquire(variables={"dbt_mview:lease_seconds": given})


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("state", [None, {"lock_token": 1}])
def test_no_definition_changes_the_statement(text: str, state: Any) -> None:
    sql = acquire(1, text=text, state=state)
    assert skeleton(sql) == skeleton(acquire(1, state=state))
    assert not has_variable(sql)
    assert any('"definition"' in value for value in strings(sql))


# The statements that take and keep the lock of a log.


LOG = {"mlog_id": "c.s.o'log"}


def test_acquire(golden: Golden) -> None:
    golden("acquire_log", Dbt()("_acquire_log_sql", LOG, a_purge(), 2).strip())


@pytest.mark.parametrize("macro", ["_acquire_log_sql", "_keep_lock_sql"])
def test_parses(macro: str) -> None:
    more: list[Any] = [2] if macro == "_acquire_log_sql" else []
    sql = Dbt()(macro, LOG, a_purge(owner="it's me"), *more).strip()
    assert [parse(statement) for statement in statements(sql)]
    assert "mlog_id = 'c.s.o\\'log'" in sql and "then 'it\\'s me'" in sql


def test_keep() -> None:
    sql = Dbt()("_keep_lock_sql", LOG, a_purge())
    assert "when lock_token = 3 and lock_owner = 'me' then 'me'" in sql
    assert "lock_token = 3,\n" in sql


# The lock of a log, whatever the condition.


def test_lock_log_lease() -> None:
    dbt = Dbt(variables={"dbt_mview:lease_seconds": 60})
    assert dbt("_lease_sql") == "make_interval(0, 0, 0, 0, 0, 0, 60)"
    sql = dbt("_lock_log_sql", {"mlog_id": "c.s.l"}, a_purge(), "1 = 1", 9)
    assert "current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 60)\n" in sql
    assert "when 1 = 1 then 'me'\n" in sql and "lock_token = 9,\n" in sql


# The statement that gives the lock of a log back.


def test_free(golden: Golden) -> None:
    golden("free_log", Dbt()("_free_log_sql", {"mlog_id": "c.s.l"}, a_purge(), True).strip())


@pytest.mark.parametrize("whole", [True, False])
def test_only_a_whole_purge_moves_the_checkpoint(whole: bool) -> None:
    sql = Dbt()("_free_log_sql", {"mlog_id": "c.s.l"}, a_purge(), whole).strip()
    assert parse(sql) and ("last_purged_version = 4" in sql) is whole
