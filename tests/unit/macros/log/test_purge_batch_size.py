"""How many files a batch may remove."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt


@pytest.mark.parametrize(
    ("given", "size"),
    [(None, 7), (1, 1), ("1000000", 1_000_000), (" 5 ", 5)]
    + [(bad, 100_000) for bad in (0, -1, 1_000_001, "1e3", "many", "", 1.5, 10**30)],
)
def test_size(given: Any, size: int) -> None:
    dbt = Dbt(variables={"dbt_mview:purge_batch_size": 7})
    assert dbt("_purge_batch_size", given) == size
    assert [f"'{str(given).strip()}'" in text for text in dbt.warned] == [True] * (size == 100_000)


@pytest.mark.parametrize(("value", "size"), [(0, 100_000), (12, 12)])
def test_of_the_var(value: int, size: int) -> None:
    assert Dbt(variables={"dbt_mview:purge_batch_size": value})("_purge_batch_size") == size


def test_default() -> None:
    dbt = Dbt()
    assert dbt("_purge_batch_size") == 100_000 and dbt.warned == []
