"""The refresh protocol of one view as a state machine, explored exhaustively.

Runs of the same view, each at any step (those of docs/protocol.md go by their names there), do one
thing at a time in any order. Each may die for good before any step, or stand still for as long as
it likes: a lease runs out whenever it hurts most. Its acquire may be sent twice, as dbt-spark does
when a connection breaks; its publish may be given up by dbt, and go on in the engine. The source
changes meanwhile. In every state that can be reached the invariants must hold; from every state in
which nobody goes on any more, one further run must make everything good. A guard and the begin of
its statement are one step here: the hole between the two that docs/protocol.md («Fencing») names is
outside of this model. `FAULTS` names the guards of the protocol; with any of them switched off the
search must find what it guards against. `python docs/model/protocol.py` prints all of that.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

FAULTS = {
    "no guard": "publish does not assert the lock in its own text",
    "no fence": "recover does not change the view's metadata",
    "fence after looking": "recover looks for the publish first and fences then",
    "no look after the fence": "recover trusts what was seen before the lock was taken",
    "no lease": "acquire takes a lock whose lease runs",
    "no token": "acquire does not compare the token with the one looked at",
    "lock never ours": "acquire takes its own lock for another run's when it was sent twice",
    "any token is ours": "a lock that a failed takeover gave back is taken for the one asked for",
    "same job again": "a run that did not get the lock tries again under the id it had",
    "record without the lock": "record writes whether or not the lock is still its own",
    "record before publish": "record comes first",
    "failed without looking": "a failed publish is recorded as failed, found or not",
    "failed without a fence": "a failed run frees its lock while its publish may still run",
    "failed without the lock": "a failed run records itself, whoever has the lock by then",
    "free lock": "a failed takeover frees the lock, and does not give it back to the dead holder",
    "forgotten holder": "the intent does not name a holder that is still to be recovered",
    "stage left": "recover drops no stage",
    "versions read again": "record reads the source's version again, not what was read",
}


@dataclass(frozen=True, order=True)
class Commit:
    """One commit on the view. job: of a refresh, or none for a change of metadata."""

    job: str | None
    source: int = 0


@dataclass(frozen=True, order=True)
class Holder:
    """The lock as somebody saw it. earlier: a holder that this one had yet to recover."""

    job: str
    earlier: Holder | None = None


@dataclass(frozen=True, order=True)
class Row:
    """The view's row of mview_refresh_info."""

    holder: Holder | None = None
    token: int = 0
    lease_over: bool = False
    source: int = 0
    commit: int = 0
    result: str = "success"


@dataclass(frozen=True, order=True)
class Run:
    """One run: where it is, and what it knows."""

    job: str
    step: str = "look"
    seen: Row = Row()
    saw_published: bool = False
    token: int = 0
    source: int = 0
    began: int = 0
    to_recover: tuple[Holder, ...] = ()
    sent_twice: bool = False


@dataclass(frozen=True, order=True)
class Sent:
    """A publish that the engine still works on. began: how many commits it has seen."""

    job: str
    source: int
    began: int


@dataclass(frozen=True, order=True)
class World:
    """What outlives a process, and the processes. robbed: a lock was taken whose lease ran;
    given_up: publishes that nobody waits for any more."""

    runs: tuple[Run, ...]
    row: Row = Row()
    commits: tuple[Commit, ...] = (Commit("first", 0),)
    stages: frozenset[str] = frozenset()
    history: frozenset[tuple[str, str]] = frozenset({("first", "success")})
    source: int = 0
    robbed: bool = False
    given_up: frozenset[Sent] = frozenset()


def published(world: World, job: str) -> Commit | None:
    """The commit of a refresh, if the view's history has it."""
    return next((commit for commit in world.commits if commit.job == job), None)


def chain(holder: Holder | None) -> tuple[Holder, ...]:
    """A holder and those that it had yet to recover, oldest first."""
    return (*chain(holder.earlier), holder) if holder else ()


def holds(world: World, run: Run) -> bool:
    """Whether the lock is the run's."""
    holder = world.row.holder
    return world.row.token == run.token and holder is not None and holder.job == run.job


