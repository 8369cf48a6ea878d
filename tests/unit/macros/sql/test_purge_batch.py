"""The statement of one batch."""

from __future__ import annotations

from collections.abc import Callable

from ...kit.harness import Dbt
from ...kit.log_scenes import a_purge
from ...kit.parsing import parse


def test_purge_batch(golden: Callable[[str, str], None]) -> None:
    sql = Dbt()("_purge_batch_sql", {"name": "`s`.`log`"}, a_purge(), 4).strip()
    golden("purge_batch", sql)
    assert parse(sql)
