"""How far a log may be purged, and whether that was done."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.log_scenes import LOG, a_purge, logged, reads


def look(dbt: Dbt, **row: Any) -> dict[str, Any]:
    job = a_purge(row={"last_purged_version": None, **row}, pass_over=True)
    dbt("_look_at_purge", LOG, job)
    return job


@pytest.mark.parametrize("last", [None, 3])
def test_looked(last: Any) -> None:
    dbt = logged(1)
    reads(dbt, "behind", 4)
    job = look(dbt, last_purged_version=last)
    assert (job["safe"]["version"], job["needless"]) == (4, False)
    assert job["log"]["coverage"]["captured"]["version"] == 5


@pytest.mark.parametrize(("read", "needless"), [(4, False), (2, True)])
def test_what_was_purged_of_a_log_before_is_not_what_is_purged_of_this(
    read: int, needless: bool
) -> None:
    """The log begins at v2; of an older one, over a base of that name, v50 was purged."""
    dbt = logged(1)
    reads(dbt, "behind", read)
    assert look(dbt, last_purged_version=50)["needless"] is needless


def test_gone() -> None:
    dbt = logged(1)
    del dbt.engine.tables[LOG]
    job = look(dbt)
    assert job["log"] is None and job["needless"] and "is gone" in dbt.warned[0]
