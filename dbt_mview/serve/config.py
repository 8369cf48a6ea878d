"""Settings of the service as people write them: on the command line, in the environment, in a file.

All of them go through `settings_from`, whoever gives them, so that one set of rules and one set of
messages holds for flags, `DBT_MVIEW_*`, `dbt_mview.yml` and `dbt-mview set`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from dbt_mview.serve.messages import Model, Settings
from dbt_mview.serve.times import SECOND, Hold

FILE = "dbt_mview.yml"
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
DURATION = re.compile(r"(\d+)\s*(s|m|h|d|seconds?|minutes?|hours?|days?)?")
# A run is cancelled this much before its lease ends, so that its end is its own.
BEFORE_LEASE = timedelta(seconds=60)


def seconds(value: object) -> int:
    """Whole seconds of a duration.

    Args:
        value: a number of seconds, or text such as '90', '30s', '15m', '2 hours', '1 day'.

    Raises:
        ValueError: it is none.
    """
    found = DURATION.fullmatch(str(value).strip().lower())
    if isinstance(value, bool) or found is None:
        raise ValueError(f"'{value}' is no duration: give seconds, or such as 30s, 15m, 2h, 1d")
    return int(found[1]) * UNITS[(found[2] or "s")[0]]


def text(duration: int) -> str:
    """Microseconds as they are given on the command line: the largest unit that divides them."""
    whole = duration // SECOND
    for unit, size in reversed(UNITS.items()):
        if whole and whole % size == 0:
            return f"{whole // size}{unit}"
    return f"{whole}s"


def micros(value: object) -> int:
    """Microseconds of a duration, see `seconds`."""
    return seconds(value) * SECOND


def count(value: object) -> int:
    """A whole number.

    Raises:
        ValueError: it is none.
    """
    if isinstance(value, bool) or not re.fullmatch(r"\d+", str(value).strip()):
        raise ValueError(f"'{value}' is no whole number")
    return int(str(value))


# What can be changed while it runs: how it is read, and how it is shown.
LIVE: dict[str, tuple[Callable[[object], int], Callable[[int], str]]] = {
    "workers": (count, str),
    "timeout": (micros, text),
    "fetch_interval": (micros, text),
    "batch_size": (count, str),
    "drain": (micros, text),
    "upstream_wait": (micros, text),
    "source_poll": (micros, text),
    "virtual_nodes": (count, str),
}


@dataclass(frozen=True, slots=True)
class Window:
    """A hold as it is written; which units it names is known with the project.

    Args:
        hold: of all units.
        select: ids or names of models; empty for all.
    """

    hold: Hold
    select: tuple[str, ...]


def parsed(name: str, value: object) -> int:
    """The value of a live setting.

    Raises:
        ValueError: there is no such setting, or it cannot have this value.
    """
    if name not in LIVE:
        raise ValueError(f"there is no setting '{name}': {', '.join(LIVE)}")
    try:
        number = LIVE[name][0](value)
        Settings(**{name: number})  # type: ignore[arg-type]
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    return number


def default(name: str) -> str:
    """What a live setting is where nobody has given it.

    Raises:
        ValueError: there is no such setting.
    """
    if name not in LIVE:
        raise ValueError(f"there is no setting '{name}': {', '.join(LIVE)}")
    return LIVE[name][1](getattr(Settings(), name))


def shown(settings: Settings) -> dict[str, str]:
    """The live settings by name, as they are given on the command line."""
    return {name: show(getattr(settings, name)) for name, (_, show) in LIVE.items()}


def settings_from(
    given: Mapping[str, object], pools: Mapping[str, int], *, broken_after: int, lease: int | None
) -> Settings:
    """The settings of the service.

    Args:
        given: live settings by name, as people write them; what is missing has its default.
        pools: slots by the name of the pool.
        broken_after: of the dbt package.
        lease: of its locks in seconds; None where the project is not known yet.

    Raises:
        ValueError: a value is out of its range, or the timeout is above the lease.
    """
    values: dict[str, Any] = {name: parsed(name, value) for name, value in given.items()}
    if lease is not None:
        most = max(lease - BEFORE_LEASE // timedelta(seconds=1), lease // 2, 1)
        if values.get("timeout", 0) > lease * SECOND:
            raise ValueError(
                f"timeout is {text(values['timeout'])}, above the lease of the locks, {lease}s: a "
                f"run would lose its lock before it is cancelled. Give {most}s or less, or a longer"
                " lease (dbt_mview:lease_seconds)"
            )
        values.setdefault("timeout", most * SECOND)
    return Settings(**values, pools=pools, broken_after=broken_after)


def check_timeouts(models: Mapping[str, Model], lease: int) -> None:
    """Refuses a timeout of a model that is above the lease of its lock.

    Args:
        models: of the project.
        lease: seconds.

    Raises:
        ValueError: one is.
    """
    for id_, model in models.items():
        if model.timeout is not None and model.timeout > lease * SECOND:
            raise ValueError(
                f"{id_}: its timeout is {text(model.timeout)}, above the lease of the locks, "
                f"{lease}s: give less in meta.dbt_mview, or a longer lease "
                "(dbt_mview:lease_seconds)"
            )


def read_file(path: Path) -> dict[str, Any]:
    """What `dbt_mview.yml` says; nothing where there is none.

    Raises:
        ValueError: it is no mapping, or no YAML.
    """
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is no YAML: {error}") from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ValueError(f"{path} holds no mapping of settings")
    return {str(name): value for name, value in found.items()}


def pools_from(given: object) -> dict[str, int]:
    """Pools as the file has them: a mapping of names to slots.

    Raises:
        ValueError: it is none.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError("pools is no mapping of names to slots, such as {big: 2}")
    try:
        return {str(name): count(slots) for name, slots in given.items()}
    except ValueError as error:
        raise ValueError(f"pools: {error}") from error


