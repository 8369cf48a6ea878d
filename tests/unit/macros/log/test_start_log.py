"""An empty log."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.log_scenes import LOG, log_model, pin, unlogged
from ...kit.scenes import SOURCE


def start(dbt: Dbt, coverage: Any = None, gap: str = "first capture") -> dict[str, Any]:
    spec = {**dbt("_log_spec_from_model"), "base": SOURCE}
    job = {
        **dbt("_log_job", spec),
        "now": {**pin(dbt, 2), "table_id": "t-1"},
        "columns": [
            {"name": "customer", "type": "string", "expression": "`customer`"},
            {"name": "amount", "type": "bigint", "expression": "`amount`"},
        ],
        "base": "`shop`.`orders`",
        "gap": gap,
        "coverage": coverage,
    }
    dbt("_start_log", spec, job)
    return job


def test_it_begins_where_the_base_is() -> None:
    dbt = unlogged()
    job = start(dbt)
    at = {key: pin(dbt, 2)[key] for key in ("version", "commit_time")}
    begun = {"base": SOURCE, "began": at, "start": at, "captured": at, "gap": "first capture"}
    assert (job["coverage"], job["rows"]) == (begun, 0)
    found = dbt("_coverage", "`shop`.`orders_log`")
    assert {key: found[key] for key in begun} == begun
    assert dbt.warned == []


@pytest.mark.parametrize("gap", ["full refresh", "SOURCE_REPLACED"])
def test_anew(gap: str) -> None:
    dbt = unlogged()
    start(dbt, coverage={"base": SOURCE}, gap=gap)
    assert dbt.warned == [
        f"dbt_mview: {LOG} begins anew at v2 of its base: {gap}. Views that have not read so far"
        " are refreshed in full."
    ]


def test_its_comment_is_said_once() -> None:
    model = log_model(persist_docs={"relation": True})
    model.description = "about"
    job = start(unlogged(model))
    assert job["state"]["spec"]["description"] == "about"
