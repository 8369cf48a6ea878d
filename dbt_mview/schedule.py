"""Cron expressions on a calendar with time zones, which dbt's macros do not have.

What is due is the macros' to say (`mview_due`); here NEXT_TIME is worked out for the schedules that
they leave open, and given back to them (`mview_plan`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # Runs a run-operation with arguments; returns what it printed, line by line.
    RunOperation = Callable[[str, dict[str, Any]], Sequence[str]]

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MARK = "due: "


def next_fire(cron: str, zone: str, after: datetime) -> datetime:
    """Give the first time after a moment at which a cron expression fires.

    Debian's cron decides what happens when clocks change (cronsim): a time in the hour that is
    left out fires right after it, one in the hour that comes twice fires once; unless minute or
    hour begins with `*`: then it fires as the clock shows it.

    Args:
        cron: five fields.
        zone: the name of a time zone of the tz database.
        after: the moment, with a time zone.

    Returns:
        The time, in UTC.

    Raises:
        ValueError: the expression is none, no such day is on the calendar, or no such zone is
            known here.
    """
    try:
        fires = CronSim(cron, after.astimezone(ZoneInfo(zone)))
        # From within the second of two hours that are alike, cronsim begins with the first.
        return next(at for one in fires if (at := one.astimezone(timezone.utc)) > after)
    except StopIteration:
        raise ValueError(f"cron '{cron}' never fires: no such day is on the calendar") from None
    except ZoneInfoNotFoundError:
        raise ValueError(f"time zone '{zone}' is not known here") from None
    except CronSimError as error:
        raise ValueError(f"cron '{cron}': {error}") from error


def micros(at: datetime) -> int:
    """Microseconds since the epoch."""
    return (at - EPOCH) // timedelta(microseconds=1)


def moment(value: int) -> datetime:
    """The time of microseconds since the epoch, in UTC."""
    return EPOCH + timedelta(microseconds=value)


@dataclass(frozen=True)
class Due:
    """A view to refresh or a log to purge.

    Args:
        id: catalog.schema.identifier.
        what: view or log.
        since: when its time came, in UTC.
        why: the schedule, a retry, or what has changed.
        model: how a selector of this dbt project names it; None for one of another project.
    """

    id: str
    what: str
    since: datetime
    why: str
    model: str | None


def what_is_due(run: RunOperation, now: datetime) -> tuple[list[Due], dict[str, str]]:
    """Ask dbt what is due, after cron expressions that have no time yet were given one.

    Args:
        run: runs a run-operation of the package.
        now: the time from which a schedule counts that does not say from when.

    Returns:
        What is due, oldest first; and, by id, why an expression could not be worked out.

    Raises:
        ValueError: the operation printed no answer.
    """
    answer = _ask(run)
    times, errors = _plan(answer["unplanned"], now)
    if times:
        after = {row["id"]: row["schedule"].get("after") for row in answer["unplanned"]}
        run("mview_plan", {"times": times, "after": after})
        answer = _ask(run)
    due = [
        Due(row["id"], row["what"], moment(row["since"]), row["why"], row["model"])
        for row in answer["due"]
    ]
    return due, errors


def _ask(run: RunOperation) -> dict[str, Any]:
    """The answer of mview_due."""
    for line in run("mview_due", {"format": "json"}):
        if line.startswith(MARK):
            answer: dict[str, Any] = json.loads(line.removeprefix(MARK))
            return answer
    raise ValueError("dbt run-operation mview_due printed no answer")


def _plan(rows: list[dict[str, Any]], now: datetime) -> tuple[dict[str, int], dict[str, str]]:
    """NEXT_TIME of each row that has none, and what is wrong with the others."""
    times: dict[str, int] = {}
    errors: dict[str, str] = {}
    for row in rows:
        schedule = row["schedule"]
        after = moment(schedule["after"]) if schedule.get("after") else now
        try:
            at = next_fire(schedule["cron"], schedule["time_zone_value"], after)
            times[row["id"]] = micros(at)
        except ValueError as error:
            errors[row["id"]] = str(error)
    return times, errors
