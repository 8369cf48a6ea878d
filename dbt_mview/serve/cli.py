"""The commands of the service. What they need is imported when one is run: it is an extra."""

from __future__ import annotations

import json
import os
import sys
import uuid
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dbt_mview.serve.project import DATABASE, HOME, database_url

if TYPE_CHECKING:
    from dbt_mview.serve.members import Database

EXTRA = "run: pip install '<clone of dbt_mview>[serve]'"
FILE = click.Path(dir_okay=False, exists=True, path_type=Path)
DBT = {"ignore_unknown_options": True}
WIDE = 160  # columns
# Seconds: two beats of the node, and an operation of dbt in a process that has yet to import it.
ANSWER_WITHIN = 60.0
PART = 1000  # views in one answer
STYLES = {"broken": "bold red", "paused": "yellow", "running": "green", "queued": "cyan"}


def home_option(command: Any) -> Any:
    """Where the service of a project keeps what is its own."""
    command = click.option(
        "--home",
        envvar="DBT_MVIEW_SERVE_HOME",
        type=click.Path(file_okay=False, path_type=Path),
        help=f"Folder of the database, the token and logs.  [default: {HOME} in the project]",
    )(command)
    return click.option(
        "--database",
        envvar="DBT_MVIEW_DATABASE",
        metavar="URL",
        help="What nodes share: postgresql://...; for one node SQLite.  [default: in the home]",
    )(command)


def place_option(command: Any) -> Any:
    """Which service is meant."""
    return click.option(
        "--project-dir",
        type=click.Path(file_okay=False, path_type=Path),
        help="Of the dbt project.  [default: as dbt finds it]",
    )(home_option(command))


@click.command("serve", context_settings=DBT)
@click.option("--node-id", envvar="DBT_MVIEW_NODE_ID", help="[default: the host's name]")
@home_option
@click.option("--listen", envvar="DBT_MVIEW_LISTEN", default="127.0.0.1:8580", show_default=True)
@click.option("--tls-cert", envvar="DBT_MVIEW_TLS_CERT", type=FILE)
@click.option("--tls-key", envvar="DBT_MVIEW_TLS_KEY", type=FILE)
@click.option("--behind-proxy", envvar="DBT_MVIEW_BEHIND_PROXY", is_flag=True,
              help="A proxy that ends TLS stands before it.")  # fmt: skip
@click.option("--hosts", envvar="DBT_MVIEW_HOSTS", multiple=True,
              help="Names by which it is asked, besides its own address.")  # fmt: skip
@click.option("--workers", envvar="DBT_MVIEW_WORKERS",
              help="dbt runs at once.  [default: 2; 1 on a session target]")  # fmt: skip
@click.option("--timeout", envvar="DBT_MVIEW_TIMEOUT",
              help="of a run.  [default: the lease of the locks - 60s]")  # fmt: skip
@click.option("--fetch-interval", envvar="DBT_MVIEW_FETCH_INTERVAL", help="[default: 30s]")
@click.option("--batch-size", envvar="DBT_MVIEW_BATCH_SIZE", help="[default: 50]")
@click.option("--drain", envvar="DBT_MVIEW_DRAIN",
              help="How long runs may go on when it stops.  [default: 60s]")  # fmt: skip
@click.option("--upstream-wait", envvar="DBT_MVIEW_UPSTREAM_WAIT", help="[default: 15m]")
@click.option("--source-poll", envvar="DBT_MVIEW_SOURCE_POLL", help="[default: 10s]")
@click.option("--memory", envvar="DBT_MVIEW_MEMORY", type=click.IntRange(1, 100), default=95,
              show_default=True, help="Percent in use above which nothing starts.")  # fmt: skip
@click.option("--worker-memory", envvar="DBT_MVIEW_WORKER_MEMORY", type=click.IntRange(1),
              help="MiB above which a worker with its JVM is replaced once free.")  # fmt: skip
@click.option("--reader", envvar="DBT_MVIEW_READER", show_default=True, default="auto",
              type=click.Choice(["auto", "log", "operation"]),
              help="How state is read: from Delta's log, or by dbt.")  # fmt: skip
@click.option("--lineage-namespace", envvar="DBT_MVIEW_LINEAGE_NAMESPACE", default="spark",
              show_default=True, help="Of the tables in OpenLineage.")  # fmt: skip
