"""A state table is refused where it is not ours."""

from __future__ import annotations

import pytest

from ...kit.engine import Engine
from ...kit.harness import Dbt, DbtError


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({}, r"`mview_refresh_info`: a table of this name exists and is not a state table of"),
        ({"owner": "x"}, r"Rename it, or set the var dbt_mview:state_schema to another schema\."),
        (
            {"dbt_mview.layout": "2"},
            r"state has layout 2, this release of dbt_mview knows up to 1\. Upgrade the package",
        ),
    ],
)
def test_refused(properties: dict[str, str], message: str) -> None:
    engine = Engine()
    engine.built_state()
    engine.state_tables["mview_refresh_info"] = properties
    with pytest.raises(DbtError, match=message):
        Dbt(engine)("_check_layout", "mview_refresh_info", 1)


@pytest.mark.parametrize("layout", ["0", "1"])
def test_known(layout: str) -> None:
    engine = Engine()
    engine.state_tables["mview_refresh_hist"] = {"x": "y", "dbt_mview.layout": layout}
    assert Dbt(engine)("_check_layout", "mview_refresh_hist", 1) == int(layout)
