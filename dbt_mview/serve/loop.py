"""The loop of a node: one thread that owns the core, and threads that do what it asks for.

It takes what happened from the inbox, calls `Core.step`, and has each action done, whose answer
comes back as an event. What others want to know is asked of that thread too, and answered between
two steps.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NoAnswer
from contextlib import suppress
from typing import Any, TypeVar

from dbt_mview.serve import messages as m
from dbt_mview.serve.clock import monotonic
from dbt_mview.serve.core import Core
from dbt_mview.serve.events import EventLog
from dbt_mview.serve.options import Options
from dbt_mview.serve.ring import STALL
from dbt_mview.serve.times import SECOND

T = TypeVar("T")
ANSWER_WITHIN = 10.0
# Threads, by what they may have to wait for, so that nothing waits for what it does not need. Each
# run has one of its own.
LANES = {
    "state": 2,  # a fetch, and a look at sources
    "settle": 8,
    "dbt": 4,  # the project, plans, probes: operations run one at a time
    "database": 1,  # in the order in which it was asked for
    "command": 4,  # answered by the loop
    "hold": 1,  # commands that wait for an operation
}


class Loop:
    """A core, its inbox, and the threads around it.

    Attributes:
        core: only the loop's thread calls it.
        say: writes a line of the log.
        is_stopping: nothing new is to begin.
        ended: set when the core has said that all is over.
        turned: monotonic time of the last step.
    """

    def __init__(
        self,
        options: Options,
        settings: m.Settings,
        log: EventLog,
        do: Callable[[m.Action], None],
    ) -> None:
        """Nothing runs yet.

        Args:
            options: of the node.
            settings: to begin with.
            log: of the node.
            do: hands an action to a thread.
        """
        seed = sum(options.node.encode())
        self.core = Core(options.node, options.boot, settings, seed)
        self.say = log.write
        self.is_stopping = False
        self.ended = threading.Event()
        self.turned = monotonic()
        self._do = do
        self._tick = options.pace.tick
        self._inbox: queue.SimpleQueue[m.Event | Callable[[], None]] = queue.SimpleQueue()
        self._lanes = {name: ThreadPoolExecutor(size, name) for name, size in LANES.items()}

    def now(self) -> int:
        """The engine's clock."""
        return monotonic() + self.core.offset

    # From any thread

    def tell(self, event: m.Event) -> None:
        """Tells the core what has happened."""
        self._inbox.put(event)

    def call(self, work: Callable[[], None]) -> None:
        """Has something done by the loop's thread, between two steps."""
        self._inbox.put(work)

    def ask(self, question: Callable[[], T]) -> T:
        """Asks something of the loop's thread.

        Raises:
            TimeoutError: it does not answer.
        """
        answer: Future[T] = Future()

        def reply() -> None:
            try:
                answer.set_result(question())
            except BaseException as error:
                answer.set_exception(error)

        self._inbox.put(reply)
        try:
            return answer.result(ANSWER_WITHIN)
        except NoAnswer:
            raise TimeoutError("the node is busy: it did not answer within ten seconds") from None

    def work(self, lane: str, work: Callable[..., None], *args: Any) -> None:
        """Does something on another thread."""
        self._lanes[lane].submit(self.guard, work, *args)

    def answer(
        self,
        lane: str,
        work: Callable[..., m.Event | None],
        action: m.Action,
        *args: Any,
    ) -> None:
        """Does what the core wants on another thread; what that returns is an event."""

        def answer() -> None:
            try:
                event = work(action, *args)
            except Exception as error:
                # A bug, or a library that raises what it does not say: never in silence.
                self.say("internal_error", doing=_name(work), problem=repr(error))
                event = failed(action)
            if event is not None:
                self.tell(event)

        self.work(lane, answer)

    def guard(self, work: Callable[..., None], *args: Any) -> bool:
        """Does something of which a bug is to be told, and is to end nothing else.

        Returns:
            Whether it was done.
        """
        try:
            work(*args)
        except Exception as error:
            self.say("internal_error", doing=_name(work), problem=repr(error))
            return False
        return True

    def each(self, seconds: float, work: Callable[[], None]) -> None:
        """Does something again and again, until all has ended."""
        while True:
            try:
                work()
            except Exception as error:
                self.say("internal_error", doing=work.__name__, problem=repr(error))
            if self.ended.wait(seconds):
                return

    # On the loop's thread

    def take(self, note: Callable[[m.Event], None]) -> list[m.Event]:
        """Waits for what happens until the core wants to be called; at most a tick.

        Args:
            note: told of each event before the core is.
        """
        events: list[m.Event] = []
        wait = min(max(self.core.wake() - monotonic(), 0) / SECOND, self._tick)
        try:
            one = self._inbox.get(timeout=wait)
            while True:
                if callable(one):
                    self.guard(one)
                else:
                    self.guard(note, one)
                    events.append(one)
                one = self._inbox.get_nowait()
        except queue.Empty:
            return events

    def step(self, events: Iterable[m.Event]) -> None:
        """Tells the core, and has done what it wants."""
        before, self.turned = self.turned, monotonic()
        if self.turned - before > STALL:
            self.say("stalled", seconds=(self.turned - before) // SECOND)
            events = [*events, m.Stalled()]  # what it was told of the others may be from before
        was = self.core.ring
        for action in self.core.step(self.turned, events):
            if not self.guard(self._do, action) and (event := failed(action)):
                self.tell(event)
        if self.core.ring is not was and self.core.ring is not None:
            self.say("ring", nodes=list(self.core.ring.nodes))

    def answer_until(self, is_over: Callable[[], bool]) -> None:
        """Answers whoever asks; nothing else is done any more."""
        while not is_over():
            with suppress(queue.Empty):
                one = self._inbox.get(timeout=self._tick)
                if callable(one):
                    self.guard(one)

    def shut(self, is_at_once: bool) -> None:
        """Waits for the threads; may be called by another one.

        Args:
            is_at_once: what has not begun never does.
        """
        for lane in self._lanes.values():
            lane.shutdown(wait=True, cancel_futures=is_at_once)


def failed(action: m.Action) -> m.Event | None:
    """What the core is told where an action ended in an error that nobody expected."""
    match action:
        case m.Fetch(number):
            return m.FetchFailed(number)
        case m.Start(run):
            return m.Returned(run, "error")
        case m.Settle(run):
            return m.Settled(run, None)
        case m.Plan(times):
            return m.Planned(tuple(times))
        case m.Probe():
            return m.Probed(is_good=False)
    return None


def _name(work: Callable[..., object]) -> str:
    """What a bug is told to be in."""
    return getattr(work, "__qualname__", repr(work))
