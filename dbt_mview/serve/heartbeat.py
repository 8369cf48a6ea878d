"""This node among the members: its heartbeats, and what they say of the database."""

from __future__ import annotations

import threading
from collections.abc import Callable

from dbt_mview.serve.clock import monotonic
from dbt_mview.serve.loop import Loop
from dbt_mview.serve.members import Database, NodeInUse
from dbt_mview.serve.ring import HEARTBEAT, STALE

BEAT_LOST = 3 * HEARTBEAT


class Heartbeat:
    """Registers the node, beats, and leaves.

    Attributes:
        is_registered: it is a member, and has to leave.
        is_gone: the database did not answer the last time.
        problem: why not, once that is told.
        unregistered: why the node's id is not its own yet; empty otherwise.
        beaten: monotonic time of the last answer.
    """

    def __init__(
        self,
        loop: Loop,
        database: Database,
        told: Callable[[], tuple[int, int, str]],
        has_beaten: Callable[[bool], None],
        fail: Callable[[Exception], None],
    ) -> None:
        """Has not begun.

        Args:
            loop: of the node.
            database: of the nodes.
            told: what a heartbeat says, see `Database.beat`; asked of the loop's thread.
            has_beaten: told after each, and whether the database was gone before it.
            fail: told that this node cannot be one of the service.
        """
        self.is_registered = False
        self.is_gone = False
        self.problem = ""
        self.unregistered = ""
        self.beaten: int | None = None
        self._loop = loop
        self._database = database
        self._told = told
        self._has_beaten = has_beaten
        self._fail = fail
        self._began = monotonic()
        self._beating = threading.Lock()

    def is_lost(self) -> bool:
        """Whether the database has not answered for long, or never though it was asked."""
        if self.beaten is None:
            return bool(self.problem)
        return monotonic() - self.beaten > BEAT_LOST

    def beat(self) -> None:
        """Heartbeat: also hears of the others. Without an answer the last ring goes on."""
        with self._beating:  # what two of them have heard must not come in another order
            self._beat_once()

    def _beat_once(self) -> None:
        """One heartbeat, while there is no other."""
        if self._loop.is_stopping:
            # It has left, unless the database was gone, or this thread was about to register.
            if self.is_registered:
                self.leave()
            return
        try:
            if not self.is_registered:
                self._database.prepare()
                if not self._has_registered():
                    return
            told = self._loop.ask(self._told)
        except TimeoutError as error:
            # Who does not turn is not alive: the others take over.
            self._loop.say("internal_error", doing="beat", problem=str(error))
            return
        except (ValueError, OSError) as error:
            self._has_not_beaten(error)
            return
        try:
            beats = self._database.beat(*told)
        except (ValueError, OSError) as error:
            self._has_not_beaten(error)
            return
        if self.problem:
            self.problem = ""
            self._loop.say("database", is_back=True)
        self.beaten = monotonic()
        self._loop.tell(beats)
        was_gone, self.is_gone = self.is_gone, False
        self._has_beaten(was_gone)

    def _has_not_beaten(self, error: ValueError | OSError) -> None:
        """The database is gone, which is said once; or it refuses this node, for good."""
        if isinstance(error, ValueError):
            self._fail(error)
            return
        self.is_gone = True
        is_long = self.beaten is None or monotonic() - self.beaten > BEAT_LOST
        if is_long and str(error) != self.problem:
            self.problem = str(error)
            self._loop.say("database", problem=str(error))

    def _has_registered(self) -> bool:
        """Takes this node's id: that of a process which died is free when its heartbeat is stale.

        Raises:
            NodeInUse: the other one is alive still.
        """
        try:
            self._database.register(self._loop.ask(self._told)[2])
        except NodeInUse as error:
            if monotonic() - self._began > STALE + 2 * HEARTBEAT:
                raise
            self.unregistered = str(error)
            self._loop.say("database", problem=str(error))
            return False
        self.is_registered, self.unregistered = True, ""
        return True

    def leave(self) -> None:
        """Leaves the ring."""
        try:
            self._database.leave()
            self.is_registered = False
        except OSError as error:
            self._loop.say("database", problem=str(error))

    def be_lost(self) -> None:
        """What could not be settled is for the others, or for this node's next start."""
        self.is_registered = False
        try:
            self._database.be_lost()
        except OSError as error:
            self._loop.say("database", problem=str(error))
