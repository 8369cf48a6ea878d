"""The first day of a project in one scene, for `make nightly` to play with other versions of dbt
and Python: it needs no more than the package, the engine and pytest."""

from __future__ import annotations

import pytest

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.nightly]


def test_first_day(project: Project) -> None:
    project.sql("create table @.orders using delta as select id, id % 3 as k from range(300)")
    orders = f"{project.schema}.orders"
    logged = {"materialized": "materialized_view_log"}
    project.model("orders_log", f"select id, k from {orders}", **logged)
    totals = f"select k, count(*) as n, sum(id) as s from {orders} group by k"
    project.model("totals", totals, refresh="fast")
    tests = [{"dbt_mview.mview_fresh": {}}, "dbt_mview.mview_matches_query"]
    project.write("models/schema.yml", {"models": [{"name": "totals", "data_tests": tests}]})
    first = project.run("orders_log")
    assert first.text("orders_log").startswith("START v")
    first = project.run("totals")
    assert first.text("totals").startswith("COMPLETE v0, 3 rows: first build")
    loads = ["insert into @.orders values (1000, 1)", "delete from @.orders where id = 4"]
    for number, load in enumerate(loads, 1):
        project.sql(load)
        loaded = project.dbt("build")
        assert loaded.text("totals").startswith(f"FAST v{number}, 1 rows"), loaded.text("totals")
        assert loaded.text("orders_log").startswith("CAPTURE v")
        assert list(loaded.status.values()).count("pass") == 2
    assert project.run("totals").text("totals").startswith("SKIP nothing changed")
    assert "  equal" in project.op("mview_verify", view="totals").log
    assert "test_first_day.totals" in project.op("mview_info", view="totals").log
    assert "test_first_day.orders_log" in project.op("mlog_info", log="orders_log").log
