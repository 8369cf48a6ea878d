"""The command line `dbt-mview`."""

from __future__ import annotations

import io
import signal
import sys
from contextlib import redirect_stdout
from datetime import datetime, timezone
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dbt_mview import __version__, doctor, schedule, thrift
from dbt_mview.engine import DEFAULT_HOME, HOME_VARIABLE, find_java
from dbt_mview.serve.cli import COMMANDS
from dbt_mview.serve.workers import as_yaml

# Of these, Windows has no SIGHUP, which a terminal sends that is closed.
STOPS = [getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)]
INSTALL = "run: pip install '<clone of dbt_mview>[spark]'"
STYLES = {"ok": "green", "failed": "bold red", "skipped": "yellow"}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Materialized views for dbt on Spark + Delta Lake: scheduler, embedded engine, what is due."""


@main.command("doctor")
def run_doctor() -> None:
    """Check all that the embedded engine needs, and name the fix for what is missing.

    Ends with exit code 1 if a check fails.
    """
    console = Console()
    results = []
    for result in doctor.run_checks(
        doctor.CHECKS, lambda name: console.print(f"{escape(name)} ... ", end="")
    ):
        results.append(result)
        console.print(f"[{STYLES[result.status]}]{result.status}[/] ({result.seconds:.1f} s)")
    console.print(_table(results))
    for result in results:
        if result.original:
            console.rule(f"{result.name}: original error", align="left")
            console.print(result.original, markup=False, highlight=False, soft_wrap=True)
    if any(result.status != "ok" for result in results):
        sys.exit(1)


def _table(results: list[doctor.Result]) -> Table:
    """Lay the results out: check, result, fix."""
    table = Table("check", "result", "fix")
    for result in results:
        found = f"[{STYLES[result.status]}]{result.status}[/] {escape(result.detail)}"
        table.add_row(escape(result.name), found, escape(result.fix))
    return table


@main.command("java")
@click.option("--install", is_flag=True, help="Install it if it is missing and this process may.")
def run_java(install: bool) -> None:
    """Print the home of a Java that Spark 4 runs on.

    If there is none, it is installed with --install as root on Debian or Ubuntu; anywhere else
    the command for this system is printed.
    """
    try:
        java = doctor.install_java() if install else find_java()
    except doctor.CheckFailed as error:
        raise click.ClickException(f"{error.detail}; run: {error.fix}") from error
    except CalledProcessError as error:
        raise click.ClickException(f"{error}; what it said is above") from error
    if java is None:
        raise click.ClickException(
            f"there is no Java {doctor.SUPPORTED_JAVA} here; run: {doctor.java_fix()}"
        )
    click.echo(java.home)


@main.command("jars")
def run_jars() -> None:
    """Fetch Delta's jars, where they are not here yet.

    Spark fetches them when it starts; several that start at once where none are here spoil each
    other's.
    """
    try:
        click.echo(doctor.check_jar())
    except doctor.CheckFailed as error:
        raise click.ClickException(f"{error.original}\n{error.detail}; {error.fix}") from error
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error}; {INSTALL}") from error
    except ValueError as error:
        raise click.ClickException(str(error)) from error


@main.command("thrift")
@click.option(
    "--home",
    envvar=HOME_VARIABLE,
    default=DEFAULT_HOME,
    type=click.Path(file_okay=False, path_type=Path),
    show_default=True,
    show_envvar=True,
    help="Where tables and catalog live; one Spark at a time can use it.",
)
@click.option(
    "--port",
    envvar=thrift.PORT_VARIABLE,
    default=thrift.DEFAULT_PORT,
    type=click.IntRange(1, 65535),
    show_default=True,
    show_envvar=True,
    help="Where to listen, on 127.0.0.1 only.",
)
@click.option(
    "--connect-port",
    type=click.IntRange(1, 65535),
    help="Where the same Spark also listens for clients of Spark Connect.",
)
def run_thrift(home: Path, port: int, connect_port: int | None) -> None:
    """Run a Spark thrift server with Delta Lake until it is told to stop (Ctrl-C)."""
    for stop in STOPS:
        # What runs under nohup is to outlive its terminal.
        if signal.getsignal(stop) is not signal.SIG_IGN:
            signal.signal(stop, _leave)
    click.echo(f"starting a thrift server in {home}")
    try:
        settings = thrift.connect_settings(connect_port) if connect_port else None
        with thrift.thrift_server(home, port, settings=settings) as server:
            click.echo(f"it answers on {thrift.HOST}:{port} (process {server.pid})")
            if connect_port:
                click.echo(f"and Spark Connect: SPARK_REMOTE=sc://{thrift.HOST}:{connect_port}")
            click.echo(f"its log is {server.log}; Ctrl-C stops it")
            server.process.wait()
            raise click.ClickException(f"the server ended by itself: {thrift.cause(server.log)}")
    except (thrift.ThriftServerError, ModuleNotFoundError, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error


@main.command("due", context_settings={"ignore_unknown_options": True})
@click.option("--selector", is_flag=True, help="Print the models on one line, for dbt --select.")
@click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
def run_due(selector: bool, dbt_arguments: tuple[str, ...]) -> None:
    """Show what is due by its schedule, cron expressions included.

    Ends with exit code 1 where it could not say so, also of a single cron expression: it is named,
    and the others are shown.

    All else is given to dbt: --project-dir, --profiles-dir, --target and so on. With --selector
    any scheduler can do it:

    \b
    due=$(dbt-mview due --selector) || exit; [ -z "$due" ] || dbt run --select $due
    """
    try:
        found, errors = schedule.what_is_due(
            lambda name, args: _run_operation(name, args, dbt_arguments),
            datetime.now(timezone.utc),
        )
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    for id_, text in errors.items():
        click.echo(f"{id_}: {text}", err=True)
    if selector:
        if names := dict.fromkeys(one.model for one in found if one.model):
            click.echo(" ".join(names))
    else:
        table = Table("due", "for", "since", "why", "model")
        for one in found:
            doing = "refresh" if one.what == "view" else "purge"
            cells = (one.id, doing, f"{one.since:%Y-%m-%d %H:%M:%SZ}", one.why)
            table.add_row(*map(escape, cells), escape(one.model or "of another project"))
        Console().print(table)
    if errors:
        sys.exit(1)


@main.command("report", context_settings={"ignore_unknown_options": True})
@click.option(
    "--out",
    default="mview_report.html",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default=True,
    help="The file to write.",
)
@click.argument("dbt_arguments", nargs=-1, type=click.UNPROCESSED)
def run_report(out: Path, dbt_arguments: tuple[str, ...]) -> None:
    """Write a page about the project: its views, what keeps them from being FAST, what FAST saved.

    The page is one file that needs no other. All else is given to dbt: --project-dir,
    --profiles-dir, --target and so on.
    """
    lines = _run_operation("mview_report", {}, dbt_arguments)
    try:
        # What it needs comes with dbt.
        from dbt_mview import project_report

        report = project_report.report_of(lines)
        out.write_text(project_report.page_of(report), encoding="utf-8")
    except (ModuleNotFoundError, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{report.count('yes')} of {len(report.views)} views can be FAST: {out}")


for command in COMMANDS:
    main.add_command(command)


def _run_operation(name: str, args: dict[str, Any], dbt_arguments: tuple[str, ...]) -> list[str]:
    """Run an operation of the package with the dbt of this environment.

    Raises:
        click.ClickException: dbt is not installed, or failed; its own words are above.
    """
    try:
        from dbt.cli.main import dbtRunner
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error}; {INSTALL}") from error
    lines: list[str] = []

    def listen(event: Any) -> None:
        if event.info.name == "PrintEvent":
            lines.append(event.info.msg)

    command = ["run-operation", name, "--args", as_yaml(args), *dbt_arguments]
    said = io.StringIO()
    with redirect_stdout(said):
        result = dbtRunner(callbacks=[listen]).invoke(["--quiet", *command])
    if not result.success:
        click.echo(said.getvalue(), err=True, nl=False)
        cause = result.exception
        if isinstance(cause, KeyboardInterrupt):
            raise cause
        why = f": {str(cause) or type(cause).__name__}" if cause else "; what it said is above"
        raise click.ClickException(f"dbt run-operation {name} failed{why}")
    return lines


def _leave(*_: object) -> NoReturn:
    """End in good order, so that the server is stopped too, whatever comes while it stops."""
    for stop in STOPS:
        signal.signal(stop, signal.SIG_IGN)
    sys.exit(0)
