"""One version for each source."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Engine, Foreign, delta, micros
from ..kit.harness import Dbt, Model
from ..kit.records import as_job, as_spec

# Step pin.


def test_pin_binds_the_query() -> None:
    dbt = Dbt()
    name = "spark_catalog.shop.a"
    source = {"relation": name, "version": 4, "commit_time": 1}
    job = as_job(
        {
            "state": None,
            "sources": [source],
            "sources_behind": [],
            "bindings": {name: {"kind": "table", "version": None}},
        }
    )
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
    job: dict[str, Any] = as_job(
        {"state": None, "sources": [], "bindings": {}, "reads": {"tables": []}}
    )
    job["unbound"] = []
    spec = {"read_consistency": "latest", "definition": "select 1", "namespace": "c.s"}
    dbt("_pin", spec, job)
    assert 90_000_000 <= job["read_time"] - clock["now"] < 150_000_000


# The version of one table at a moment.


NAME = "spark_catalog.shop.a"


def engine() -> Engine:
    found = Engine()
    found.tables[NAME] = delta(10, 20, 30)
    return found


def pin(version: int, minute: float) -> dict[str, Any]:
    return {"relation": NAME, "table_id": None, "version": version, "commit_time": micros(minute)}


@pytest.mark.parametrize(
    ("moment", "version", "minute"),
    [(None, 2, 30), (40, 2, 30), (30, 2, 30), (29.9, 1, 20), (20, 1, 20), (10, 0, 10), (5, 2, 30)],
)
def test_the_last_version_at_a_moment(moment: float | None, version: int, minute: int) -> None:
    at = None if moment is None else micros(moment)
    assert Dbt(engine())("_pin_table", NAME, at) == pin(version, minute)


def test_what_is_not_delta_has_no_version() -> None:
    found = engine()
    found.tables[NAME] = Foreign()
    assert Dbt(found)("_pin_table", NAME, None)["version"] is None


# One version per source.


def test_pinned_once_per_run() -> None:
    world = engine()
    dbt = Dbt(world)
    spec, job = as_spec({}), as_job({"reads": {"tables": [NAME]}})
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)]
    world.tables[NAME].commit(31, "WRITE", 1, None)
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)]
    assert dbt("_pinned_sources", spec, job, latest=True) == [pin(3, 31)]
    assert dbt("_pinned_sources", as_spec({"read_consistency": "latest"}), job) == [pin(3, 31)]
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)], "the run's snapshot stays"


def test_what_is_not_bound_has_no_version() -> None:
    job = as_job({"reads": {"tables": [NAME]}, "unbound": [NAME]})
    (found,) = Dbt(engine())("_pinned_sources", as_spec({}), job)
    assert found == {**pin(2, 30), "version": None, "commit_time": None}


def test_run_start() -> None:
    source = Model("Orders", schema="Shop", materialized="table")
    dbt = Dbt(None, Model(), source)
    assert dbt("_run_start", "spark_catalog.shop.other") == micros(720)
    assert dbt("_run_start", "spark_catalog.shop.orders") is None


def test_what_this_run_builds_is_pinned_as_built() -> None:
    """A view that reads it without ref() may come before it."""
    world = engine()
    dbt = Dbt(world, Model(), Model("a", materialized="table"))
    spec, job = as_spec({}), as_job({"reads": {"tables": [NAME]}})
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)]
    world.tables[NAME].commit(31, "WRITE", 1, None)
    assert dbt("_pinned_sources", spec, job) == [pin(3, 31)]


def test_a_group_reads_one_version_of_what_is_built_in_the_run() -> None:
    world = engine()
    dbt = Dbt(world, Model(), Model("a", materialized="table"))
    spec = {"read_consistency": "run", "refresh_group": "sales"}
    job = as_job({"reads": {"tables": [NAME]}, "unbound": []})
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)]
    world.tables[NAME].commit(31, "WRITE", 1, None)
    assert dbt("_pinned_sources", spec, job) == [pin(2, 30)]
    assert dbt("_pinned_sources", {**spec, "refresh_group": "others"}, job) == [pin(3, 31)]
    assert dbt("_pinned_sources", spec, job, latest=True) == [pin(3, 31)]
