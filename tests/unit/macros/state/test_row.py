"""A row of state, from whatever connection."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

COLUMNS = ["owner", "token", "lease_over"]


@pytest.mark.parametrize(
    ("values", "token", "over"),
    [
        (["me", "7", True], 7, True),
        (["me", 7, "true"], 7, True),
        (["me", None, 1], None, True),
        (["me", 0, "false"], 0, False),
        (["me", 0, None], 0, False),
    ],
)
def test_row(values: list[Any], token: int | None, over: bool) -> None:
    row = Dbt()("_state_row", values, COLUMNS, ["token"])
    assert row == {"owner": "me", "token": token, "lease_over": over}
    assert row["lease_over"] is over
