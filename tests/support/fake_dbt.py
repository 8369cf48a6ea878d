"""dbt with a state, as a node of the scheduler sees it: what its workers run, without a process."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbt_mview.serve.process import Answer, Result
from dbt_mview.serve.workers import OperationFailed


@dataclass
class Plan:
    """A row of state, of a view with an interval.

    Args:
        every: seconds; for a view that listens, its pause.
        next_time: microseconds since the epoch.
        kind: view or log.
        sources: by relation, the version that was read last; of a view that listens to them.
        group: its refresh group.
        is_built: state has a row of it.
        parents: names of the views that it reads.
    """

    every: float
    next_time: int
    kind: str = "view"
    sources: dict[str, int | None] | None = None
    group: str | None = None
    is_built: bool = True
    pool: str | None = None
    timeout: int | None = None
    parents: tuple[str, ...] = ()
    version: int = 1
    failures: int = 0
    retry_time: int | None = None
    ended: int | None = None
    paused_time: int | None = None
    owner: str | None = None
    reason: str | None = None


@dataclass
class FakeDbt:
    """Stands for `Workers`, with a dbt that is never slower than it is told to be.

    Args:
        plans: by name of the model.
        fails: names whose refresh fails.
        seconds: how long a refresh takes.
        gate: operations wait while it is not set.
        processes: that workers would have.
        skew: microseconds by which the engine's clock is ahead of this machine's.
        locations: of the tables of state, and of sources.
        due: ids that `mview_due` finds due.
        broken: operations that fail.
        parse_takes: seconds of `dbt parse`.
    """

    plans: dict[str, Plan]
    fails: set[str] = field(default_factory=set)
    seconds: float = 0.0
    lease: int = 3600
    method: str = "thrift"
    parses: bool = True
    engine: bool = True
    models: list[str] | None = None
    on_invocation: Any = None
    operations: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    commands: list[tuple[str, ...]] = field(default_factory=list)
    most: int = 0
    size: int = 0
    gate: threading.Event = field(default_factory=threading.Event)
    processes: int = 1
    skew: int = 0
    locations: dict[str, str | None] = field(default_factory=dict)
    due: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    parse_takes: float = 0.0

    def __post_init__(self) -> None:
        """Nothing runs."""
        self.gate.set()
        self.is_stopped = False
        self._lock = threading.Lock()
        self._cancelled: dict[str, threading.Event] = {}

    @staticmethod
    def now() -> int:
        """This machine's clock."""
        return time.time_ns() // 1000

    def names(self, operation: str) -> int:
        """How often an operation was asked for."""
        return sum(name == operation for name, _ in self.operations)

    @staticmethod
    def id(name: str) -> str:
        """The id of a model's view."""
        return f"spark_catalog.shop.{name}"

    # What a Workers does

    def configure(self, size: int, is_session: bool) -> None:
        self.size = size

    def replace(self) -> None:
        """There is no process."""

    def children(self) -> int:
        return self.processes

    def stop(self, grace: float) -> None:
        """Ends what waits."""
        self.is_stopped = True
        self.gate.set()
        with self._lock:
            for cancelled in self._cancelled.values():
                cancelled.set()

    def cancel(self, name: str) -> None:
        with self._lock:
            if name in self._cancelled:
                self._cancelled[name].set()

    def run(
        self,
        name: str,
        command: Sequence[str],
        within: float | None = None,
        due: Mapping[str, int] | None = None,
    ) -> Answer:
        self.commands.append(tuple(command))
        if command[0] == "parse" and self.parse_takes > (within or self.parse_takes):
            raise TimeoutError(f"dbt parse did not end within {within:g} s")
        if command[0] == "parse":
            return Answer("done") if self.parses else Answer("error", "no such macro")
        if not self.engine:
            return Answer("error", "connection refused")
        with self._lock:
            cancelled = self._cancelled[name] = threading.Event()
            self.most = max(self.most, len(self._cancelled))
        invocation = f"dbt-{name}"
        self.on_invocation(name, invocation)
        names = [one.removeprefix("shop.") for one in command[2:]]
        try:
            for one in names:
                self.plans[one].owner = invocation
            if cancelled.wait(self.seconds):
                return Answer("died", "worker 1 was killed by SIGINT", invocation=invocation)
            done = tuple(self._refresh(one, (due or {}).get(self.id(one))) for one in names)
            return Answer("done", results=done, invocation=invocation)
        finally:
            with self._lock:
                del self._cancelled[name]

    def operate(self, operation: str, args: Mapping[str, Any], timeout: float = 60) -> list[str]:
        self.operations.append((operation, dict(args)))
        self.gate.wait(timeout or None)
        is_broken = operation in self.broken or (operation == "mview_models" and not self.parses)
        if self.is_stopped or not self.engine or is_broken:
            raise OperationFailed(f"dbt run-operation {operation} failed")
        answer = getattr(self, f"_{operation}")(**args)
        return [answer] if answer else []

    # dbt and state

    def _refresh(self, name: str, due: int | None) -> Result:
        plan = self.plans[name]
        now = plan.next_time if plan.retry_time is None else plan.retry_time
        if due is not None and now > due:
            says = "SKIP another run has carried out this plan"
            return Result(
                f"model.shop.{name}", name, None, "success", 0.1, says, skip=False, left=True
            )
        plan.version += 1
        plan.owner = None
        has_failed = name in self.fails
        if has_failed:
            plan.failures += 1
            plan.retry_time = self.now() + 5_000_000
            plan.reason = "division by zero\nmore"
        else:
            plan.failures, plan.retry_time, plan.reason = 0, None, None
            plan.ended = self.now() if plan.kind == "view" else None
            while plan.next_time <= self.now():
                plan.next_time += int(plan.every * 1e6)
        status = "error" if has_failed else "success"
        message = "division by zero" if has_failed else "COMPLETE v1"
        return Result(
            f"model.shop.{name}", name, None, status, 0.5, message, skip=False, left=False
        )

    def _mview_models(self) -> str:
        names = list(self.plans) if self.models is None else self.models
        plans = {name: self.plans[name] for name in names}
        models = [
            {"id": self.id(name), "node": f"model.shop.{name}", "kind": plan.kind,
             "group": plan.group, "select": f"shop.{name}", "priority": 3, "pool": plan.pool,
             "parents": [self.id(one) for one in plan.parents], "timeout": plan.timeout}
            for name, plan in plans.items()
        ]  # fmt: skip
        built = {name: plan for name, plan in plans.items() if plan.is_built}
        sources = {
            self.id(name): [
                {"relation": one, "version": version} for one, version in plan.sources.items()
            ]
            for name, plan in built.items()
            if plan.sources is not None
        }
        logs = {"name": "shop_mview.logs", "location": self.locations.get("logs")}
        has_logs = any(plan.kind == "log" for plan in built.values())
        found = {
            "clock": self.now() + self.skew,
            "project": "shop", "target": "dev", "method": self.method,
            "broken_after": 3, "lease": self.lease, "models": models,
            "flashback": {"enable": False, "create_interval": 1, "clean_interval": 1},
            "tables": {
                "views": {"name": "shop_mview.info", "location": self.locations.get("views")},
                "logs": logs if has_logs else None,
            },
            "took": {self.id(name): 0.5 for name in built}, "sources": sources,
            "locations": {one: self.locations.get(one) for of in sources.values()
                          for one in (each["relation"] for each in of)},
        }  # fmt: skip
        return f"models: {json.dumps(found)}"

    def _mview_due(self, format: str, ids: Sequence[str] | None = None) -> str:
        if format == "json":
            return f"due: {json.dumps({'due': [{'id': one} for one in self.due]})}"
        rows = [
            {"id": self.id(name), "kind": plan.kind, "version": plan.version,
             "next_time": plan.next_time, "retry_time": plan.retry_time, "ended": plan.ended,
             "lease_until": None, "paused_time": plan.paused_time, "failures": plan.failures,
             "took": 0.5, "schedule": self._schedule(plan), "result": None,
             "reason": plan.reason}
            for name, plan in self.plans.items()
            if plan.is_built and (ids is None or self.id(name) in ids)
        ]  # fmt: skip
        return f"state: {json.dumps({'clock': self.now() + self.skew, 'rows': rows})}"

    @staticmethod
    def _schedule(plan: Plan) -> dict[str, Any]:
        if plan.sources is None:
            return {"every": plan.every}
        return {"on_update": True, "at_most_every": int(plan.every)}

    def _mview_recover(self, owner: str, reason: str, charge: bool) -> None:
        for plan in self.plans.values():
            if plan.owner == owner:
                plan.owner = None
                plan.version += 1
                if charge:
                    plan.failures += 1
                    plan.reason = reason
                    plan.retry_time = self.now() + 5_000_000

    def _mview_note_failures(self, failures: Mapping[str, str], run: str) -> None:
        for id_, reason in failures.items():
            plan = self.plans[id_.rpartition(".")[2]]
            plan.version += 1
            plan.failures += 1
            plan.reason = reason
            plan.retry_time = self.now() + 5_000_000

    def _mview_pause(self, view: str = "", log: str = "") -> None:
        self._set_paused((view, log), self.now())

    def _mview_resume(self, view: str = "", log: str = "") -> None:
        self._set_paused((view, log), None)

    def _set_paused(self, named: tuple[str, str], at: int | None) -> None:
        for name, plan in self.plans.items():
            if "all" in named or self.id(name) in named:
                plan.paused_time = at
                plan.version += 1

    def _mview_reset(self, view: str = "", log: str = "") -> None:
        for name, plan in self.plans.items():
            if {"all", self.id(name)} & {view, log}:
                plan.failures, plan.retry_time = 0, None
                plan.version += 1