def unknown_pool(name: str) -> str:
    """What is said of a model's pool that the file does not have: it bounds nothing."""
    return (
        f"pool '{name}' is none of those in {FILE}, so nothing bounds it: name it there, and start"
        " the nodes anew"
    )


def windows_from(given: object) -> tuple[Window, ...]:
    """Holds as the file has them: a list of {cron, time_zone_value, duration, select}.

    Raises:
        ValueError: it is none, or one of them is not as it must be.
    """
    windows = []
    for one in _list("holds", given):
        if not isinstance(one, Mapping):
            raise ValueError(f"holds: '{one}' is no mapping with cron and duration")
        unknown = set(one) - {"cron", "time_zone_value", "duration", "select"}
        if unknown or "cron" not in one or "duration" not in one:
            raise ValueError(
                f"holds: {dict(one)}: give cron, duration, and if need be time_zone_value, select"
            )
        zone = str(one.get("time_zone_value", "UTC"))
        try:
            hold = Hold(str(one["cron"]), zone, micros(one["duration"]))
        except ValueError as error:
            raise ValueError(f"holds: {error}") from error
        select = tuple(str(name) for name in _list("holds: select", one.get("select")))
        windows.append(Window(hold, select))
    return tuple(windows)


def _list(name: str, given: object) -> Sequence[object]:
    """A list, or nothing."""
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ValueError(f"{name} is no list")
    return given


def with_holds(
    settings: Settings,
    windows: Sequence[Window],
    models: Mapping[str, Model],
    names: Mapping[str, str],
) -> Settings:
    """Settings with the holds, and the units that they name.

    Args:
        settings: without holds.
        windows: as written.
        models: of the project.
        names: by id, how a selector of the project names a model.

    Raises:
        ValueError: a hold names no view or log of the project.
    """
    found = []
    for window in windows:
        if not window.select:
            found.append(window.hold)
            continue
        units: set[str] = set()
        for name in window.select:
            ids = [id_ for id_ in models if is_called(id_, names.get(id_, ""), name)]
            if not ids:
                raise ValueError(f"holds: '{name}' is no view or log of this project")
            units.update(models[id_].unit for id_ in ids)
        hold = window.hold
        found.append(Hold(hold.cron, hold.zone, hold.duration, frozenset(units)))
    return replace(settings, holds=tuple(found))


def is_called(id_: str, selector: str, name: str) -> bool:
    """Whether a user means this view or log by a name: of the model, or of the table.

    Args:
        id_: catalog.schema.identifier.
        selector: how a selector names its model: `project.folder.model`, or a group's.
        name: as the user wrote it.
    """
    wanted = name.lower()
    last = selector.split(",")[-1].split(".")[-1].lower()
    return wanted == id_ or id_.endswith("." + wanted) or wanted in (last, selector.lower())
