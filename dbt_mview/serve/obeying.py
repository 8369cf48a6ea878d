"""Commands: what people ask a node for, by the command line or the page."""

from __future__ import annotations

from collections.abc import Callable

from dbt_mview.serve import config
from dbt_mview.serve import messages as m
from dbt_mview.serve.clock import monotonic
from dbt_mview.serve.loading import Loading
from dbt_mview.serve.loop import ANSWER_WITHIN, Loop
from dbt_mview.serve.members import Command, Database
from dbt_mview.serve.options import Options
from dbt_mview.serve.state import State
from dbt_mview.serve.times import MINUTE, SECOND

HOLDS = {"pause": "paused", "resume": "resumed", "reset": "reset"}


class Obeying:
    """Does commands, each once, if this node is the one that has to.

    Attributes:
        refused: what the core has refused of the request that it is told of.
    """

    def __init__(
        self,
        options: Options,
        loop: Loop,
        loading: Loading,
        database: Database,
        state: State,
        stop: Callable[[], None],
    ) -> None:
        """Nothing was asked.

        Args:
            options: of the node.
            loop: of the node.
            loading: has the project.
            database: of the nodes, where commands are.
            state: where pauses are.
            stop: ends the node.
        """
        self.refused: list[m.Refused] = []
        self._options = options
        self._loop = loop
        self._loading = loading
        self._database = database
        self._state = state
        self._stop = stop
        self._obeying: set[int] = set()

    def obey(self, command: Command) -> None:
        """Does what somebody has asked for, if this node is the one that has to."""
        if self._loop.is_stopping or command.id in self._obeying or not self._is_for_me(command):
            return
        self._obeying.add(command.id)
        lane = "hold" if command.verb in HOLDS else "command"
        self._loop.work(lane, self._obey_now, command, monotonic())

    def _is_for_me(self, command: Command) -> bool:
        """One node owns each view and log; what no node owns is answered by the first one."""
        if command.verb == "drain":
            return command.subject == self._options.node
        project = self._loading.project
        if project is None or not self._loop.core.is_member:
            return False
        models = [project.models[id_] for id_ in self._called(command.subject)]
        return self._loop.core.owner(models[0].unit if models else "") == self._options.node

    def _called(self, name: str) -> list[str]:
        """Ids of the views and logs that a user means by a name."""
        project = self._loading.project
        if project is None or name in project.models:
            return [name] if project else []
        selects = project.selects
        return [id_ for id_ in project.models if config.is_called(id_, selects.get(id_, ""), name)]

    def _obey_now(self, command: Command, asked: int) -> None:
        """Takes a command, does it, answers it; unless nobody waits for it any more.

        Args:
            command: to be done.
            asked: monotonic time when it was found.
        """
        try:
            is_late = self._loop.is_stopping or monotonic() - asked > MINUTE
            if is_late or not self._database.take(command.id):
                return
            try:
                text = self._done(command)
                is_done = True
            except (ValueError, OSError) as error:
                text, is_done = str(error), False
            self._loop.say("command", verb=command.verb, subject=command.subject, by=command.by,
                      is_done=is_done, answer=text)  # fmt: skip
            self._answer(command, is_done, text)
        except OSError as error:
            self._loop.say("database", problem=str(error))
        finally:
            self._obeying.discard(command.id)

    def _answer(self, command: Command, is_done: bool, text: str) -> None:
        """Answers a command that was taken: nobody else will, and the asker waits for a while."""
        until = monotonic() + int(ANSWER_WITHIN * SECOND)
        while not self._could_answer(command, is_done, text):
            if monotonic() > until or self._loop.ended.wait(self._options.pace.answer):
                return

    def _could_answer(self, command: Command, is_done: bool, text: str) -> bool:
        """Whether the database has taken an answer."""
        try:
            self._database.answer(command.id, is_done, text)
        except OSError:
            return False  # the heartbeat says so
        return True

    def _done(self, command: Command) -> str:
        """Does a command.

        Raises:
            ValueError: it cannot be done.
            OSError: dbt or its engine cannot do it now.
        """
        verb, subject = command.verb, command.subject
        if verb == "drain":
            self._stop()
            return f"node {subject} lets its runs end, and stops"
        called = self._loop.ask(lambda: self._called(subject))
        if len(called) != 1 and subject != "all":
            if called:
                raise ValueError(f"'{subject}' is more than one: {', '.join(called)}")
            raise ValueError(self._unknown(verb, subject))
        if verb in HOLDS:
            id_ = called[0] if called else subject
            project = self._loading.project
            kind = project.models[id_].kind if project and called else "view"
            self._state.hold(verb, kind, id_)
            self._loop.tell(m.Dirty())
            return HOLDS[verb]
        if not called:
            raise ValueError(f"name one view or log to {verb}")
        event = m.RunNow(called[0]) if verb == "run" else m.CancelNow(called[0])
        refusal = self._loop.ask(lambda: self._request(event))
        if refusal:
            raise ValueError(refusal)
        return "queued" if verb == "run" else "cancelled"

    def _unknown(self, verb: str, subject: str) -> str:
        """Why a name is none of this project's: state may have it, or nobody does.

        Args:
            verb: what was asked for.
            subject: the name.
        """
        rows = self._state.rows.copy()
        others = sorted(id_ for id_ in rows if config.is_called(id_, "", subject))
        if not others:
            return f"'{subject}' is no view or log of this project, nor of another one"
        return (
            f"'{subject}' is of another project, or its model is gone ({', '.join(others)}): it is"
            f" listed here and never started; {verb} it where its model is"
        )

    def _request(self, event: m.RunNow | m.CancelNow) -> str:
        """Tells the core of a request. Returns why it was refused, or nothing."""
        self.refused.clear()
        self._loop.step([event])
        return next((one.reason for one in self.refused if one.id == event.id), "")
