"""mview_drop."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.harness import DbtError
from ...kit.scenes import VIEW, built, lock, new, transcript


def test_drop(golden: Callable[[str, str], None]) -> None:
    dbt = built()
    assert dbt.operation("mview_drop", view="totals") == [f"{VIEW}: dropped"]
    golden("operation_drop", transcript(dbt, "mview_drop: the lock, the table, its row"))
    assert VIEW not in dbt.engine.tables and VIEW not in dbt.engine.states


def test_dry_run() -> None:
    dbt = built()
    printed = dbt.operation("mview_drop", view="totals", dry_run=True)
    assert [line.split("step=")[1].split()[0] for line in printed] == ["acquire", "drop", "forget"]
    assert VIEW in dbt.engine.tables and VIEW in dbt.engine.states


def test_busy() -> None:
    dbt = built()
    lock(dbt)
    with pytest.raises(DbtError, match="is refreshing"):
        dbt.operation("mview_drop", view="totals")


def test_unknown_to_state() -> None:
    with pytest.raises(DbtError, match="state does not know it as a materialized view"):
        new().operation("mview_drop", view="totals")
