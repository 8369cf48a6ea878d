"""Up to which version a log may be purged."""

from __future__ import annotations

import pytest

from ...kit.engine import delta
from ...kit.harness import Dbt, DbtError, Model
from ...kit.log_scenes import LOG, a_log, log_model, logged, reads
from ...kit.scenes import SOURCE


def safe(dbt: Dbt) -> tuple[int, list[tuple[str, int]]]:
    found = dbt("_safe_version", a_log(dbt))
    views = [(one["mview_id"].split(".")[2], one["version"]) for one in found["dependents"]]
    return found["version"], views


def test_without_views_what_was_captured() -> None:
    dbt = logged(1)
    assert safe(dbt) == (5, [])
    captured = a_log(dbt)["coverage"]["captured"]
    assert dbt("_safe_version", a_log(dbt))["commit_time"] == captured["commit_time"]


def test_the_lowest_that_a_view_has_read() -> None:
    dbt = logged(1)
    for name, version in [("a", 4), ("b", 3), ("c", 5)]:
        reads(dbt, name, version)
    dbt.engine.state("spark_catalog.shop.other", sources=[{"relation": "a.b.c", "version": 1}])
    assert safe(dbt) == (3, [("b", 3), ("a", 4), ("c", 5)])


def test_never_further_than_captured() -> None:
    dbt = logged(1)
    reads(dbt, "ahead", 9)
    assert safe(dbt)[0] == 5


def test_a_view_that_was_never_built() -> None:
    dbt = logged(1)
    reads(dbt, "built", 5)
    reads(dbt, "unborn", None)
    assert safe(dbt)[0] == 0


def reader(meta: str | None) -> Dbt:
    """A view of this project without a row in state, whose table was last written with this."""
    dbt = logged(1, log_model(), Model())
    table = dbt.engine.tables["spark_catalog.shop.totals"] = delta(1)
    table.commit(2, "CREATE OR REPLACE TABLE AS SELECT", 1, meta)
    table.commit(3, "OPTIMIZE")
    base = {"unique_id": "source.shop.orders", "resource_type": "source", "database": None}
    base |= {"schema": "shop", "name": "orders", "identifier": "orders"}
    dbt.context["graph"]["sources"] = {"source.shop.orders": base}
    dbt.context["graph"]["nodes"]["model.shop.totals"]["depends_on"] = {
        "nodes": ["source.shop.orders"]
    }
    return dbt


def test_a_built_view_without_a_row() -> None:
    dbt = reader('{"dbt_mview": {"mview_id": "spark_catalog.shop.totals"}}')
    missing = f"refresh info row missing for spark_catalog.shop.totals, which reads {SOURCE}"
    with pytest.raises(DbtError, match=missing) as error:
        safe(dbt)
    assert f"{LOG} is not purged" in str(error.value)
    del dbt.engine.tables["spark_catalog.shop.totals"]
    assert safe(dbt) == (5, []), "a view that was never built needs nothing"


@pytest.mark.parametrize("meta", [None, '{"dbt_mview": {"mview_id": "spark_catalog.shop.old"}}'])
def test_a_table_that_is_to_become_a_view(meta: str | None) -> None:
    assert safe(reader(meta)) == (5, [])
