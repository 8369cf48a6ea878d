"""Settings as people write them, and each error that they are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dbt_mview.serve import config
from dbt_mview.serve import messages as m
from dbt_mview.serve.times import MINUTE, SECOND, Hold

MODELS = {
    "c.s.daily": m.Model("c.s.daily"),
    "c.s.left": m.Model("c.s.left", group="both"),
    "c.s.right": m.Model("c.s.right", group="both"),
}
NAMES = {"c.s.daily": "shop.marts.Daily,Daily", "c.s.left": "config.refresh_group:both"}


def settings(lease: int | None = 3600, pools: Any = None, **given: object) -> m.Settings:
    return config.settings_from(given, pools or {}, broken_after=16, lease=lease)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), (90, 90), ("30s", 30), ("15m", 900), ("2 hours", 7200), ("1 Day", 86400)],
)
def test_durations(text: object, seconds: int) -> None:
    assert config.seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "-1", "1.5s", "s", "5 weeks", True, "1h30m", None])
def test_what_is_no_duration(text: object) -> None:
    with pytest.raises(ValueError, match=r"is no duration: give seconds, or such as 30s, 15m"):
        config.seconds(text)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0s"), (90, "90s"), (60, "1m"), (5400, "90m"), (172800, "2d")]
)
def test_durations_are_shown_as_they_are_given(seconds: int, text: str) -> None:
    assert config.text(seconds * SECOND) == text
    assert config.seconds(text) == seconds


def test_settings_are_shown_as_they_are_given() -> None:
    made = settings(workers="3", timeout="30m", fetch_interval=10)
    assert (made.workers, made.timeout, made.fetch_interval) == (3, 30 * MINUTE, 10 * SECOND)
    shown = config.shown(made)
    assert (shown["workers"], shown["timeout"], shown["drain"]) == ("3", "30m", "1m")
    assert settings(**shown) == made
    assert set(shown) == set(config.LIVE)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("workers", "two", "workers: 'two' is no whole number"),
        ("workers", "0", "workers: workers is 0: give 1 to 1000"),
        ("workers", True, "workers: 'True' is no whole number"),
        ("batch_size", "1001", "batch_size: batch_size is 1001: give 1 to 1000"),
        ("timeout", "0", "timeout: timeout is 0: give 1000000"),
        ("virtual_nodes", "201", "virtual_nodes: virtual_nodes is 201: give 1 to 200"),
        ("drain", "soon", "drain: 'soon' is no duration"),
        ("broken_after", "3", "there is no setting 'broken_after': workers, timeout,"),
    ],
)
def test_bad_values(name: str, value: object, error: str) -> None:
    with pytest.raises(ValueError) as found:
        settings(**{name: value})
    assert str(found.value).startswith(error)


def test_the_timeout_goes_by_the_lease() -> None:
    assert settings(lease=3600).timeout == 3540 * SECOND
    assert settings(lease=30).timeout == 15 * SECOND, "of a short one it is half"
    assert settings(lease=None).timeout == m.Settings().timeout
    assert settings(lease=3600, timeout="1h").timeout == 3600 * SECOND
    with pytest.raises(ValueError) as found:
        settings(lease=3600, timeout="2h")
    assert str(found.value) == (
        "timeout is 2h, above the lease of the locks, 3600s: a run would lose its lock before it"
        " is cancelled. Give 3540s or less, or a longer lease (dbt_mview:lease_seconds)"
    )


def test_so_does_that_of_a_model() -> None:
    config.check_timeouts({"v": m.Model("v", timeout=3600 * SECOND)}, 3600)
    with pytest.raises(ValueError, match=r"^v: its timeout is 61m, above the lease of the locks"):
        config.check_timeouts({"v": m.Model("v", timeout=3660 * SECOND)}, 3600)


def test_defaults_are_given_back() -> None:
    assert (config.default("workers"), config.default("timeout")) == ("2", "59m")
    with pytest.raises(ValueError, match=r"there is no setting 'pools'"):
        config.default("pools")


def test_the_file(tmp_path: Path) -> None:
    file = tmp_path / config.FILE
    assert config.read_file(file) == {}
    file.write_text("# nothing\n")
    assert config.read_file(file) == {}
    file.write_text("workers: 4\npools: {big: 2}\n")
    assert config.read_file(file) == {"workers": 4, "pools": {"big": 2}}
    file.write_text("- workers\n")
    with pytest.raises(ValueError, match=r"dbt_mview.yml holds no mapping of settings"):
        config.read_file(file)
    file.write_text("workers: [4\n")
    with pytest.raises(ValueError, match=r"dbt_mview.yml is no YAML: "):
        config.read_file(file)


def test_pools() -> None:
    assert config.pools_from(None) == {}
    assert config.pools_from({"big": 2, "small": "1"}) == {"big": 2, "small": 1}
    with pytest.raises(ValueError, match=r"pools is no mapping of names to slots, such as \{big"):
        config.pools_from(["big"])
    with pytest.raises(ValueError, match=r"pools: 'many' is no whole number"):
        config.pools_from({"big": "many"})
    with pytest.raises(ValueError, match=r"pool 'big' is 0: give 1"):
        settings(pools={"big": 0})


def test_holds() -> None:
    assert config.windows_from(None) == ()
    given = {"cron": "0 3 * * *", "time_zone_value": "Europe/Berlin", "duration": "2h"}
    (window,) = config.windows_from([{**given, "select": ["daily"]}])
    assert window.hold == Hold("0 3 * * *", "Europe/Berlin", 120 * MINUTE)
    assert window.select == ("daily",)
    (window,) = config.windows_from([{"cron": "0 3 * * *", "duration": 60}])
    assert (window.hold.zone, window.select) == ("UTC", ())


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("0 3 * * *", "holds is no list"),
        (["0 3 * * *"], "holds: '0 3 * * *' is no mapping with cron and duration"),
        ([{"cron": "0 3 * * *"}], "holds: {'cron': '0 3 * * *'}: give cron, duration"),
        ([{"cron": "0 3 * * *", "duration": 9, "zone": 1}], "holds: {'cron': '0 3 * * *', 'dur"),
        ([{"cron": "0 3 * *", "duration": 60}], "holds: cron '0 3 * *': "),
        ([{"cron": "0 3 * * *", "duration": "long"}], "holds: 'long' is no duration"),
        ([{"cron": "0 3 * * *", "duration": 0}], "holds: hold '0 3 * * *' is shorter than"),
        (
            [{"cron": "0 3 * * *", "duration": 9, "time_zone_value": "Mars"}],
            "holds: time zone 'Mars' is not known here",
        ),
        ([{"cron": "0 3 * * *", "duration": 9, "select": "daily"}], "holds: select is no list"),
    ],
)
def test_what_is_no_hold(given: object, error: str) -> None:
    with pytest.raises(ValueError) as found:
        config.windows_from(given)
    assert str(found.value).startswith(error)


def test_holds_name_units() -> None:
    hold = Hold("0 3 * * *", "UTC", MINUTE)
    windows = (config.Window(hold, ()), config.Window(hold, ("DAILY", "s.left")))
    made = config.with_holds(m.Settings(), windows, MODELS, NAMES)
    assert [one.ids for one in made.holds] == [None, frozenset({"c.s.daily", "group:both"})]
    with pytest.raises(ValueError, match=r"^holds: 'weekly' is no view or log of this project$"):
        config.with_holds(m.Settings(), [config.Window(hold, ("weekly",))], MODELS, NAMES)


@pytest.mark.parametrize(
    ("name", "is_called"),
    [
        ("c.s.daily", True),
        ("s.daily", True),
        ("daily", True),
        ("Daily", True),
        ("shop.marts.Daily,Daily", True),
        ("aily", False),
        ("marts", False),
        ("", False),
    ],
)
def test_names(name: str, is_called: bool) -> None:
    assert config.is_called("c.s.daily", NAMES["c.s.daily"], name) is is_called
