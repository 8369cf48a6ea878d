"""How many failures are too many."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError

NAME = "dbt_mview:broken_after"


@pytest.mark.parametrize(("given", "count"), [(1, 1), ("1000", 1000), (16, 16)])
def test_count(given: Any, count: int) -> None:
    dbt = Dbt(variables={NAME: given})
    assert dbt("_broken_after") == count
    assert [dbt("_is_broken", {"failures": one}) for one in (None, count - 1, count)] == [
        False, False, True
    ]  # fmt: skip


@pytest.mark.parametrize("given", [0, "many", 1001])
def test_no_count(given: Any) -> None:
    with pytest.raises(DbtError, match=f"the var {NAME}: '{given}' is"):
        Dbt(variables={NAME: given})("_broken_after")
