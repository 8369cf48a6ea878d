"""Step pin."""

from __future__ import annotations

from typing import Any

from ...kit.harness import Dbt


def test_pin_binds_the_query() -> None:
    dbt = Dbt()
    name = "spark_catalog.shop.a"
    source = {"relation": name, "version": 4, "commit_time": 1}
    job = {
        "state": None,
        "sources": [source],
        "ahead": [],
        "bindings": {name: {"kind": "table", "version": None}},
    }
    spec = {
        "read_consistency": "run",
        "definition": "select * from shop.a",
        "namespace": "spark_catalog.x",
    }
    dbt("_pin", spec, job)
    assert job["query"] == "select * from shop.a version as of 4"
    assert job["read_time"] == dbt("_clock")["now"]


def test_latest_is_told_by_the_clock_of_the_engine() -> None:
    """The client's says how long ago that was read, whatever time it has."""
    dbt = Dbt()
    clock = dbt("_clock")
    clock["client"] -= 90_000_000
    job: dict[str, Any] = {"state": None, "sources": [], "bindings": {}, "reads": {"tables": []}}
    job["unbound"] = []
    spec = {"read_consistency": "latest", "definition": "select 1", "namespace": "c.s"}
    dbt("_pin", spec, job)
    assert 90_000_000 <= job["read_time"] - clock["now"] < 150_000_000
