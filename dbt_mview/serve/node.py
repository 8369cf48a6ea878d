"""A node as a process: its parts are made of what the command line says, and run until a signal."""

from __future__ import annotations

import os
import signal
import socket
import sys
import uuid
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from dbt_mview.serve import config
from dbt_mview.serve.events import EventLog, Lineage
from dbt_mview.serve.members import Database
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.options import Options
from dbt_mview.serve.project import HOME, Watch, database_url, profiles_dir, project_dir
from dbt_mview.serve.service import Service
from dbt_mview.serve.state import State
from dbt_mview.serve.web import Server, make_app, parse_listen, read_or_make_token
from dbt_mview.serve.workers import Workers

MIB = 1 << 20
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
        known = ", ".join(sorted({*map(str, options), *OF_FILE} - {"help"}))
        raise ValueError(f"{path}: there is no setting '{min(unknown)}'; there are {known}")
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
        OSError: a port or a file cannot be had.
    """
    dbt_arguments: tuple[str, ...] = context.params["dbt_arguments"]
    project = project_dir(dbt_arguments, os.environ)
    if not (project / "dbt_project.yml").exists():
        raise ValueError(f"{project} is no dbt project: give --project-dir, or start it there")
    asked = with_file(context, project / config.FILE)
    live = {name: asked[name] for name in config.LIVE if asked.get(name) is not None}
    pools = config.pools_from(asked["pools"])
    windows = config.windows_from(asked["holds"])
    listen = parse_listen(
        asked["listen"],
        certificate=asked["tls_cert"],
        key=asked["tls_key"],
        is_behind_proxy=asked["behind_proxy"],
    )
    home = home_of(asked["home"], project)
    node = asked["node_id"] or socket.gethostname()
    options = Options(node, uuid.uuid4().hex[:8], live, pools, windows, asked["memory"])
    log = EventLog(sys.stdout, node, is_text=sys.stdout.isatty())
    database = Database(database_url(asked["database"], home), node, options.boot)
    memory = asked["worker_memory"]
    workers = Workers(
        home,
        dbt_arguments,
        size=1,
        is_session=True,  # until the project says what its target is
        on_invocation=lambda run, invocation: service.name_run(run, invocation),
        max_memory=None if memory is None else memory * MIB,
    )
    metrics = Metrics()
    state = State(workers, database, asked["reader"], log.write)
    watch = Watch(project, profiles_dir(dbt_arguments, os.environ))
    lineage = Lineage.from_environment(asked["lineage_namespace"])
    service = Service(options, database, workers, state, watch, log, metrics, lineage)
    app = make_app(
        service,
        metrics,
        token=read_or_make_token(home),
        hosts=[*asked["hosts"], listen.name],
        is_public=listen.is_public,
        behind_proxy=listen.is_behind_proxy,
    )
    server = Server(app, listen)
    for one in STOPS:
        # What runs under nohup is to outlive its terminal.
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, lambda *_: service.stop())
    server.start()
    try:
        database.address = server.address
        log.write("listening", address=server.address, home=str(home))
        service.run()
    finally:
        # The page has stayed for as long as anything ran.
        server.stop()
        if lineage is not None:
            lineage.stop()
        database.close()
    log.write("stopped")


def home_of(given: Path | None, project: Path) -> Path:
    """The folder of what is the service's own, which is made where it is missing.

    Args:
        given: by the user; None for one in the project.
        project: folder of the dbt project.

    Raises:
        OSError: it cannot be made.
    """
    home = (given or project / HOME).absolute()
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    (home / ".gitignore").write_text("*\n", encoding="utf-8")
    return home
