"""mview_due."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt, DbtError, Model
from ...kit.scenes import MEMBER_IDS, MEMBERS, VIEW, new

OTHER = "spark_catalog.other.v"


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
ROWS = [("view", VIEW, EVERY, micros(0)), ("log", OTHER, EVERY, micros(-1))]


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
    assert dbt.engine.writes == [] and printed[-1].split()[0] == "due"


@pytest.mark.parametrize("folder", ["my reports", "a,b"])
def test_a_folder_whose_name_would_be_parted(folder: str) -> None:
    dbt = Dbt(None, Model("orders", folder=folder))
    assert dbt("_models_by_id") == {"spark_catalog.shop.orders": "orders"}
