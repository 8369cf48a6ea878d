"""A node as a process: its parts are made of what the command line says, and run until a signal."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from dbt_mview.serve import config
from dbt_mview.serve.events import EventLog, Lineage
from dbt_mview.serve.members import Database, NodeInUse
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.project import Watch, profiles_dir, project_dir
from dbt_mview.serve.service import Options, Service
from dbt_mview.serve.state import State
from dbt_mview.serve.web import Server, check_listen, read_or_make_token
from dbt_mview.serve.workers import Pool

HOME = ".dbt_mview"
REGISTER_MOST = 5.0
STOPS = [getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)]
OF_FILE = ("pools", "holds")


def with_file(context: click.Context, path: Path) -> dict[str, Any]:
    """Options of the command line, then of the environment, then of the file, then defaults.

    Args:
        context: of the command.
        path: of dbt_mview.yml.

    Raises:
        ValueError: the file has what is no option, or a value that is none.
    """
    given = config.read_file(path)
    options = {one.name: one for one in context.command.params if isinstance(one, click.Option)}
    if unknown := set(given) - set(options) - set(OF_FILE):
        known = ", ".join(sorted({*map(str, options), *OF_FILE}))
        raise ValueError(f"{path}: there is no setting '{min(unknown)}': {known}")
    values = dict(context.params)
    for name, value in given.items():
        if name in options and context.get_parameter_source(name) is ParameterSource.DEFAULT:
            try:
                values[name] = options[name].type_cast_value(context, value)
            except click.BadParameter as error:
                raise ValueError(f"{path}: {name}: {error.message}") from error
    return {**values, **{name: given.get(name) for name in OF_FILE}}


def serve(context: click.Context) -> None:
    """Runs a node until it is told to stop.

    Raises:
        ValueError: something that it was told cannot be.
        OSError: the database, a port or a file cannot be had.
    """
    dbt_arguments: tuple[str, ...] = context.params["dbt_arguments"]
    project = project_dir(dbt_arguments, os.environ)
    if not (project / "dbt_project.yml").exists():
        raise ValueError(f"{project} is no dbt project: give --project-dir, or start it there")
    asked = with_file(context, project / config.FILE)
    live = {name: asked[name] for name in config.LIVE if asked.get(name) is not None}
    pools = config.pools_from(asked["pools"])
    windows = config.windows_from(asked["holds"])
    # Told here and not by a node that runs already.
    config.settings_from(live, pools, broken_after=16, lease=None)
    listen = check_listen(
        asked["listen"], asked["tls_cert"], asked["tls_key"], asked["behind_proxy"]
    )
    home = (asked["home"] or project / HOME).absolute()
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    (home / ".gitignore").write_text("*\n", encoding="utf-8")
    node = asked["node_id"] or socket.gethostname()
    boot = uuid.uuid4().hex[:8]
    log = EventLog(sys.stdout, node, is_text=sys.stdout.isatty())
    url = asked["database"] or f"sqlite:///{home / 'serve.db'}"
    database = Database(url, node, boot, listen.url)
    stopped = Stopped()
    register(database, stopped, log)
    if stopped.is_asked:
        return
    named: list[Service] = []
    pool = Pool(
        home,
        dbt_arguments,
        size=1,
        is_session=True,  # until the project is known
        on_invocation=lambda run, invocation: named[0].name_run(run, invocation),
        max_memory=asked["worker_memory"] and asked["worker_memory"] << 20,
    )
    metrics = Metrics()
    state = State(pool, database, asked["reader"], log.say)
    watch = Watch(project, profiles_dir(dbt_arguments, os.environ))
    options = Options(node, boot, live, pools, windows, asked["memory"])
    lineage = Lineage.from_environment()
    service = Service(options, database, pool, state, watch, log, metrics, lineage)
    named.append(service)
    token = read_or_make_token(home)
    server = Server(service, metrics, listen, token=token, hosts=asked["hosts"])
    stopped.service = service
    try:
        server.start()
        log.say("serving", address=server.address, database=database.name, home=str(home))
        service.run()
    finally:
        server.stop()
        pool.stop()
        if lineage is not None:
            lineage.stop()
    log.say("stopped")


class Stopped:
    """What SIGTERM, SIGINT and SIGHUP do: they end whatever the node waits for, and the node."""

    def __init__(self) -> None:
        """From now on."""
        self.is_asked = False
        self.service: Service | None = None
        for one in STOPS:
            # What runs under nohup is to outlive its terminal.
            if signal.getsignal(one) is not signal.SIG_IGN:
                signal.signal(one, self._ask)

    def _ask(self, *_: object) -> None:
        """A signal came."""
        self.is_asked = True
        if self.service is not None:
            self.service.stop()


def register(database: Database, stopped: Stopped, log: EventLog) -> None:
    """Waits for the database as long as it takes: 1 s, doubling up to 5 s (TiDB's init).

    Raises:
        ValueError: another process has this node's id, or the database is newer.
    """
    wait = 1.0
    while not stopped.is_asked:
        try:
            database.prepare()
            database.register()
            return
        except NodeInUse:
            raise
        except OSError as error:
            log.say("database", problem=str(error))
        until = time.monotonic() + wait
        while time.monotonic() < until and not stopped.is_asked:
            time.sleep(0.1)
        wait = min(wait * 2, REGISTER_MOST)
