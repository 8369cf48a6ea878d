"""The statement that gives the lock of a log back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.harness import Dbt
from ...kit.log_scenes import a_purge
from ...kit.parsing import parse


def test_free(golden: Callable[[str, str], None]) -> None:
    golden("free_log", Dbt()("_free_log_sql", {"mlog_id": "c.s.l"}, a_purge(), True).strip())


@pytest.mark.parametrize("whole", [True, False])
def test_only_a_whole_purge_moves_the_checkpoint(whole: bool) -> None:
    sql = Dbt()("_free_log_sql", {"mlog_id": "c.s.l"}, a_purge(), whole).strip()
    assert parse(sql) and ("last_purged_version = 4" in sql) is whole
