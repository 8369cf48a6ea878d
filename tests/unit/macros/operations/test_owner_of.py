"""Who answers for a view."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.scenes import VIEW, built


def test_owner() -> None:
    dbt = built()
    mine = dbt("_owner_of")
    assert dbt("_owner_of", dbt("_read_state", VIEW)) == mine and None not in mine
    assert Dbt()("_owner_of", {"spec": None}) == [None, None, None] != mine
