"""Checks of everything that the embedded engine needs, each with the fix for what is missing."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from dbt_mview.engine import (
    JAVA_VERSIONS,
    Java,
    default_java,
    delta_package,
    find_java,
    session,
    spark_settings,
)
from dbt_mview.thrift import ThriftServerError, delta_jars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

PROBE_SECONDS = 600
SUPPORTED_JAVA = " or ".join(map(str, JAVA_VERSIONS))
JAVA_COMMANDS = {
    "dnf": "dnf install -y java-21-openjdk-headless",
    "zypper": "zypper install -y java-21-openjdk-headless",
    "apk": "apk add openjdk17-jre-headless",
    "pacman": "pacman -S --noconfirm jre21-openjdk-headless",
    "brew": "brew install openjdk@17",
    "winget": "winget install EclipseAdoptium.Temurin.17.JRE",
}
NO_ROOT_NEEDED = ("brew", "winget")


class CheckFailed(Exception):
    """A check did not pass.

    Args:
        detail: what is wrong, in one line.
        fix: what to do about it, a command where there is one.
        original: the error as it came, in full.
    """

    def __init__(self, detail: str, fix: str = "", original: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.fix = fix
        self.original = original


@dataclass(frozen=True)
class Check:
    """One thing to check.

    Args:
        name: what it is called in the table.
        run: returns what it found, raises `CheckFailed` when that will not do.
        needs: names of the checks that must have passed before it makes sense.
    """

    name: str
    run: Callable[[], str]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """What a check found.

    Args:
        name: the check.
        status: ok, failed, or skipped because a check that it needs failed.
        detail: what was found or what is wrong.
        fix: what to do.
        original: the error as it came, in full.
        seconds: how long the check took.
    """

    name: str
    status: Literal["ok", "failed", "skipped"]
    detail: str
    fix: str = ""
    original: str = field(default="", repr=False)
    seconds: float = 0.0


def run_checks(checks: Sequence[Check], announce: Callable[[str], object]) -> Iterator[Result]:
    """Run checks in their order; no error ends the round.

    Args:
        checks: what to check.
        announce: is told the name of each check before it starts.

    Yields:
        The result of each check, as soon as there is one.
    """
    passed: set[str] = set()
    for check in checks:
        announce(check.name)
        missing = [name for name in check.needs if name not in passed]
        result = _skip(check, missing) if missing else _run(check)
        if result.status == "ok":
            passed.add(check.name)
        yield result


def _skip(check: Check, missing: list[str]) -> Result:
    """Leave a check out."""
    return Result(check.name, "skipped", f"needs {', '.join(missing)}")


def _run(check: Check) -> Result:
    """Run a check; whatever it raises becomes its result."""
    start = time.monotonic()
    try:
        detail, failure = check.run(), None
    except CheckFailed as error:
        detail, failure = error.detail, error
    except Exception as error:
        detail = f"{type(error).__name__}: {error}"
        failure = CheckFailed(detail, original=traceback.format_exc())
    seconds = time.monotonic() - start
    if failure is None:
        return Result(check.name, "ok", detail, seconds=seconds)
    return Result(check.name, "failed", detail, failure.fix, failure.original, seconds)


def check_python() -> str:
    """Check the version of Python."""
    found = platform.python_version()
    if _numbers(found) < (3, 10):
        raise CheckFailed(f"{found} is too old", "install Python 3.10 or newer")
    return found


def check_java() -> str:
    """Check the Java that Spark would start here."""
    try:
        java = default_java()
    except (FileNotFoundError, ValueError) as error:
        raise CheckFailed(str(error), java_fix()) from error
    if not java.is_supported:
        raise CheckFailed(f"Java {java.version}, but Spark 4 needs {SUPPORTED_JAVA}", java_fix())
    return f"{java.version} in {java.home}"


def check_pyspark() -> str:
    """Check pyspark, and that `SPARK_HOME` does not lead it to another Spark."""
    found = check_package("pyspark", "4.0.1")
    home = os.environ.get("SPARK_HOME")
    jars = list(Path(home, "jars").glob("spark-core_*.jar")) if home else []
    if home and not any(jar.stem.endswith(f"-{found}") for jar in jars):
        raise CheckFailed(f"{found}, but SPARK_HOME is another Spark: {home}", "unset SPARK_HOME")
    return found


def check_package(name: str, least: str, below: str = "", install: str = "") -> str:
    """Check the version of an installed Python package.

    Args:
        name: the package.
        least: the lowest version that will do.
        below: the first version that will not do any more.
        install: what to install, if that is more than the package itself.

    Returns:
        The version.

    Raises:
        CheckFailed: it is missing, too old or too new.
    """
    wanted = f"{install or name}>={least}" + (f",<{below}" if below else "")
    fix = f"pip install '{wanted}'"
    try:
        found = version(name)
    except PackageNotFoundError as error:
        raise CheckFailed("not installed", fix) from error
    if _numbers(found) < _numbers(least):
        raise CheckFailed(f"{found} is too old", fix)
    if below and _numbers(found) >= _numbers(below):
        raise CheckFailed(f"{found} is too new", fix)
    return found


def check_jar() -> str:
    """Check that Delta's jars are here, or can be fetched."""
    package = delta_package()
    try:
        jars = delta_jars(package, spark_settings()["spark.jars.excludes"])
    except ThriftServerError as error:
        fix = (
            "let this machine reach Maven Central; or, if Delta has no build for this Spark: "
            "pip install 'pyspark==4.1.*' 'delta-spark==4.4.*'"
        )
        raise CheckFailed(f"cannot get {package}", fix, str(error)) from error
    return f"{package}, in {jars[0].parent}"


