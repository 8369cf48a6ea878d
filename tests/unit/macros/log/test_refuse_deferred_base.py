"""Tables of other targets are left as they are."""

from __future__ import annotations

import pytest

from ...kit.engine import FEED
from ...kit.harness import Model
from ...kit.log_scenes import base, log_model, run_log, unlogged, writes


@pytest.mark.parametrize("defers", [True, False])
@pytest.mark.parametrize(("here", "there"), [("dev", "shop"), ("shop", "prod"), ("shop", "shop")])
def test_only_what_defer_puts_in_the_place_of_a_parent(here: str, there: str, defers: bool) -> None:
    parent = Model("orders", schema=here, materialized="table")
    log = log_model()
    log.parents = ["source.shop.raw.x", parent.unique_id]
    dbt = unlogged(log, parent, feed=False)
    dbt.context["invocation_args_dict"]["defer"] = defers
    deferred = {"database": None, "schema": there, "alias": "Orders", "relation_name": "x"}
    dbt.context["graph"]["nodes"][parent.unique_id]["defer_relation"] = deferred
    if not defers or (here, there) != ("dev", "shop"):
        run_log(dbt)
        assert base(dbt).properties == FEED
        return
    (result,) = dbt.run()
    assert "--defer takes that base, spark_catalog.shop.orders, from" in result.message
    assert base(dbt).properties == {} and writes(dbt) == []
