"""The forms of a schedule."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError

ID = "c.s.v"


def schedule(config: Any, key: str = "schedule", lag: Any = None) -> Any:
    return Dbt()("_schedule", ID, config, key, lag)


@pytest.mark.parametrize(
    ("config", "form"),
    [
        (None, None),
        ({}, None),
        ({"every": None}, None),
        ({"every": "2 hours"}, {"every": 7200}),
        ({"cron": " 0  3 * * * "}, {"cron": "0 3 * * *", "time_zone_value": "UTC"}),
        (
            {"cron": "0 3 * * *", "time_zone_value": "Europe/Berlin"},
            {"cron": "0 3 * * *", "time_zone_value": "Europe/Berlin"},
        ),
        ({"on_update": True}, {"on_update": True, "at_most_every": None}),
        (
            {"at_most_every": "5 minutes", "on_update": True},
            {"on_update": True, "at_most_every": 300},
        ),
        ({"next": " now() "}, {"start_with": None, "next": "now()"}),
        ({"start_with": "now()"}, {"start_with": "now()", "next": None}),
        ({"next": "b", "start_with": "a"}, {"start_with": "a", "next": "b"}),
    ],
)
def test_forms(config: Any, form: Any) -> None:
    assert schedule(config) == form


def test_target_lag_is_a_form_of_its_own() -> None:
    assert schedule(None, lag="10 minutes") == {"target_lag": 600}
    with pytest.raises(DbtError, match=r"every.* beside target_lag"):
        schedule({"every": "1 day"}, lag="10 minutes")


@pytest.mark.parametrize(
    "config",
    [
        {"every": "1 day", "cron": "0 3 * * *"},
        {"every": "1 day", "next": "now()"},
        {"every": "1 day", "time_zone_value": "UTC"},
        {"at_most_every": "1 day"},
        {"often": True},
    ],
)
def test_one_form_only(config: dict[str, Any]) -> None:
    with pytest.raises(DbtError, match=r"c\.s\.v: schedule is {.*Give one of {cron, time_zone"):
        schedule(config)


@pytest.mark.parametrize(
    ("config", "shown"), [("0 3 * * *", '"0 3'), (["1 day"], r'\["1 day"\]'), (7, "7")]
)
def test_what_is_no_mapping(config: Any, shown: str) -> None:
    with pytest.raises(DbtError, match=rf"c\.s\.v: schedule is {shown}.*Give one of {{cron, time_"):
        schedule(config)


def test_on_update_is_for_views_and_true() -> None:
    assert schedule({"every": 60}, key="purge") == {"every": 60}
    for key, value in (("purge", True), ("schedule", False)):
        with pytest.raises(DbtError, match=f"{key} says on_update: {value}"):
            schedule({"on_update": value}, key=key)
