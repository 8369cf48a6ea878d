"""What a node shows: the report, made of the core, of state's rows and of the database."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from dbt_mview.serve import config
from dbt_mview.serve import messages as m
from dbt_mview.serve.core import Core
from dbt_mview.serve.log_state import Detail
from dbt_mview.serve.project import Project
from dbt_mview.serve.report import Condition, ViewLine
from dbt_mview.serve.times import SECOND
from dbt_mview.serve.unit import BROKEN, CHANGED, LISTENS, PAUSED, STATES, Item

CONDITIONS: dict[str, Condition] = {
    "queued": "queued",
    "waiting": "waiting",
    "running": "running",
}


@dataclass(frozen=True)
class Seen:
    """What lines are made of.

    Args:
        core: of the node that reports.
        project: of dbt.
        rows: all of state, by id.
        running: ids that other nodes run.
        problems: by id, the first line of what is wrong.
        details: by id, what else the reading of state has told.
        now: the engine's clock.
    """

    core: Core
    project: Project
    rows: Mapping[str, m.Row]
    running: Collection[str]
    problems: Mapping[str, str]
    details: Mapping[str, Detail]
    now: int


def view_lines(seen: Seen) -> tuple[ViewLine, ...]:
    """All that state has, and models that it does not have yet; what is due first comes first."""
    lines = [_line(seen, row.id, row) for row in seen.rows.values()]
    lines += [
        _line(seen, id_, m.Row(id_, 0, None)) for id_ in seen.project.models if id_ not in seen.rows
    ]
    # What is wrong with state, and of no view: see `log_state.nameless`.
    lines += [
        _line(seen, id_, m.Row(id_, 0, None))
        for id_, detail in seen.details.items()
        if detail.fault and id_ not in seen.rows and id_ not in seen.project.models
    ]
    return tuple(sorted(lines, key=lambda line: (line.due is None, line.due or 0, line.id)))


def _line(seen: Seen, id_: str, row: m.Row) -> ViewLine:
    """One of them."""
    core = seen.core
    model = seen.project.models.get(id_)
    unit = model.unit if model else id_
    detail = seen.details.get(id_)
    item = core.items.get(unit)
    due = row.due
    if item is not None and item.due is not None:
        due = item.due
    listens = row.at_most_every is not None and row.retry_time is None
    condition = _condition(seen, row, model, item, due)
    is_over = due is not None and due <= seen.now
    if condition in ("paused", "broken") or (condition == "idle" and listens and is_over):
        due = None  # the latter when a source changes
    # When a source has changed is not known.
    is_late = condition not in ("idle", "running") and due is not None and not listens
    took = item.took if item is not None and row.took is None else row.took
    return ViewLine(
        id=id_,
        kind=model.kind if model else detail.kind if detail else "view",
        model=seen.project.selects.get(id_),
        unit=unit,
        node=core.owner(unit) if model else None,
        condition=condition,
        due=due,
        late=max(seen.now - due, 0) / SECOND if is_late and due is not None else 0.0,
        ended=row.ended,
        took=took,
        failures=row.failures,
        paused_time=core.known.paused.get(unit) if row.paused_time is None else row.paused_time,
        schedule=detail.schedule if detail else "",
        problem=_problem(seen, row, model, detail),
        priority=model.priority if model else 3,
        pool=model.pool if model else None,
    )


def _problem(seen: Seen, row: m.Row, model: m.Model | None, detail: Detail | None) -> str:
    """What is wrong with one, the worst first; empty for nothing."""
    if model is not None and row.id not in seen.rows:
        return f"never built: dbt run --select {seen.project.selects.get(row.id, row.id)}"
    if row.id in seen.core.problems:
        return seen.core.problems[row.id]
    if detail is not None and detail.fault:
        return detail.fault
    if row.failures:
        unknown = f"{row.failures} failures: mview_info has the last one"
        return seen.problems.get(row.id) or unknown
    if model is not None and model.pool and model.pool not in seen.core.settings.pools:
        return config.unknown_pool(model.pool)
    return ""


def _condition(
    seen: Seen, row: m.Row, model: m.Model | None, item: Item | None, due: int | None
) -> Condition:
    """What is done about one.

    Args:
        seen: of all.
        row: of state.
        model: of the project, if it is one of it.
        item: of the core, if this node owns it.
        due: when it is due.
    """
    if item is not None and STATES[item.state] != "idle":
        return CONDITIONS[STATES[item.state]]
    if row.id in seen.running:
        return "running"
    flags = item.flags if item else 0
    if row.paused_time is not None or flags & PAUSED:
        return "paused"
    if row.failures >= seen.core.settings.broken_after or flags & BROKEN:
        return "broken"
    if model is None:
        return "idle"
    if row.id not in seen.rows:
        return "unknown"
    if due is None or due > seen.now:
        return "idle"
    if item is None:
        listens = row.at_most_every is not None and not row.failures
        return "idle" if listens else "unknown"
    is_waiting = flags & LISTENS and not flags & CHANGED
    return "held" if not is_waiting and seen.core.is_held(item.id) else "idle"
