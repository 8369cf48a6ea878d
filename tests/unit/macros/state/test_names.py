"""Where state and stages live."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError


@pytest.mark.parametrize(
    ("variables", "state", "stage"),
    [
        ({}, "shop_mview", "shop_mview"),
        ({"dbt_mview:state_schema": "st"}, "st", "st"),
        ({"dbt_mview:stage_schema": "sg"}, "shop_mview", "sg"),
        ({"dbt_mview:state_schema": "a`b", "dbt_mview:stage_schema": "c`d"}, "a`b", "c`d"),
    ],
)
def test_schemas(variables: Any, state: str, stage: str) -> None:
    dbt = Dbt(variables=variables)
    quoted_state, quoted_stage = (f"`{name.replace('`', '``')}`" for name in (state, stage))
    assert dbt("_state_schema") == state
    assert dbt("_stage_schema") == stage
    assert dbt("_state_table", "any") == f"{quoted_state}.`any`"
    assert dbt("_info_table") == f"{quoted_state}.`mview_refresh_info`"
    assert dbt("_hist_table") == f"{quoted_state}.`mview_refresh_hist`"
    assert dbt("_log_info_table") == f"{quoted_state}.`mlog_purge_info`"
    owner = "" if stage == state else hashlib.md5(state.encode()).hexdigest()[:8] + "_"
    assert dbt("_stage_name", "j1") == f"{quoted_stage}.`mview_stage_{owner}j1`"


@pytest.mark.parametrize("name", ["dbt_mview:state_schema", "dbt_mview:stage_schema"])
def test_a_var_is_the_same_for_all_packages_of_a_run(name: str) -> None:
    """dbt looks vars up for the package of each node; hooks and models would part."""
    dbt = Dbt()
    dbt("_stage_schema")
    dbt.variables[name] = "of_a_package"
    with pytest.raises(
        DbtError, match=rf"the var {name}: it is 'shop_mview' in one .*'of_a_package'"
    ):
        dbt("_stage_schema")


def test_vars_below_the_name_of_the_package() -> None:
    """dbt's usual form: only the package's own hooks would see them."""
    dbt = Dbt(variables={"dbt_mview": {"state_schema": "x"}})
    with pytest.raises(DbtError, match=r"it stands below dbt_mview, .* directly below vars"):
        dbt("_state_schema")
