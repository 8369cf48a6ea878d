"""mview_maintain."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError
from ...kit.log_scenes import log_engine, logged
from ...kit.scenes import SOURCE, new


def test_maintain() -> None:
    dbt = new()
    assert dbt.operation("mview_maintain") == ["dbt_mview: state and logs compacted and pruned"]
    verbs = [one.sql.split("\n")[1].split(" `")[0] for one in dbt.engine.log[-5:]]
    assert verbs == ["begin", "optimize", "vacuum", "optimize", "vacuum"]


@pytest.mark.parametrize(("days", "text"), [(7, "7"), ("9", "9")])
def test_days(days: Any, text: str) -> None:
    dbt = Dbt(new().engine, variables={"dbt_mview:history_days": days})
    printed = dbt.operation("mview_maintain", dry_run=True)
    assert f"interval {text} days;" in printed[0] and "sqlstate '2D521'" in printed[0]
    assert len(printed) == 5 and "maintain" not in dbt.engine.steps


@pytest.mark.parametrize("days", ["a month", 0, "1); drop"])
def test_days_that_would_delete_all_history_are_refused(days: Any) -> None:
    dbt = Dbt(new().engine, variables={"dbt_mview:history_days": days})
    with pytest.raises(DbtError, match="the var dbt_mview:history_days: "):
        dbt.operation("mview_maintain")
    assert "maintain" not in dbt.engine.steps


def test_logs_that_are_there() -> None:
    dbt = logged(1)
    log_engine(dbt).logs["spark_catalog.shop.gone_log"] = SOURCE
    dbt.operation("mview_maintain")
    done = [one.sql.split("\n")[1] for one in dbt.engine.log if one.step == "maintain"]
    assert done[-2:] == [
        f"{verb} `spark_catalog`.`shop`.`orders_log`" for verb in ("optimize", "vacuum")
    ]
    assert len(done) == 12 and not any("gone_log" in one for one in done)
