"""A log and its base must be there."""

from __future__ import annotations

import pytest

from ...kit.engine import delta
from ...kit.harness import DbtError
from ...kit.log_scenes import LOG, a_log, logged
from ...kit.scenes import SOURCE


def test_there() -> None:
    dbt = logged(1)
    found = dbt("_log_to_purge", LOG)
    assert found["mlog_id"] == LOG and found["coverage"] == a_log(dbt)["coverage"]


def test_gone() -> None:
    dbt = logged(1)
    del dbt.engine.tables[LOG]
    with pytest.raises(DbtError, match=r"the materialized view log is gone\. Run its model"):
        dbt("_log_to_purge", LOG)


def test_taken() -> None:
    dbt = logged(1)
    dbt.engine.tables[LOG] = delta(1)
    with pytest.raises(DbtError, match="gone, something else has its name"):
        dbt("_log_to_purge", LOG)


@pytest.mark.parametrize("gone", [LOG, SOURCE])
def test_passed_over(gone: str) -> None:
    dbt = logged(1)
    del dbt.engine.tables[gone]
    assert dbt("_log_to_purge", LOG, True) is None
    assert "is gone, it is not purged. " in dbt.warned[0]


def test_base_gone() -> None:
    dbt = logged(1)
    del dbt.engine.tables[SOURCE]
    with pytest.raises(DbtError, match=f"its base {SOURCE} is gone"):
        dbt("_log_to_purge", LOG)
