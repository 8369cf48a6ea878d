"""What cannot be refreshed or explained without its model."""

from __future__ import annotations

import pytest

from ...kit.harness import DbtError
from ...kit.scenes import VIEW, built


@pytest.mark.parametrize("state", [None, {"definition": None}])
def test_a_view_without_a_definition(state: object) -> None:
    dbt = built()
    told = rf"{VIEW}: state has no definition of it\. Build the view once with .*--select totals`"
    with pytest.raises(DbtError, match=told):
        dbt("_check_definition", dbt("_resolve", "totals"), state)


def test_a_view_that_was_built() -> None:
    dbt = built()
    dbt("_check_definition", dbt("_resolve", "totals"), dbt("_read_state", VIEW))
