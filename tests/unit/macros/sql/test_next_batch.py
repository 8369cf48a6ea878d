"""The statement that says what the next batch deletes."""

from __future__ import annotations

from collections.abc import Callable

from ...kit.harness import Dbt
from ...kit.log_scenes import a_purge
from ...kit.parsing import parse


def test_next_batch(golden: Callable[[str, str], None]) -> None:
    sql = Dbt()("_next_batch_sql", {"name": "`s`.`log`"}, a_purge(upto=2)).strip()
    golden("next_batch", sql)
    assert parse(sql)
