"""The statements that write mlog_purge_hist."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.harness import Dbt
from ...kit.log_scenes import a_purge
from ...kit.parsing import parse

LOG = {"mlog_id": "c.s.l"}


def test_golden(golden: Callable[[str, str], None]) -> None:
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
