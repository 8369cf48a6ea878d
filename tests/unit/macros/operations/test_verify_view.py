"""One view compared with its definition."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.scenes import SOURCE, VIEW, built


def verify(dbt: Dbt, dry_run: bool = False) -> Any:
    return dbt("_verify_view", VIEW, dbt("_read_state", VIEW), dry_run)


@pytest.mark.parametrize(
    ("rows", "verdict"), [([0, 0], "equal"), ([1, 0], "DIFFERS"), (["0", "2"], "DIFFERS")]
)
def test_verdicts(rows: list[Any], verdict: str) -> None:
    dbt = built()
    dbt.engine.verdict = rows
    assert verify(dbt) == [verdict, str(rows[0]), str(rows[1])]


def test_a_dry_run_prints_the_query() -> None:
    dbt = built()
    assert verify(dbt, dry_run=True) == ["-", "-", "-"]
    assert dbt.printed[0].startswith("with wanted as (") and "read_verify" not in dbt.engine.steps


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"last_successful_refresh_read_time": None}, "never refreshed"),
        ({"definition": None}, "not verifiable: state has no definition of it"),
        ({"sources": [{"version": None}]}, "not verifiable: a source has no version"),
    ],
)
def test_nothing_to_compare(changes: dict[str, Any], verdict: str) -> None:
    dbt = built()
    dbt.engine.state(VIEW, **changes)
    assert verify(dbt) == [verdict, "-", "-"]


def test_a_query_that_does_not_run_any_more() -> None:
    """A view that it reads was dropped, which no list of sources names."""
    dbt = built()
    dbt.engine.runs = False
    assert verify(dbt) == ["not verifiable: its query does not run any more", "-", "-"]
    assert "explain" not in " ".join(dbt.engine.steps)


@pytest.mark.parametrize("name", [VIEW, SOURCE])
def test_a_table_that_was_dropped(name: str) -> None:
    dbt = built()
    del dbt.engine.tables[name]
    short = name.removeprefix("spark_catalog.")
    assert verify(dbt) == [f"not verifiable: no table {short}", "-", "-"]


def test_a_table_whose_files_are_gone() -> None:
    """The catalog still has it; its history cannot be read."""
    dbt = built()
    dbt.engine.without_files.add(VIEW)
    assert verify(dbt) == ["not verifiable: its table cannot be read any more", "-", "-"]
    assert "read_describe_history" not in dbt.engine.steps


def test_versions_that_are_gone() -> None:
    """One view that cannot be compared any more does not end the comparison of all."""
    dbt = built()
    dbt.engine.keeps_versions = False
    told = "not verifiable: a version that it read cannot be read any more"
    assert verify(dbt) == [told, "-", "-"]
    asked = dbt.engine.sql("read_versions")
    assert "shop.orders version as of 2" in asked and "`totals` version as of 0" in asked