def wrote(world: World, job: str, source: int) -> int:
    """The place of a refresh in the view's history."""
    return world.commits.index(Commit(job, source))


class Protocol:
    """The steps. Each method takes the world and a run, and gives the world and the run after it.

    Args:
        fault: a guard that is switched off, see FAULTS.
    """

    def __init__(self, fault: str = "") -> None:
        self.fault = fault

    def look(self, world: World, run: Run) -> tuple[World, Run]:
        row, holder = world.row, world.row.holder
        found = bool(holder and published(world, holder.job))
        if not holder and row.result == "success" and row.source == world.source:
            return world, replace(run, step="done")
        if holder and not found and not row.lease_over and self.fault != "no lease":
            return world, replace(run, step="busy")
        return world, replace(run, step="acquire", seen=row, saw_published=found)

    def acquire(self, world: World, run: Run) -> tuple[World, Run]:
        row, seen = world.row, run.seen
        free = not row.holder or row.lease_over or (run.saw_published and row.holder == seen.holder)
        as_seen = row.token == seen.token or self.fault == "no token"
        left = chain(seen.holder)
        first = "look_again" if self.fault == "fence after looking" else "fence"
        step = "pin" if not left else "look_again" if run.saw_published else first
        own = row.holder and row.holder.job == run.job
        given_back = own and row.token != seen.token + 1 and self.fault != "any token is ours"
        if own and not given_back and self.fault != "lock never ours":
            return world, replace(run, step=step, token=row.token, to_recover=left)
        if not as_seen or not (free or self.fault == "no lease"):
            # What was sent may have taken the lock all the same, and somebody recovered it since.
            job = run.job if self.fault == "same job again" else run.job + "'"
            return world, replace(run, step="look", job=job)
        earlier = None if self.fault == "forgotten holder" else seen.holder
        token = row.token + 1
        mine = replace(
            row, holder=Holder(run.job, earlier), token=token, lease_over=False, result="running"
        )
        robbed = bool(row.holder and not row.lease_over and not published(world, row.holder.job))
        world = replace(world, row=mine, robbed=world.robbed or robbed)
        return world, replace(run, step=step, token=token, to_recover=left)

    def fence(self, world: World, run: Run) -> tuple[World, Run]:
        late = self.fault == "fence after looking"
        done = replace(run, step="recover" if late else "look_again")
        if self.fault == "no fence":
            return world, done
        return replace(world, commits=(*world.commits, Commit(None))), done

    def look_again(self, world: World, run: Run) -> tuple[World, Run]:
        if self.fault == "no look after the fence":
            return world, replace(run, step="recover")
        found = published(world, run.to_recover[0].job) is not None
        late = self.fault == "fence after looking" and not run.saw_published
        return world, replace(run, step="fence" if late else "recover", saw_published=found)

    def recover(self, world: World, run: Run) -> tuple[World, Run]:
        """Writes the end of the oldest holder: its stage, its history, its sources."""
        holder, *others = run.to_recover
        world = replace(
            world,
            stages=world.stages if self.fault == "stage left" else world.stages - {holder.job},
            history=world.history | {(holder.job, "success" if run.saw_published else "failed")},
        )
        if world.row.token == run.token and run.saw_published:
            commit = published(world, holder.job) or Commit(holder.job)
            place = world.commits.index(commit) if commit in world.commits else -1
            world = replace(world, row=replace(world.row, source=commit.source, commit=place))
        if others:
            return world, replace(run, step="look_again", to_recover=tuple(others))
        return world, replace(run, step="pin", to_recover=())

    def pin(self, world: World, run: Run) -> tuple[World, Run]:
        step = "record" if self.fault == "record before publish" else "stage"
        return world, replace(run, step=step, source=world.source)

    def stage(self, world: World, run: Run) -> tuple[World, Run]:
        """A run that was recovered before it staged leaves its stage to mview_drop_orphans. The
        lease is renewed before the publish; it may end again at once."""
        mine = {run.job} if world.row.token == run.token else set()
        lease_over = world.row.lease_over and not holds(world, run)
        row = replace(world.row, lease_over=lease_over)
        return replace(world, stages=world.stages | mine, row=row), replace(run, step="begin")

    def begin(self, world: World, run: Run) -> tuple[World, Run]:
        """The publish is sent: its guard is asked, and Delta notes the version it starts from."""
        if not holds(world, run) and self.fault != "no guard":
            return world, replace(run, step="failed")
        return world, replace(run, step="publish", began=len(world.commits))

    def publish(self, world: World, run: Run) -> tuple[World, Run]:
        """Delta commits, unless the table changed under the statement."""
        if len(world.commits) != run.began:
            return world, replace(run, step="failed")
        commits = (*world.commits, Commit(run.job, run.source))
        return replace(world, commits=commits), replace(run, step="sweep")

    def sweep(self, world: World, run: Run) -> tuple[World, Run]:
        step = "done" if self.fault == "record before publish" else "record"
        return replace(world, stages=world.stages - {run.job}), replace(run, step=step)

    def record(self, world: World, run: Run) -> tuple[World, Run]:
        early = self.fault == "record before publish"
        world = replace(world, history=world.history | {(run.job, "success")})
        if holds(world, run) or self.fault == "record without the lock":
            source = world.source if self.fault == "versions read again" else run.source
            place = len(world.commits) if early else wrote(world, run.job, run.source)
            row = replace(
                world.row,
                holder=world.row.holder if early else None,
                source=source,
                commit=place,
                result="success",
            )
            world = replace(world, row=row)
        return world, replace(run, step="stage" if early else "done")

    def failed(self, world: World, run: Run) -> tuple[World, Run]:
        """on-run-end: fences what it sent, which may still run."""
        undo = replace(run, step="undo")
        if not run.began or not holds(world, run) or self.fault == "failed without a fence":
            return world, undo
        return replace(world, commits=(*world.commits, Commit(None))), undo

    def undo(self, world: World, run: Run) -> tuple[World, Run]:
        """Looks for the publish before it says that there was none; what lost its lock says
        nothing, as the next holder does."""
        if not holds(world, run) and run.token and self.fault != "failed without the lock":
            return replace(world, stages=world.stages - {run.job}), replace(run, step="done")
        if published(world, run.job) and self.fault != "failed without looking":
            return world, replace(run, step="sweep")
        world = replace(
            world,
            stages=world.stages - {run.job},
            history=world.history | {(run.job, "failed")},
        )
        if holds(world, run):
            back = run.to_recover and self.fault != "free lock"
            left = world.row.holder.earlier if back else None
            row = replace(world.row, holder=left, lease_over=bool(left), result="failed")
            world = replace(world, row=row)
        return world, replace(run, step="done")