def check_engine() -> str:
    """Start an embedded Spark in a process of its own; write and read a Delta table in it."""
    with TemporaryDirectory(prefix="dbt_mview_doctor_", ignore_cleanup_errors=True) as home:
        try:
            done = subprocess.run(
                [sys.executable, "-c", _PROBE, home],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PROBE_SECONDS,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            said = f"{error.stderr}{error.stdout}".strip()
            raise CheckFailed("Spark did not write and read a table", _hint(said), said) from error
        except subprocess.TimeoutExpired as error:
            said = b"".join(part for part in (error.stderr, error.stdout) if part).decode()
            detail = f"Spark did not end within {PROBE_SECONDS} s"
            raise CheckFailed(detail, "see the original error below", said) from error
    return done.stdout.strip().splitlines()[-1]


_PROBE = "import sys; from dbt_mview.doctor import write_and_read; write_and_read(sys.argv[1])"


def write_and_read(home: str) -> None:
    """Write a Delta table and read it again, in an engine of its own, and say so.

    Args:
        home: an empty directory.

    Raises:
        RuntimeError: what was read is not what was written.
    """
    spark = session(home)
    spark.sql("create table probe using delta as select 1 as id")
    spark.sql("insert into probe values (2)")
    found = [tuple(row) for row in spark.sql("select id from probe order by id").collect()]
    commits = spark.sql("describe history probe").count()
    if found != [(1,), (2,)] or commits != 2:
        raise RuntimeError(f"read {found} in {commits} commits instead of [(1,), (2,)] in 2")
    sys.stdout.write(f"Spark {spark.version} wrote and read a Delta table\n")
    spark.stop()


CHECKS = (
    Check("Python", check_python),
    Check("Java", check_java),
    Check("pyspark", check_pyspark),
    Check("delta-spark", lambda: check_package("delta-spark", "4.0")),
    Check("dbt-core", lambda: check_package("dbt-core", "1.10", below="2")),
    Check("dbt-spark", lambda: check_package("dbt-spark", "1.10", install="dbt-spark[session]")),
    Check("Delta's jar", check_jar, needs=("Java", "pyspark", "delta-spark")),
    Check("write and read", check_engine, needs=("Delta's jar",)),
)


def java_fix(environ: Mapping[str, str] | None = None) -> str:
    """Give the one command that brings a Java that Spark 4 runs on.

    Args:
        environ: the environment; that of this process by default.

    Returns:
        A shell command: to use a Java that is there already, else to install one.
    """
    if java := find_java(environ):
        return f"export JAVA_HOME={shlex.quote(str(java.home))}"
    path = (os.environ if environ is None else environ).get("PATH", "")
    commands = {"apt-get": f"apt-get install -y {apt_package()}", **JAVA_COMMANDS}
    for tool, command in commands.items():
        if shutil.which(tool, path=path):
            return command if tool in NO_ROOT_NEEDED or _is_root() else f"sudo {command}"
    return f"install Java {SUPPORTED_JAVA} and set JAVA_HOME"


def apt_package() -> str:
    """Name the Java package of this Debian or Ubuntu: Debian dropped Java 17 after version 12."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    has_17 = release.get("ID") != "debian" or release.get("VERSION_ID") in ("11", "12")
    return f"openjdk-{17 if has_17 else 21}-jre-headless"


def install_java() -> Java:
    """Find a Java that Spark 4 runs on; install one if there is none and this process may.

    Returns:
        The Java.

    Raises:
        CheckFailed: there is none, and installing takes more than root on Debian or Ubuntu.
        subprocess.CalledProcessError: apt-get failed; what it said is on stderr.
    """
    if java := find_java():
        return java
    if not (_is_root() and shutil.which("apt-get")):
        raise CheckFailed(f"there is no Java {SUPPORTED_JAVA} here", java_fix())
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "-y", apt_package()]):
        subprocess.run(["apt-get", *words], check=True, stdout=sys.stderr, env=quiet)
    if java := find_java():
        return java
    raise CheckFailed(f"{apt_package()} is installed, but brought no Java", java_fix())


def _is_root() -> bool:
    """Whether this process may install packages."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _numbers(text: str) -> tuple[int, ...]:
    """Give the first three numbers of a version."""
    found = [int(number) for number in re.findall(r"\d+", text)[:3]]
    return tuple(found + [0] * (3 - len(found)))


def _hint(said: str) -> str:
    """Name the fix for what a Spark that failed said."""
    if "jdk.incubator.vector" in said and "not found" in said:
        return "this Java lacks modules that Spark needs: install one from your system or Temurin"
    if "No space left on device" in said:
        return "free some disk space"
    return "see the original error below"
