"""Refresh groups: members are staged at one snapshot and published together, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

GROUP = {"refresh_group": "sales"}
COUNTS = {"who": "select who, count(*) as n from {s}.src group by who"}
SUMS = {"days": "select day, sum(n) as n, max(n) as most from {s}.src group by day"}
ROWS = {"big": "select who, n from {s}.src where n > 1"}
MEMBERS = {**COUNTS, **SUMS, **ROWS}


@pytest.fixture
def group(project: Project) -> Project:
    """Three members over one source, built, of which two can be FAST; then the source changed."""
    project.sql(
        "create or replace table @.src using delta tblproperties"
        " ('delta.enableChangeDataFeed' = 'true') as select * from values"
        " ('ann', 1, date'2024-01-01'), ('bob', 2, date'2024-01-02') as t (who, n, day)"
    )
    for name, query in MEMBERS.items():
        project.model(name, query.format(s=project.schema), refresh="fast", **GROUP)
    project.run(args=("--full-refresh",))
    project.sql("insert into @.src values ('cid', 3, date'2024-01-02')")
    project.sql("update @.src set n = 5 where who = 'ann'")
    return project


def result(project: Project) -> dict[str, list[Any]]:
    """What readers see of all members."""
    return {name: project.rows(name) for name in MEMBERS}


def is_new(project: Project) -> bool:
    """Whether all members are new (True) or all old (False); nothing in between is allowed."""
    seen = [len(project.rows("who")) == 3, len(project.rows("big")) == 3]
    seen.append(max(row[2] for row in project.rows("days")) == 5)
    assert len(set(seen)) == 1, result(project)
    return seen[0]


@pytest.mark.smoke
def test_published_together(group: Project) -> None:
    group.model("report", "select count(*) as n from {{ ref('who') }}, {{ ref('big') }}")
    outcome = group.run()
    told = [outcome.text(name).split(":")[0] for name in MEMBERS]
    assert sum(text.startswith("STAGED") for text in told) == 2, told
    assert all("FAST" in text for text in told), told
    assert is_new(group)
    infos = [group.info(name) for name in MEMBERS]
    assert len({info.last_successful_refresh_read_time for info in infos}) == 1
    assert len({info.sources[0].version for info in infos}) == 1
    assert {info.lock_owner for info in infos} == {None}
    assert "equal" in group.op("mview_verify").log
    shown = group.op("mview_history", limit=4).log
    assert "group sales: big, days, who" in shown
    assert "  sales  " in group.op("mview_info").log
    skipped = group.run(*MEMBERS)
    assert all(skipped.text(name).startswith("SKIP") for name in MEMBERS)
    stages = group.sql("show tables in @_mview like 'mview_stage_*'")
    assert stages == []


def test_a_member_that_fails_keeps_all_old(group: Project) -> None:
    query = SUMS["days"].format(s=group.schema)
    group.model("days", query, audit=["most < 5"], **GROUP)
    outcome = group.run(expect=False)
    assert "audit failed: most < 5" in outcome.text("days")
    assert not is_new(group)
    for name in ("who", "big"):
        info = group.info(name)
        assert (info.last_refresh_result, info.lock_owner) == ("failed", None)
        assert "refresh_group 'sales' was not published" in info.last_refresh_failed_reason
    group.model("days", query, audit=["most < 9"], **GROUP)
    group.run()
    assert is_new(group)


def test_constraints_are_checked_before_the_decision(group: Project) -> None:
    query = "select who, n from {s}.src where n > 1"
    group.write(
        "models/big.yml",
        {
            "models": [
                {
                    "name": "big",
                    "columns": [
                        {"name": "who", "data_type": "string"},
                        {
                            "name": "n",
                            "data_type": "int",
                            "constraints": [{"type": "check", "expression": "n < 5"}],
                        },
                    ],
                }
            ]
        },
    )
    contract = {"enforced": True}
    group.model("big", query.format(s=group.schema), contract=contract, **GROUP)
    outcome = group.run(expect=False)
    assert "DELTA_VIOLATE_CONSTRAINT" in outcome.text("big")
    assert not is_new(group)
    group.sql("update @.src set n = 4 where who = 'ann'")
    text = group.run().text("big")
    assert "COMPLETE" in text, text
    assert sorted(group.rows("big")) == [("ann", 4), ("bob", 2), ("cid", 3)]


def test_from_the_stored_definitions(group: Project) -> None:
    assert "belongs to refresh_group" in group.op("mview_refresh", expect=False, view="who").log
    before = group.sql("describe history @_mview.mview_refresh_info limit 1")[0].version
    assert "step=decide" in group.op("mview_refresh", group="sales", dry_run=True).log
    assert not is_new(group)
    done = group.op("mview_refresh", group="sales")
    assert done.log.count(": FAST v") == 3, done.log
    assert is_new(group)
    after = group.sql("describe history @_mview.mview_refresh_info limit 1")[0].version
    assert after - before == 3 + 1 + 1, "three locks, one decision, one commit of the outcomes"
    assert "SKIP" in group.op("mview_refresh", group="sales").log


@pytest.mark.nightly
def test_what_a_group_cannot_be(group: Project) -> None:
    text = group.run("who", expect=False).text("who")
    assert "this run leaves out model.p.big, model.p.days" in text
    assert "--select config.refresh_group:sales" in text
    assert group.run("config.refresh_group:sales").status.keys() >= MEMBERS.keys()
    group.model("days", "select who, sum(n) as n from {{ ref('who') }} group by who", **GROUP)
    assert "it reads another member, model.p.who" in group.run(expect=False).text("days")
    group.model("days", "select 1 as a", post_hook=["select 1"], **GROUP)
    assert "it has a post_hook" in group.run(expect=False).text("days")
    group.model("days", "select 1 as a", read_consistency="latest", **GROUP)
    assert "its read_consistency is 'latest'" in group.run(expect=False).text("days")
