"""One refresh without its model."""

from __future__ import annotations

import pytest

from ...kit.harness import DbtError
from ...kit.scenes import MEMBERS, VIEW, built, change_source, group


def test_alone_it_is_recorded_at_once() -> None:
    dbt = built()
    change_source(dbt)
    dbt.operation("mview_refresh", view="totals")
    assert dbt.engine.steps[-2:] == ["record", "record"]
    assert dbt.engine.states[VIEW]["lock_owner"] is None


def test_a_member_is_not_refreshed_alone() -> None:
    dbt = group()
    with pytest.raises(DbtError, match=r"belongs to refresh_group 'sales'.*mview_refresh --args"):
        dbt.operation("mview_refresh", view=MEMBERS[0].name)
    assert dbt.engine.writes == []
