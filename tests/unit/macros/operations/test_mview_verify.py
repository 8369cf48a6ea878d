"""mview_verify."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.harness import DbtError
from ...kit.scenes import VIEW, built, change_source


def test_equal(golden: Callable[[str, str], None]) -> None:
    dbt = built()
    change_source(dbt)
    lines = dbt.operation("mview_verify")
    assert lines[1].split() == ["shop.totals", "equal", "0", "0"]
    golden("verify", dbt.engine.sql("read_verify"))
    assert "shop.orders version as of 2" in dbt.engine.sql("read_verify"), "as it was read"


def test_differs() -> None:
    dbt = built()
    dbt.engine.verdict = [1, 2]
    with pytest.raises(DbtError, match=r"shop\.totals: not equal to its query at the recorded"):
        dbt.operation("mview_verify", view="totals")
    assert dbt.printed[1].split() == ["shop.totals", "DIFFERS", "1", "2"]


def test_dry_run() -> None:
    (line,) = built().operation("mview_verify", dry_run=True)
    assert line.strip().startswith("with") and line.endswith(";")


def test_not_verifiable() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["sources"][0]["version"] = None
    assert "not verifiable: a source has no version" in dbt.operation("mview_verify")[1]
    dbt.engine.states[VIEW]["last_successful_refresh_read_time"] = None
    assert "never refreshed" in dbt.operation("mview_verify")[-1]


def test_one_that_was_asked_for_is_equal_or_an_error() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["sources"][0]["version"] = None
    with pytest.raises(DbtError, match=r"a source has no version\. It cannot be"):
        dbt.operation("mview_verify", view="totals")
    del dbt.engine.states[VIEW]
    with pytest.raises(DbtError, match=r"state has no row of it, it was never built\. Refresh it"):
        dbt.operation("mview_verify", view="totals")
