"""What a project is told of itself: which of its views can be FAST, and what a run did."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dbt_mview.project_report import page_of, report_of
from tests.support.project import Project

pytestmark = pytest.mark.spark
FEED = {"delta.enableChangeDataFeed": "true"}


@pytest.fixture(scope="module")
def chain(tables: Project) -> Project:
    """Staging view, ephemeral model, a view over a view; nothing is built."""
    tables.model("stg", f"select id, k, amt, day from {tables.schema}.facts", materialized="view")
    tables.model("good", "select * from {{ ref('stg') }} where amt > 1", materialized="ephemeral")
    tables.model(
        "daily",
        "select day, sum(amt) as amt, count(*) as n from {{ ref('good') }} group by day",
        tblproperties=FEED,
    )
    tables.model(
        "monthly", "select month(day) as m, sum(n) as n from {{ ref('daily') }} group by 1"
    )
    tables.model("ranked", "select id, rank() over (order by amt) as place from {{ ref('stg') }}")
    tables.model(
        "named",
        "select s.id, d.name from {{ ref('stg') }} as s"
        f" left join {tables.schema}.dims as d on s.k = d.k",
    )
    return tables


def explained(project: Project) -> dict[str, dict[str, Any]]:
    """What mview_explain says of each view."""
    log = project.op("mview_explain", format="json").log
    (line,) = [one for one in log.splitlines() if one.startswith("explained: {")]
    views = json.loads(line.removeprefix("explained: "))["views"]
    return {view["name"].split(".")[-1]: view for view in views}


def test_before_the_first_build_as_after_it(chain: Project) -> None:
    """What is foretold of a project whose models are not there is what the engine says later."""
    before = explained(chain)
    daily, monthly, ranked, named = (before[one] for one in ("daily", "monthly", "ranked", "named"))
    assert (daily["fast"], daily["strategy"], daily["keys"]) == ("yes", "aggregate delta", ["day"])
    assert (monthly["fast"], monthly["reads"]) == ("yes", [f"{chain.schema}.daily"])
    assert (ranked["fast"], ranked["code"]) == ("no", "WINDOW_WITHOUT_PARTITION_BY")
    assert ranked["way_out"].startswith("Give the window a PARTITION BY")
    assert named["fast"] in ("yes", "some") and f"{chain.schema}.facts" in named["follows"]
    assert not any(view["built"] for view in before.values())
    run = chain.run()
    assert "dbt_mview: 4 views: 4 COMPLETE; " in run.log and "saved" not in run.log
    after = explained(chain)
    assert all(view["complete"] > 0 for view in after.values())
    told = ("fast", "strategy", "keys", "follows", "reads", "code", "reason", "way_out")
    for name, view in before.items():
        assert [view[one] for one in told] == [after[name][one] for one in told], name


@pytest.mark.nightly
def test_what_the_next_run_says_and_the_page_shows(chain: Project) -> None:
    # Played whole, the file has built them above; `make nightly` plays this test alone.
    if not chain.sql("show tables in @ like 'monthly'"):
        chain.run()
    chain.sql("insert into @.facts values (9000, 1, 5, 's1', date'2024-01-05')")
    run = chain.run()
    summary, first = [line for line in run.log.splitlines() if line.startswith("dbt_mview: ")]
    assert summary.startswith("dbt_mview: 4 views: 3 FAST, 1 COMPLETE; "), summary
    assert first.startswith("dbt_mview: first to change: ranked (WINDOW_WITHOUT_PARTITION_BY"), (
        first
    )
    report = report_of(chain.op("mview_report").log.splitlines())
    (daily,) = [view for view in report.views if view.found["name"] == f"{chain.schema}.daily"]
    assert [row["method"] for row in daily.history] == ["fast", "complete"]
    assert daily.found["result"] == "success" and daily.saved is not None
    assert {box.kind for box in report.drawing.boxes} >= {"source", "yes", "no"}
    assert "Give the window a PARTITION BY" in page_of(report)
