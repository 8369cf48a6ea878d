"""How a result is published."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Foreign
from ...kit.harness import Dbt, Model
from ...kit.scenes import VIEW, built, change_source, new


def plan(dbt: Dbt) -> dict[str, Any]:
    assert [result.status for result in dbt.run()] == ["success"]
    job: dict[str, Any] = dbt("_memory")["jobs"][dbt.models[0].unique_id]
    return {key: job[key] for key in ("publish", "staged", "deferred", "alterations", "method")}


def of(publish: str, **changes: Any) -> dict[str, Any]:
    plain = {"staged": False, "deferred": False, "alterations": [], "method": "complete"}
    return {"publish": publish, **plain, **changes}


def test_create_insert_replace() -> None:
    assert plan(new()) == of("create")
    dbt = built()
    change_source(dbt)
    assert plan(dbt) == of("insert")
    assert plan(built(full_refresh=True)) == of("replace")


def test_a_table_that_is_not_ours_is_replaced() -> None:
    dbt = new()
    dbt.engine.tables[VIEW] = built().engine.tables[VIEW]
    dbt.engine.tables[VIEW].commits[0].meta = None
    assert plan(dbt) == of("replace")


def test_what_is_no_delta_table_is_swapped() -> None:
    dbt = new()
    dbt.engine.tables[VIEW] = Foreign()
    assert plan(dbt) == of("swap")


@pytest.mark.parametrize("config", [{"audit": "total > 0"}, {"unique_key": "customer"}])
def test_staged(config: Any) -> None:
    dbt = new(Model(config=config))
    dbt.engine.audit = [0]
    assert plan(dbt) == of("create", staged=True)


def test_deferred_only_where_there_is_nothing() -> None:
    deferred = Model(config={"build": "deferred"})
    assert plan(new(deferred)) == of("create", deferred=True)
    assert plan(new(deferred, full_refresh=True)) == of("create")
    assert plan(built(deferred)) == of("insert")


def test_alterations_go_with_an_insert_only() -> None:
    model = Model(config={"tblproperties": {"a": "1"}})
    assert plan(built(model=model)) == of("insert", alterations=["set tblproperties ('a' = '1')"])
    assert plan(built(model=model, full_refresh=True)) == of("replace")