ENDS = ("done", "busy", "dead")


def broken(world: World) -> str:
    """The invariant that does not hold, or nothing."""
    if world.robbed:
        return "a lock was taken although its lease ran"
    data = [commit for commit in world.commits if commit.job]
    results = dict(world.history)
    if len(results) != len(world.history):
        return "a refresh is recorded as success and as failed"
    for job, result in results.items():
        if (result == "success") != (published(world, job) is not None):
            return f"{job} is recorded as {result}, the view's history says otherwise"
    jobs = [commit.job for commit in data]
    if len(set(jobs)) != len(jobs):
        return "a refresh was published twice"
    if any(after.source < before.source for before, after in pairwise(data)):
        return "the view went back to an older version of its source"
    row = world.row
    ended = {run.job.rstrip("'") for run in world.runs if run.step in ("done", "busy")}
    if row.holder and not row.lease_over and row.holder.job.rstrip("'") in ended:
        return "a run ended and kept its lock"
    if not row.holder and row.result == "success" and row.commit >= 0:
        last = data[-1]
        if (row.commit, row.source) != (world.commits.index(last), last.source):
            return "state does not tell what the view holds"
    return ""


def following(world: World, protocol: Protocol, changes: int) -> Iterator[World]:
    """All that can happen next."""
    if world.source < changes:
        yield replace(world, source=world.source + 1)
    if world.row.holder and not world.row.lease_over:
        yield replace(world, row=replace(world.row, lease_over=True))
    for sent in world.given_up:
        left = replace(world, given_up=world.given_up - {sent})
        if len(world.commits) == sent.began:
            commits = (*world.commits, Commit(sent.job, sent.source))
            yield replace(left, commits=commits)
        yield left
    for index, run in enumerate(world.runs):
        if run.step in ENDS:
            continue
        rest = world.runs[:index], world.runs[index + 1 :]
        after, moved = step(protocol, world, run)
        yield replace(after, runs=(*rest[0], moved, *rest[1]))
        if run.step == "publish" and moved.step == "sweep":
            lost = replace(moved, step="failed")  # committed, but the connection is gone
            yield replace(after, runs=(*rest[0], lost, *rest[1]))
        if run.step == "publish":
            sent = world.given_up | {Sent(run.job, run.source, run.began)}
            lost = replace(run, step="failed")  # told that it failed, while the engine goes on
            yield replace(world, runs=(*rest[0], lost, *rest[1]), given_up=sent)
        if run.step in ("fence", "recover"):
            lost = replace(run, step="failed")  # what it asked for was done, or was not
            yield replace(world if run.step == "fence" else after, runs=(*rest[0], lost, *rest[1]))
        if run.step == "acquire" and not run.sent_twice and after is not world:
            again = replace(run, sent_twice=True)  # done, but the connection broke before the reply
            yield replace(after, runs=(*rest[0], again, *rest[1]))
        yield replace(world, runs=(*rest[0], replace(run, step="dead"), *rest[1]))