@click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def serve(context: click.Context, /, **_: Any) -> None:
    """Keep views and logs fresh: refresh and purge what is due, until it is told to stop (Ctrl-C).

    All else is given to dbt: --project-dir, --profiles-dir, --target and so on. Settings may stand
    in dbt_mview.yml in the project too, with pools and holds: see docs/scheduler.md.
    """
    try:
        from dbt_mview.serve import node
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error}; {EXTRA}") from error
    try:
        node.serve(context)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error


@click.command("status", context_settings=DBT)
@place_option
@click.option("--url", envvar="DBT_MVIEW_URL", help="Of a node.  [default: one that is alive]")
@click.option("--json", "as_json", is_flag=True, help="All of it, as JSON.")
@click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
def status(url: str | None, as_json: bool, **place: Any) -> None:
    """Show nodes, runs and views of the service. Exit code 1 where none is alive or ready.

    Beyond this machine a token is needed: of the node's home, or of DBT_MVIEW_TOKEN.
    """
    from urllib.error import HTTPError, URLError

    parts = Parts(**place)
    base = url or parts.address()
    try:
        found = parts.get(base, "/v1/status")
        found["views"] = parts.views(base)
    except HTTPError as error:
        raise click.ClickException(f"{base}: {error.code} {error.reason}") from error
    except (URLError, OSError, ValueError) as error:
        raise click.ClickException(f"{base} does not answer: {error}") from error
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        _show(found)
    if not found["is_ready"]:
        sys.exit(1)


def _show(found: dict[str, Any]) -> None:
    """The report as tables."""
    # Where it is read by a program or a file, no name is cut.
    console = Console(width=None if sys.stdout.isatty() else WIDE)
    health = "ok" if found["health"] == "ok" else f"{found['health']}: {found['problem']}"
    console.print(f"{escape(found['project'])} on {escape(found['target'])}: {escape(health)}")
    nodes = Table("node", "alive", "owns", "runs", "address")
    for one in found["nodes"]:
        alive = "yes" if one["is_alive"] else f"{one['age']:.0f} s ago"
        if one["is_alive"] and one["starting"]:
            alive = f"starting: {one['starting']}"
        cells = (one["name"], alive, str(one["owned"]), str(one["running"]), one["address"])
        nodes.add_row(*map(escape, cells))
    console.print(nodes)
    views = Table("what", "is", "due", "refreshed", "took", "failures", "problem")
    for one in found["views"]:
        style = STYLES.get(one["condition"], "")
        took = "" if one["took"] is None else f"{one['took']:.1f} s"
        views.add_row(
            escape(one["id"].split(".", 1)[-1]),
            f"[{style}]{one['condition']}[/]" if style else one["condition"],
            _short(one["due"]),
            _short(one["ended"]),
            took,
            str(one["failures"] or ""),
            escape("; ".join(filter(None, [_paused(one["paused_time"]), one["problem"]]))),
        )
    console.print(views)


def _paused(at: str | None) -> str:
    """Since when something is paused; empty if it is not."""
    return "" if at is None else f"paused since {_short(at)}"


def _short(at: str | None) -> str:
    """A time without what nobody reads."""
    return "-" if at is None else at[:19].replace("T", " ") + "Z"


def _request(verb: str, text: str) -> click.Command:
    """A command that asks the node that owns a view or log for something."""

    @click.command(verb, context_settings=DBT, help=text)
    @place_option
    @click.argument("view")
    @click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
    def request(view: str, **place: Any) -> None:
        click.echo(f"{view}: {Parts(**place).ask(verb, view)}")

    return request


run = _request("run", "Refresh a view out of turn: its plan stays as it is.")
cancel = _request("cancel", "End the run that refreshes a view; it counts as a failure.")
pause = _request("pause", "Take a view or log, or all, out of what is due (mview_pause).")
resume = _request("resume", "Put it back (mview_resume).")
reset = _request("reset", "End BROKEN, and a pause between retries (mview_reset).")


@click.command("drain", context_settings=DBT)
@place_option
@click.argument("node")
@click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
def drain(node: str, **place: Any) -> None:
    """Have a node leave: others take its views, its runs end, it stops."""
    click.echo(Parts(**place).ask("drain", node))


