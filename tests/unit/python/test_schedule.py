"""Cron expressions on the calendar, and the answers of `dbt-mview due`."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from click.testing import CliRunner
from dbt.cli.main import dbtRunner, dbtRunnerResult

from dbt_mview import cli, schedule

pytestmark = pytest.mark.unit
NOW = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}+00:00")


@pytest.mark.parametrize(
    ("cron", "zone", "after", "expected"),
    [
        ("0 3 * * *", "UTC", "2024-03-01 02:59", "2024-03-01 03:00"),
        ("0 3 * * *", "UTC", "2024-03-01 03:00", "2024-03-02 03:00"),
        ("0 3 * * *", "Europe/Berlin", "2024-01-31 12:00", "2024-02-01 02:00"),
        # Clocks go from 02:00 to 03:00: half past two comes right after the gap.
        ("30 2 * * *", "Europe/Berlin", "2024-03-30 12:00", "2024-03-31 01:00"),
        ("30 2 * * *", "Europe/Berlin", "2024-03-31 12:00", "2024-04-01 00:30"),
        # They go back from 03:00 to 02:00: half past two comes twice, and fires once.
        ("30 2 * * *", "Europe/Berlin", "2024-10-26 12:00", "2024-10-27 00:30"),
        ("30 2 * * *", "Europe/Berlin", "2024-10-27 00:31", "2024-10-28 01:30"),
        # What begins with * fires as the clock shows it: not at all, or in both of the hours.
        ("*/30 2 * * *", "Europe/Berlin", "2026-03-28 12:00", "2026-03-30 00:00"),
        ("*/30 2 * * *", "Europe/Berlin", "2026-10-25 00:31", "2026-10-25 01:00"),
        ("0 0 29 2 *", "UTC", "2024-03-01 00:00", "2028-02-29 00:00"),
        ("0 9 * * 1-5", "America/New_York", "2024-07-05 13:00", "2024-07-08 13:00"),
    ],
)
def test_next_fire(cron: str, zone: str, after: str, expected: str) -> None:
    found = schedule.next_fire(cron, zone, at(after))
    assert found == at(expected) and found.utcoffset() == timedelta(0)


@pytest.mark.parametrize("after", ["2026-10-25 01:05", "2026-10-25 01:20"])
def test_from_within_the_second_of_two_hours(after: str) -> None:
    """It fired in the first of them, and does not again."""
    found = schedule.next_fire("30 2 * * *", "Europe/Berlin", at(after))
    assert found == at("2026-10-26 01:30")


def test_what_never_fires() -> None:
    with pytest.raises(ValueError, match=r"cron '0 0 30 2 \*': Bad day-of-month"):
        schedule.next_fire("0 0 30 2 *", "UTC", NOW)


@pytest.mark.parametrize(("cron", "zone"), [("61 * * * *", "UTC"), ("* * * * *", "No/Where")])
def test_no_expression(cron: str, zone: str) -> None:
    with pytest.raises(ValueError, match=r"Bad minute|time zone 'No/Where' is not known here"):
        schedule.next_fire(cron, zone, NOW)


def test_micros_are_exact() -> None:
    for value in (0, 1, 1_709_294_400_000_001):
        assert schedule.micros(schedule.moment(value)) == value


class Dbt:
    """Answers as the operations do."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        self.rows = {row["id"]: row for row in rows}
        self.planned: dict[str, int] = {}

    def __call__(self, name: str, args: dict[str, Any]) -> list[str]:
        if name == "mview_plan":
            self.planned.update(args["times"])
            for id_, after in args["after"].items():
                assert self.rows[id_]["schedule"].get("after") == after
            return []
        assert (name, args) == ("mview_due", {"format": "json"})
        open_ = [row for id_, row in self.rows.items() if id_ not in self.planned]
        now = schedule.micros(NOW)
        due = [
            {"id": id_, "what": "view", "since": time, "why": "schedule", "model": f"p.{id_}"}
            for id_, time in self.planned.items()
            if time <= now
        ]
        answer = {"due": due, "unplanned": open_}
        return ["Running", f"due: {json.dumps(answer)}"]


def row(id_: str, cron: str, last: str | None, zone: str = "UTC") -> dict[str, Any]:
    counted = {"after": schedule.micros(at(last))} if last else {}
    return {"id": id_, "schedule": {"cron": cron, "time_zone_value": zone, **counted}}


def test_what_is_due() -> None:
    """A fire since the last run makes it due; without a run it counts from now."""
    dbt = Dbt(
        row("missed", "0 3 * * *", "2024-02-29 12:00"),
        row("done", "0 3 * * *", "2024-03-01 03:01"),
        row("new", "0 3 * * *", None),
        row("never", "0 0 30 2 *", None),
        row("nowhere", "0 3 * * *", None, zone="No/Where"),
    )
    due, errors = schedule.what_is_due(dbt, NOW)
    assert [(one.id, one.since, one.model) for one in due] == [
        ("missed", at("2024-03-01 03:00"), "p.missed")
    ]
    assert dbt.planned["done"] == dbt.planned["new"] == schedule.micros(at("2024-03-02 03:00"))
    assert "Bad day" in errors.pop("never") and "No/Where" in errors.pop("nowhere")
    assert not errors


def test_nothing_to_plan_asks_once() -> None:
    calls: list[str] = []

    def run(name: str, args: dict[str, Any]) -> list[str]:
        calls.append(name)
        return ['due: {"due": [], "unplanned": []}']

    assert schedule.what_is_due(run, NOW) == ([], {})
    assert calls == ["mview_due"]


def test_no_answer() -> None:
    with pytest.raises(ValueError, match="printed no answer"):
        schedule.what_is_due(lambda *_: ["Running with dbt"], NOW)


@pytest.mark.parametrize(
    ("raised", "told"), [(OSError(), "failed: OSError"), (OSError("no disk"), "failed: no disk")]
)
def test_a_dbt_that_fails_says_why(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, told: str
) -> None:
    answer(monkeypatch, raised)
    result = CliRunner().invoke(cli.main, ["due"])
    assert result.exit_code == 1
    assert result.output.endswith(f"Error: dbt run-operation mview_due {told}\n")


def test_an_interrupt_is_no_error_of_dbt(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, KeyboardInterrupt())
    assert CliRunner().invoke(cli.main, ["due"]).output == "\nAborted!\n"


def answer(monkeypatch: pytest.MonkeyPatch, raised: BaseException) -> None:
    """Has dbt hand back an exception, as it does with all that is raised within it."""
    result = dbtRunnerResult(success=False, exception=raised)
    monkeypatch.setattr(dbtRunner, "invoke", lambda *_: result)


def invoke(monkeypatch: pytest.MonkeyPatch, *args: str) -> Any:
    found = schedule.Due("c.s.v", "view", NOW, "schedule", "p.v")
    other = schedule.Due("c.s.log", "log", NOW, "schedule", None)
    answer = ([found, other], {"c.s.x": "cron '0 0 30 2 *' never fires"})
    monkeypatch.setattr(schedule, "what_is_due", lambda run, now: answer)
    return CliRunner(env={"COLUMNS": "200"}).invoke(cli.main, ["due", *args])


def test_command(monkeypatch: pytest.MonkeyPatch) -> None:
    result = invoke(monkeypatch, "--target", "prod")
    assert "of another project" in result.output and "purge" in result.output
    assert "c.s.x: cron '0 0 30 2 *' never fires" in result.output and result.exit_code == 1


def test_selector(monkeypatch: pytest.MonkeyPatch) -> None:
    assert invoke(monkeypatch, "--selector").stdout == "p.v\n"