def step(protocol: Protocol, world: World, run: Run) -> tuple[World, Run]:
    """One step of one run."""
    does: Callable[[World, Run], tuple[World, Run]] = getattr(protocol, run.step)
    return does(world, run)


def unrepaired(world: World, protocol: Protocol) -> str:
    """What one more run, after the lease, does not make good; or nothing."""
    world = replace(world, row=replace(world.row, lease_over=True))
    run = Run("next")
    for _ in range(40):
        if run.step in ENDS:
            break
        world, run = step(protocol, world, run)
    if broken(world):
        return broken(world)
    if run.step != "done" or world.row.holder or world.row.result != "success":
        return f"the next run ends {run.step}, state says {world.row.result}"
    if world.row.source != world.source:
        return "the next run leaves the view behind its source"
    return f"left behind: the stage of {min(world.stages)}" if world.stages else ""


def explore(fault: str = "", runs: int = 2, changes: int = 2) -> tuple[int, str]:
    """Search all that can happen.

    Args:
        fault: a guard that is switched off, see FAULTS.
        runs: how many runs of the view there are.
        changes: how often the source changes.

    Returns:
        The number of states, and what went wrong first, with the way there; empty if nothing.
    """
    protocol = Protocol(fault)
    start = World(tuple(Run(chr(ord("a") + index)) for index in range(runs)), source=1)
    came: dict[World, World | None] = {start: None}
    todo = deque([start])
    while todo:
        world = todo.popleft()
        wrong = broken(world)
        if not wrong and all(run.step in ENDS for run in world.runs):
            wrong = unrepaired(world, protocol)
        if wrong:
            return len(came), "\n".join([wrong, *way(came, world)])
        for after in following(world, protocol, changes):
            if after not in came:
                came[after] = world
                todo.append(after)
    return len(came), ""


def way(came: dict[World, World | None], world: World | None) -> list[str]:
    """How a state was reached, one line for each step."""
    lines: list[str] = []
    while world:
        steps = ", ".join(f"{run.job} {run.step}" for run in world.runs)
        jobs = ", ".join(commit.job or "fence" for commit in world.commits)
        held = world.row.holder.job if world.row.holder else "-"
        lines.append(f"  {steps}; lock {held}; view: {jobs}; source v{world.source}")
        world = came[world]
    return lines[::-1]


def main() -> int:
    """Print the number of states, and what each missing guard leads to."""
    states, wrong = explore()
    print(f"{states} states, " + (wrong or "all invariants hold"))  # noqa: T201
    missed = 0
    for fault in FAULTS:
        states, found = explore(fault)
        missed += not found
        print(f"without «{fault}» ({FAULTS[fault]}): {states} states, {found or 'NOT FOUND'}")  # noqa: T201
    return 1 if wrong or missed else 0


if __name__ == "__main__":
    sys.exit(main())