@click.command("set")
@place_option
@click.argument("values", nargs=-1, required=True, metavar="NAME=VALUE...")
def set_settings(values: tuple[str, ...], **place: Any) -> None:
    """Change settings of all nodes while they run, such as workers=4 timeout=30m.

    They hold until they are set again; NAME= alone gives back what a node was started with.
    """
    database = Parts(**place).database
    from dbt_mview.serve import config

    given = {}
    for one in values:
        name, is_given, value = one.partition("=")
        name = name.replace("-", "_")
        if not is_given:
            raise click.ClickException(f"'{one}' is no setting: give NAME=VALUE")
        try:
            config.parsed(name, value or config.default(name))
        except ValueError as error:
            raise click.ClickException(str(error)) from error
        given[name] = value
    try:
        for name, value in given.items():
            database.set(name, value)
    except OSError as error:
        raise click.ClickException(str(error)) from error
    click.echo(" ".join(f"{name}={value}" for name, value in given.items()))


COMMANDS = (serve, status, run, cancel, pause, resume, reset, drain, set_settings)


class Parts:
    """What a command needs of a service that runs."""

    def __init__(
        self,
        home: Path | None,
        database: str | None,
        project_dir: Path | None,
        dbt_arguments: tuple[str, ...] = (),
    ) -> None:
        """Finds its home, and its database, by the options or by dbt_mview.yml.

        What else dbt is given may stand there, so that one command line is like another; no dbt is
        run.

        Raises:
            click.ClickException: the extra is not installed, or the file is none.
        """
        try:
            from dbt_mview.serve import config, project
            from dbt_mview.serve.members import Database
        except ModuleNotFoundError as error:
            raise click.ClickException(f"{error}; {EXTRA}") from error
        place = project_dir or project.project_dir(dbt_arguments, os.environ)
        try:
            given = config.read_file(place / config.FILE)
        except (ValueError, OSError) as error:
            raise click.ClickException(str(error)) from error
        self._connect = Database
        self._url = database or given.get("database")
        self.home = Path(home or given.get("home") or place / HOME)

    @cached_property
    def database(self) -> Database:
        """What its nodes share.

        Raises:
            click.ClickException: there is no such service.
        """
        file = self.home / DATABASE
        if self._url is None and not file.exists():
            raise click.ClickException(
                f"{self.home} holds no service: start one with dbt-mview serve, or give --home or"
                " --database of the one that runs"
            )
        try:
            url = database_url(self._url, self.home)
            found = self._connect(url, f"command-{uuid.uuid4().hex[:8]}", "")
            found.prepare()
        except (ValueError, OSError) as error:
            raise click.ClickException(str(error)) from error
        return found

    def address(self) -> str:
        """The URL of a node that is alive.

        Raises:
            click.ClickException: there is none.
        """
        try:
            living = [one for one in self.database.nodes() if one.is_alive and one.address]
        except OSError as error:
            raise click.ClickException(str(error)) from error
        if not living:
            raise click.ClickException("no node is alive: dbt-mview serve starts one")
        return living[0].address

    def get(self, base: str, path: str) -> dict[str, Any]:
        """What a node answers."""
        from urllib.request import Request, urlopen

        request = Request(base.rstrip("/") + path)
        token = os.environ.get("DBT_MVIEW_TOKEN", "")
        if not token and (self.home / "token").exists():
            token = (self.home / "token").read_text(encoding="utf-8").strip()
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urlopen(request, timeout=10) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def views(self, base: str) -> list[dict[str, Any]]:
        """All views and logs, however many there are."""
        views: list[dict[str, Any]] = []
        while True:
            some = self.get(base, f"/v1/views?limit={PART}&offset={len(views)}")
            views += some["views"]
            if not some["views"] or len(views) >= some["total"]:
                return views

    def ask(self, verb: str, subject: str) -> str:
        """Asks the node that has to do it, and waits for its answer.

        Raises:
            click.ClickException: it was refused, or nobody answers.
        """
        try:
            by = os.environ.get("USER", "somebody")
            is_done, text = self.database.request(verb, subject, by, ANSWER_WITHIN)
        except TimeoutError as error:
            raise click.ClickException(
                "no node has answered so far: dbt-mview status says which are alive, and what"
                " they do"
            ) from error
        except OSError as error:
            raise click.ClickException(str(error)) from error
        if not is_done:
            raise click.ClickException(f"{subject}: {text}")
        return text
