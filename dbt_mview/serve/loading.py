"""The project and the settings of a node, as they are from the last good load on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dbt_mview.serve import config
from dbt_mview.serve import messages as m
from dbt_mview.serve.clock import monotonic
from dbt_mview.serve.loop import Loop
from dbt_mview.serve.members import Database
from dbt_mview.serve.options import Options
from dbt_mview.serve.project import Project, Watch, is_session
from dbt_mview.serve.state import NotParsedError, State
from dbt_mview.serve.times import SECOND, backoff
from dbt_mview.serve.workers import Workers

LOAD_AGAIN_MOST = 30 * SECOND
# Of one core, what looking at the project's files may take; of the time, what loading it again may.
WATCHING, LOADING = 0.01, 0.05


class Loading:
    """Loads the project at the start, when its files change, and again where that fails.

    Attributes:
        project: the last good one.
        unparsed: why the one that is there now is refused; empty where it is not.
        held_since: since when, in microseconds by the engine's clock.
        unreached: why dbt could not be asked; empty where it could.
        stored: settings that somebody has set, as they were written.
    """

    def __init__(
        self,
        options: Options,
        loop: Loop,
        database: Database,
        workers: Workers,
        state: State,
        watch: Watch,
        fail: Callable[[Exception], None],
    ) -> None:
        """Nothing is loaded.

        Args:
            options: of the node.
            loop: of the node; the core is told of projects and settings.
            database: of the nodes, where settings are.
            workers: whose size and kind a project decides.
            state: asks dbt.
            watch: of the project's files.
            fail: told that this node cannot be one of the service.
        """
        self.project: Project | None = None
        self.unparsed = ""
        self.held_since = 0
        self.unreached = ""
        self.stored: dict[str, str] = {}
        self._options = options
        self._loop = loop
        self._database = database
        self._workers = workers
        self._state = state
        self._watch = watch
        self._fail = fail
        self._loaded: Project | None = None  # settings may not fit it
        self._is_loading = False
        self._is_new = True
        self._load_at = self._watch_at = 0
        self._loads = 0

    def look(self) -> None:
        """Loads it at the start, when its files have changed, and again where that failed."""
        now = monotonic()
        if self._is_loading:
            return
        is_changed = now >= self._watch_at and self._is_changed(now)
        self._is_new |= is_changed
        is_missing = self.project is None or bool(self.unreached) or self._state.is_outdated
        # What was loaded, and is refused for its settings, only they or its files can mend.
        is_refused = bool(self.unparsed) and self._loaded is not None
        again = (is_missing or bool(self.unparsed)) and not is_refused and now >= self._load_at
        if is_changed or again:
            self._is_loading = True
            self._loop.work("dbt", self._load, self._is_new)

    def _is_changed(self, now: int) -> bool:
        """Whether its files have; a large project is looked at less often."""
        is_changed = self._watch.is_changed(now / SECOND)
        self._watch_at = now + int((monotonic() - now) / WATCHING)
        return is_changed

    def _load(self, is_new: bool) -> None:
        """Asks dbt for the project."""
        began = monotonic()
        try:
            project = self._state.load(is_new)
            self._is_new, self._loads, self.unreached = False, 0, ""
            self._belong(
                f"{project.name}, target {project.target}, state {project.tables.views.name}"
            )
            stored = self._read_settings()
            self._loop.call(lambda: self._take_loaded(project, is_new, stored))
        except (NotParsedError, ValueError) as error:
            self._have_refused(str(error))
        except OSError as error:
            self._loads += 1
            self.unreached = str(error)
            if not self._loop.is_stopping:
                self._loop.say("project", problem=str(error))
        except Exception as error:
            self._loop.say("internal_error", doing="load", problem=repr(error))
            self._have_refused(repr(error))
        finally:
            now, pace = monotonic(), self._options.pace
            wait = max(int(pace.reload * SECOND), int((now - began) / LOADING))
            if self._loads:
                wait = backoff(self._loads, int(pace.again * SECOND), LOAD_AGAIN_MOST)
            self._load_at = now + wait
            self._is_loading = False

    def _have_refused(self, problem: str) -> None:
        """Has the project refused: what was loaded before is not what it is now.

        It is tried again at the pace of `reload`: a disk may have been full, or a process short of
        memory, and dbt's words do not tell that from a bad file.
        """
        self._loads, self.unreached = 0, ""

        def refuse() -> None:
            self._loaded = None
            self._refuse_project(problem)

        self._loop.call(refuse)

    def _refuse_project(self, problem: str) -> None:
        """Nothing starts until it is mended."""
        if not self.unparsed:
            self.held_since = self._loop.now()
        self.unparsed = problem
        self._loop.say("project", problem=problem)
        self._loop.step([m.ProjectFailed()])

    def _belong(self, service: str) -> None:
        """Refuses a database of another project, target or state."""
        try:
            self._database.belong_to(service)
        except ValueError as error:
            self._fail(error)
        except OSError:
            return  # the heartbeat says so

    def _read_settings(self) -> dict[str, str]:
        """What was set, before the first run goes by it; without the database, what is known."""
        try:
            return self._database.settings()
        except OSError:
            return self.stored  # the heartbeat says so

    def _take_loaded(self, project: Project, is_new: bool, stored: dict[str, str]) -> None:
        """A project, with the settings that were found beside it."""
        self.stored = stored
        self._take_project(project, is_new)

    def _take_project(self, project: Project, is_new: bool) -> None:
        """The project as it is from now on; where settings do not fit, once they do.

        Args:
            project: as dbt tells it.
            is_new: its files have changed.
        """
        is_first, self._loaded = self.project is None, project
        try:
            settings = self._fitting(project)
        except ValueError as error:
            self._refuse_project(str(error))
            return
        self.project, self.unparsed = project, ""
        self._workers.configure(settings.workers, is_session=is_session(project))
        if is_new and not is_first:
            self._workers.replace()
        pools = {model.pool for model in project.models.values() if model.pool}
        for pool in sorted(pools - settings.pools.keys()):
            self._loop.say("project", problem=config.unknown_pool(pool))
        self._loop.say(
            "project", name=project.name, target=project.target, models=len(project.models)
        )
        self._loop.step([m.Set(settings), m.Project(project.models)])

    def take_settings(self, stored: dict[str, str]) -> None:
        """Settings that somebody has set."""
        if stored == self.stored:
            return
        self.stored = stored
        if self._loaded is not None and self._loaded is not self.project:
            self._take_project(self._loaded, is_new=True)
            return
        if self.project is None:
            return
        settings = self._fitting(self.project)
        self._workers.configure(settings.workers, is_session=is_session(self.project))
        self._loop.say("settings", **config.shown(settings))
        self._loop.step([m.Set(settings)])

    # Settings

    def _settings_of(self, project: Project, stored: Mapping[str, str]) -> m.Settings:
        """Settings for a project: what is stored counts over what this node was started with.

        Raises:
            ValueError: they do not fit it.
        """
        given: dict[str, object] = {**self._options.given, **stored}
        if is_session(project):
            if config.count(given.get("workers", 1)) > 1:
                raise ValueError(
                    "workers: a session target runs Spark in dbt's own process, and one at a time"
                    " can use its metastore: give 1, or a thrift target"
                )
            given["workers"] = 1
        lease = int(project.lease)
        config.check_timeouts(project.models, lease)
        settings = config.settings_from(
            given, self._options.pools, broken_after=project.broken_after, lease=lease
        )
        return config.with_holds(settings, self._options.windows, project.models, project.selects)

    def _fitting(self, project: Project) -> m.Settings:
        """Settings for a project; of those that were set meanwhile, what does not fit is left out.

        Raises:
            ValueError: what this node was started with does not fit.
        """
        stored = {name: value for name, value in self.stored.items() if value}  # else given back
        if not self._misfit(project, stored):
            return self._settings_of(project, stored)
        self._settings_of(project, {})
        fitting: dict[str, str] = {}
        for name, value in stored.items():
            if problem := self._misfit(project, {**fitting, name: value}):
                self._loop.say("settings", problem=problem)
            else:
                fitting[name] = value
        return self._settings_of(project, fitting)

    def _misfit(self, project: Project, stored: Mapping[str, str]) -> str:
        """Why settings do not fit a project; empty where they do."""
        try:
            self._settings_of(project, stored)
        except ValueError as error:
            return str(error)
        return ""
