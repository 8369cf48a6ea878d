"""Plans that users hold, resume and reset; what is due."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..kit.engine import micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.log_scenes import LOG, started
from ..kit.scenes import MEMBER_IDS, MEMBERS, VIEW, built, new

# What mview_pause, mview_resume and mview_reset are told, and what they say.


OTHER = "spark_catalog.shop.other"


def held(dbt: Dbt, how: str, **args: Any) -> list[str]:
    """The statements of an operation, each on one line."""
    dbt.engine.on["schedule"] = lambda *_: None
    dbt.operation(f"mview_{how}", **args)
    return [" ".join(one.sql.split()) for one in dbt.engine.log if one.step == "schedule"]


def test_all_views_and_all_logs() -> None:
    dbt = started()
    dbt.engine.state(VIEW)
    views, logs = held(dbt, "pause", view="all", log="all")
    assert "`mview_refresh_info` set paused_time" in views and f"in ('{VIEW}')" in views
    assert "`mlog_purge_info` set paused_time" in logs and f"in ('{LOG}')" in logs


def test_one_log() -> None:
    (sql,) = held(started(), "reset", log="orders_log")
    assert f"where mlog_id in ('{LOG}')" in sql


def test_a_member_stands_for_its_group() -> None:
    dbt = built()
    for id_, group in ((VIEW, "sales"), (OTHER, "sales"), ("spark_catalog.shop.third", "x")):
        row = dict.fromkeys(dbt.engine.states[VIEW])
        dbt.engine.states[id_] = {**row, "mview_id": id_, "spec": {"refresh_group": group}}
    (sql,) = held(dbt, "pause", view="totals")
    assert f"in ('{VIEW}', '{OTHER}')" in sql


def test_what_is_due_next_is_printed() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["paused_time"] = micros(5)
    dbt.engine.on["schedule"] = lambda *_: None
    printed = dbt.operation("mview_pause", view="totals")
    assert any("shop.totals" in line and "paused since 2024-03-01" in line for line in printed)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({}, "mview_pause: neither a view nor a log is given"),
        ({"view": "none"}, "none: is no materialized view"),
        ({"log": "none"}, "none: is no materialized view log that state knows"),
    ],
)
def test_refused(args: dict[str, str], says: str) -> None:
    dbt = built()
    with pytest.raises(DbtError, match=says):
        dbt.operation("mview_pause", **args)
    assert dbt.engine.writes == []


def test_a_view_that_was_never_built_has_no_plan_to_hold() -> None:
    dbt = built()
    dbt.engine.states.clear()
    with pytest.raises(DbtError, match=r"totals: state has no row of it.*dbt run"):
        dbt.operation("mview_pause", view="totals")


# mview_pause.


def test_pause() -> None:
    (sql,) = held(built(), "pause", view="totals")
    assert f"set paused_time = current_timestamp() where mview_id in ('{VIEW}')" in sql


def test_dry_run() -> None:
    dbt = built()
    printed = dbt.operation("mview_pause", view="totals", dry_run=True)
    assert dbt.engine.writes == [] and "step=schedule" in printed[0]


# mview_resume.


def test_resume() -> None:
    (sql,) = held(built(), "resume", view="totals")
    assert f"set paused_time = null where mview_id in ('{VIEW}')" in sql


def test_mview_resume_dry_run() -> None:
    dbt = built()
    printed = dbt.operation("mview_resume", view="totals", dry_run=True)
    assert dbt.engine.writes == [] and "step=schedule" in printed[0]


# mview_reset.


def test_reset() -> None:
    (sql,) = held(built(), "reset", view="totals")
    assert f"set failures = null, retry_time = null where mview_id in ('{VIEW}')" in sql


def test_mview_reset_dry_run() -> None:
    dbt = built()
    printed = dbt.operation("mview_reset", view="totals", dry_run=True)
    assert dbt.engine.writes == [] and "step=schedule" in printed[0]


# mview_due.


OTHER_DUE = "spark_catalog.other.v"


def asked(*rows: tuple[str, str, Any, Any], **args: Any) -> list[str]:
    """What is printed of rows what, id, schedule, next_time."""
    dbt = new(Model("totals"))
    values: list[list[Any]] = [
        [what, id_, json.dumps(schedule), next_, None, None, None, "success", True, True]
        for what, id_, schedule, next_ in rows
    ]
    dbt.engine.due = values
    return dbt.operation("mview_due", **args)


EVERY = {"every": 60}
CRON = {"cron": "* * * * *", "time_zone_value": "UTC"}
ROWS = [("view", VIEW, EVERY, micros(0)), ("log", OTHER_DUE, EVERY, micros(-1))]


def test_table() -> None:
    head, first, second = asked(*ROWS)
    assert head.split() == ["due", "for", "since", "why", "model"]
    assert first.split() == "other.v purge 2024-02-29 23:59:00Z schedule of another project".split()
    assert second.split()[:2] + second.split()[-1:] == ["shop.totals", "refresh", "shop.totals"]


def test_selector() -> None:
    assert asked(*ROWS, format="selector") == ["shop.totals"]
    assert asked(ROWS[1], format="selector") == [], "nothing of this project"
    assert asked(format="selector") == []


def test_a_group_is_named_whole() -> None:
    dbt = new(MEMBERS[0])
    rows = [["view", id_, json.dumps(EVERY), 0, None, None, None, "success", True, True]
            for id_ in MEMBER_IDS]  # fmt: skip
    dbt = Dbt(dbt.engine, *MEMBERS)
    dbt.engine.due = rows
    assert dbt.operation("mview_due", format="selector") == ["config.refresh_group:sales"]


def test_what_is_another_kind_of_model_now_is_not_named() -> None:
    """No run of a table moves the plan that its view has left behind."""
    dbt = new(Model("totals"))
    dbt.engine.due = [["view", VIEW, json.dumps(EVERY), 0, None, None, None, None, "success", 1, 1]]
    dbt = Dbt(dbt.engine, Model("totals", materialized="table"))
    assert dbt.operation("mview_due", format="selector") == []
    assert dbt.operation("mview_due")[1].endswith("of another project")


def test_a_folder_that_is_called_like_a_model() -> None:
    """To dbt the name of the one selects the other, too."""
    dbt = new(Model("totals"))
    models = [Model("totals"), Model("others", folder="totals"), Model("more", folder="else")]
    dbt = Dbt(dbt.engine, *models)
    assert dbt("_models_by_id") == {
        VIEW: "shop.totals,totals",
        "spark_catalog.shop.others": "shop.totals.others",
        "spark_catalog.shop.more": "shop.else.more",
    }


def test_json() -> None:
    (line,) = asked(*ROWS, ("view", "c.s.x", CRON, None), format="json")
    found = json.loads(line.removeprefix("due: "))
    assert [row["model"] for row in found["due"]] == [None, "shop.totals"]
    assert [row["schedule"] for row in found["unplanned"]] == [CRON]


def test_cron_without_a_time_is_told() -> None:
    lines = asked(("view", VIEW, CRON, None))
    assert lines[-1].startswith("1 cron schedules have no NEXT_TIME yet: `dbt-mview due`")


def test_no_such_format() -> None:
    with pytest.raises(DbtError, match=r"format is 'xml'\. Use one of: table, selector, json, st"):
        asked(format="xml")


def test_ids_are_for_state() -> None:
    with pytest.raises(DbtError, match=r"format is 'json' beside ids\..*; ids are for state"):
        asked(format="json", ids=[VIEW])


def test_state() -> None:
    dbt = new()
    dbt.engine.plans = [["view", VIEW, *[None] * 5, "0", None, None, "success", "it's\nbad"]]
    (line,) = dbt.operation("mview_due", format="state")
    said = json.loads(line.removeprefix("state: "))
    assert (said["clock"], [row["id"] for row in said["rows"]]) == (micros(720), [VIEW])
    assert said["rows"][0]["reason"] == "it's\nbad", "one line all the same"
    assert dbt.engine.writes == []


def test_state_in_a_dry_run_without_state() -> None:
    dbt = Dbt()
    *_, line = dbt.operation("mview_due", format="state", dry_run=True)
    assert json.loads(line.removeprefix("state: "))["rows"] == [] and dbt.engine.writes == []


def test_dry_run_without_state() -> None:
    dbt = Dbt()
    printed = dbt.operation("mview_due", dry_run=True)
    assert dbt.engine.writes == [] and printed[-1] == "mview_due: nothing is due"


@pytest.mark.parametrize("folder", ["my reports", "a,b"])
def test_a_folder_whose_name_would_be_parted(folder: str) -> None:
    dbt = Dbt(None, Model("orders", folder=folder))
    assert dbt("_models_by_id") == {"spark_catalog.shop.orders": "orders"}
