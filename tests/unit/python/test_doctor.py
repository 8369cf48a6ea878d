"""`dbt-mview doctor` and `dbt-mview java`: every check can fail, and then says what to do."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dbt_mview import __version__, cli, doctor, engine
from dbt_mview.doctor import Check, CheckFailed
from dbt_mview.thrift import ThriftServerError

JAVA_17 = engine.Java(Path("/opt/java 17"), 17)
JAVA_25 = engine.Java(Path("/opt/java 25"), 25)


def failing(error: Exception) -> doctor.Check:
    """A check named `broken` that raises an error."""

    def run() -> str:
        raise error

    return Check("broken", run)


def invoke(monkeypatch: pytest.MonkeyPatch, *checks: Check) -> Result:
    """Run `dbt-mview doctor` with checks of the test, on a wide terminal."""
    monkeypatch.setattr(doctor, "CHECKS", checks)
    return CliRunner(env={"COLUMNS": "200"}).invoke(cli.main, ["doctor"])


def set_versions(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    """Let these packages be installed, and no others."""

    def version(name: str) -> str:
        if name.replace("-", "_") not in versions:
            raise PackageNotFoundError(name)
        return versions[name.replace("-", "_")]

    monkeypatch.setattr(doctor, "version", version)


def set_java(monkeypatch: pytest.MonkeyPatch, default: object, found: object) -> None:
    """Let Spark start one Java, and let another one (or none) be found on the machine."""

    def default_java() -> object:
        if isinstance(default, Exception):
            raise default
        return default

    monkeypatch.setattr(doctor, "default_java", default_java)
    monkeypatch.setattr(doctor, "find_java", lambda environ=None: found)


def set_tools(monkeypatch: pytest.MonkeyPatch, *tools: str, root: bool) -> None:
    """Let these programs be on the PATH, for root or for another user."""
    monkeypatch.setattr(
        doctor.shutil, "which", lambda name, path="": name if name in tools else None
    )
    monkeypatch.setattr(doctor.os, "geteuid", lambda: 0 if root else 1000)


def set_release(monkeypatch: pytest.MonkeyPatch, name: str, version: str) -> None:
    """Let this be a release of a Linux distribution."""
    release = {"ID": name, "VERSION_ID": version}
    monkeypatch.setattr(doctor.platform, "freedesktop_os_release", lambda: release)


# --- the round of checks


def test_results_come_in_order_and_are_announced_before() -> None:
    seen: list[str] = []
    checks = [Check(name, lambda name=name: seen.append(f"run {name}") or "") for name in "ab"]
    results = doctor.run_checks(checks, lambda name: seen.append(f"announce {name}"))
    assert next(results).name == "a"
    assert seen == ["announce a", "run a"]
    assert next(results).name == "b"
    assert seen == ["announce a", "run a", "announce b", "run b"]


def test_no_error_ends_the_round() -> None:
    checks = [failing(ZeroDivisionError("by zero")), Check("next", lambda: "fine")]
    broken, after = doctor.run_checks(checks, print)
    assert (broken.status, broken.detail) == ("failed", "ZeroDivisionError: by zero")
    assert "Traceback" in broken.original
    assert after.status == "ok"


def test_check_whose_needs_failed_is_skipped() -> None:
    ran: list[str] = []
    checks = [
        failing(CheckFailed("no")),
        Check("dependent", lambda: ran.append("dependent") or "", needs=("broken",)),
        Check("its dependent", lambda: ran.append("second") or "", needs=("dependent",)),
    ]
    _, second, third = doctor.run_checks(checks, print)
    assert (second.status, second.detail) == ("skipped", "needs broken")
    assert (third.status, third.detail) == ("skipped", "needs dependent")
    assert ran == []


def test_every_check_needs_only_earlier_ones() -> None:
    names: list[str] = []
    for check in doctor.CHECKS:
        assert set(check.needs) <= set(names)
        names.append(check.name)
    assert len(set(names)) == len(names) == 8


# --- the command


def test_doctor_succeeds_when_all_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    result = invoke(monkeypatch, Check("Java", lambda: "17 in /opt"))
    assert result.exit_code == 0
    assert "17 in /opt" in result.output


def test_doctor_fails_and_names_fix_and_original_error(monkeypatch: pytest.MonkeyPatch) -> None:
    error = CheckFailed("not [bold]there[/]", "pip install 'x[y]>=1'", "Caused by: [red] herring")
    result = invoke(monkeypatch, failing(error), Check("next", str, needs=("broken",)))
    assert result.exit_code == 1
    for text in ("not [bold]there[/]", "pip install 'x[y]>=1'", "Caused by: [red] herring"):
        assert text in result.output
    assert "needs broken" in result.output


def test_doctor_fails_when_a_check_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert invoke(monkeypatch, Check("x", str, needs=("never",))).exit_code == 1


def test_doctor_needs_neither_spark_nor_dbt() -> None:
    program = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['pyspark', 'delta', 'dbt', 'pyhive']))\n"
        "import dbt_mview.cli, dbt_mview.__main__\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_version_is_told() -> None:
    assert __version__ in CliRunner().invoke(cli.main, ["--version"]).output


# --- packages


@pytest.mark.parametrize(
    ("installed", "problem"),
    [("1.9.3", "too old"), ("2.0.0rc1", "too new"), (None, "not installed")],
)
def test_wrong_package_is_told_with_the_command(
    monkeypatch: pytest.MonkeyPatch, installed: str | None, problem: str
) -> None:
    set_versions(monkeypatch, **({"dbt_core": installed} if installed else {}))
    with pytest.raises(CheckFailed, match=problem) as error:
        doctor.check_package("dbt-core", "1.10", below="2")
    assert error.value.fix == "pip install 'dbt-core>=1.10,<2'"


@pytest.mark.parametrize("installed", ["1.10", "1.10.0b1", "1.11.16", "1.100.0"])
def test_right_package_is_told_with_its_version(
    monkeypatch: pytest.MonkeyPatch, installed: str
) -> None:
    set_versions(monkeypatch, dbt_core=installed)
    assert doctor.check_package("dbt-core", "1.10", below="2") == installed


def test_fix_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    set_versions(monkeypatch)
    check = next(check for check in doctor.CHECKS if check.name == "dbt-spark")
    with pytest.raises(CheckFailed) as error:
        check.run()
    assert error.value.fix == "pip install 'dbt-spark[session]>=1.10'"


@pytest.mark.parametrize(("jar", "works"), [("4.1.1", True), ("4.1.10", False), (None, False)])
def test_spark_home_of_another_spark_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, jar: str | None, works: bool
) -> None:
    set_versions(monkeypatch, pyspark="4.1.1")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    (tmp_path / "jars").mkdir()
    if jar:
        (tmp_path / "jars" / f"spark-core_2.13-{jar}.jar").touch()
    if works:
        assert doctor.check_pyspark() == "4.1.1"
        return
    with pytest.raises(CheckFailed, match="SPARK_HOME is another Spark") as error:
        doctor.check_pyspark()
    assert error.value.fix == "unset SPARK_HOME"


def test_spark_that_loses_statements_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "version", lambda _: "4.0.0")
    with pytest.raises(CheckFailed, match=r"4\.0\.0 is too old"):
        doctor.check_package("pyspark", "4.0.1")


def test_python_that_is_too_old_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.platform, "python_version", lambda: "3.9.18")
    with pytest.raises(CheckFailed, match="too old"):
        doctor.check_python()


# --- Java


def test_java_that_fits_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    set_java(monkeypatch, JAVA_17, JAVA_17)
    assert doctor.check_java() == "17 in /opt/java 17"


@pytest.mark.parametrize("default", [JAVA_25, FileNotFoundError("no java"), ValueError("broken")])
def test_java_that_is_there_but_not_used_is_the_fix(
    monkeypatch: pytest.MonkeyPatch, default: object
) -> None:
    set_java(monkeypatch, default, JAVA_17)
    with pytest.raises(CheckFailed) as error:
        doctor.check_java()
    assert error.value.fix == "export JAVA_HOME='/opt/java 17'"


@pytest.mark.parametrize(
    ("tools", "root", "command"),
    [
        (["apt-get"], True, "apt-get install -y openjdk-17-jre-headless"),
        (["apt-get"], False, "sudo apt-get install -y openjdk-17-jre-headless"),
        (["dnf"], False, "sudo dnf install -y java-21-openjdk-headless"),
        (["apk"], True, "apk add openjdk17-jre-headless"),
        (["brew"], False, "brew install openjdk@17"),
        ([], False, "install Java 17 or 21 and set JAVA_HOME"),
    ],
)
def test_java_fix_is_the_command_of_this_system(
    monkeypatch: pytest.MonkeyPatch, tools: list[str], root: bool, command: str
) -> None:
    set_java(monkeypatch, FileNotFoundError("no java"), None)
    set_tools(monkeypatch, *tools, root=root)
    set_release(monkeypatch, "ubuntu", "24.04")
    assert doctor.java_fix() == command


@pytest.mark.parametrize(
    ("name", "release", "java"),
    [("debian", "11", 17), ("debian", "12", 17), ("debian", "13", 21), ("ubuntu", "22.04", 17)],
)
def test_apt_package_is_one_that_the_release_has(
    monkeypatch: pytest.MonkeyPatch, name: str, release: str, java: int
) -> None:
    set_release(monkeypatch, name, release)
    assert doctor.apt_package() == f"openjdk-{java}-jre-headless"


def test_install_does_nothing_when_java_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    set_java(monkeypatch, JAVA_25, JAVA_17)
    monkeypatch.setattr(doctor.subprocess, "run", pytest.fail)
    assert doctor.install_java() is JAVA_17


@pytest.mark.parametrize(("tools", "root"), [(["apt-get"], False), (["dnf"], True)])
def test_install_asks_when_it_may_not(
    monkeypatch: pytest.MonkeyPatch, tools: list[str], root: bool
) -> None:
    set_java(monkeypatch, FileNotFoundError("no java"), None)
    set_tools(monkeypatch, *tools, root=root)
    monkeypatch.setattr(doctor.subprocess, "run", pytest.fail)
    result = CliRunner().invoke(cli.main, ["java", "--install"])
    assert result.exit_code == 1
    assert "there is no Java 17 or 21 here; run: " in result.output
    assert f"{tools[0]} install -y" in result.output


def test_install_as_root_on_debian(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    set_java(monkeypatch, FileNotFoundError("no java"), None)
    set_tools(monkeypatch, "apt-get", root=True)
    set_release(monkeypatch, "debian", "13")
    monkeypatch.setattr(doctor, "find_java", lambda: JAVA_17 if len(ran) == 2 else None)
    monkeypatch.setattr(doctor.subprocess, "run", lambda command, **_: ran.append(command))
    result = CliRunner().invoke(cli.main, ["java", "--install"])
    assert result.output == "/opt/java 17\n"
    assert ran == [
        ["apt-get", "update"],
        ["apt-get", "install", "-y", "openjdk-21-jre-headless"],
    ]


def test_install_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    set_java(monkeypatch, FileNotFoundError("no java"), None)
    set_tools(monkeypatch, "apt-get", root=True)

    def run(command: list[str], **_: object) -> None:
        raise subprocess.CalledProcessError(100, command)

    monkeypatch.setattr(doctor.subprocess, "run", run)
    result = CliRunner().invoke(cli.main, ["java", "--install"])
    assert result.exit_code == 1
    assert "'apt-get', 'update'" in result.output
    assert "status 100" in result.output


def test_java_is_not_installed_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "find_java", lambda: None)
    set_java(monkeypatch, FileNotFoundError("no java"), None)
    set_tools(monkeypatch, "apt-get", root=True)
    monkeypatch.setattr(doctor.subprocess, "run", pytest.fail)
    assert CliRunner().invoke(cli.main, ["java"]).exit_code == 1


# --- Delta's jar, write and read


def test_jar_that_cannot_be_had_is_told_with_the_resolvers_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def delta_jars(package: str, excludes: str) -> tuple[Path, ...]:
        raise ThriftServerError(f"UNRESOLVED DEPENDENCIES {package}")

    monkeypatch.setattr(doctor, "delta_package", lambda: "io.delta:no:1")
    monkeypatch.setattr(doctor, "spark_settings", lambda: {"spark.jars.excludes": ""})
    monkeypatch.setattr(doctor, "delta_jars", delta_jars)
    with pytest.raises(CheckFailed, match=r"cannot get io\.delta:no:1") as error:
        doctor.check_jar()
    assert "UNRESOLVED DEPENDENCIES io.delta:no:1" in error.value.original
    assert "Maven Central" in error.value.fix
    told = CliRunner().invoke(cli.main, ["jars"])
    assert told.exit_code == 1
    assert "UNRESOLVED DEPENDENCIES io.delta:no:1" in told.output
    assert "cannot get io.delta:no:1; let this machine reach Maven Central" in told.output


def test_a_home_that_spark_cannot_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """One message, though nobody asked for jars of a home."""
    monkeypatch.setenv("DBT_MVIEW_HOME", "/tmp/a;b")
    told = CliRunner().invoke(cli.main, ["jars"])
    assert told.exit_code == 1
    assert told.output.startswith("Error: ") and "/tmp/a;b" in told.output


def test_jars_are_fetched_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def delta_jars(package: str, excludes: str) -> tuple[Path, ...]:
        asked.append((package, excludes))
        return (Path("/cache/delta.jar"),)

    monkeypatch.setattr(doctor, "delta_package", lambda: "io.delta:some:1")
    monkeypatch.setattr(doctor, "spark_settings", lambda: {"spark.jars.excludes": "a:*"})
    monkeypatch.setattr(doctor, "delta_jars", delta_jars)
    told = CliRunner().invoke(cli.main, ["jars"])
    assert (told.exit_code, told.output) == (0, "io.delta:some:1, in /cache\n")
    assert asked == [("io.delta:some:1", "a:*")]


@pytest.mark.parametrize(
    ("said", "fix"),
    [
        ("java.lang.module.FindException: Module jdk.incubator.vector not found", "lacks modules"),
        ("java.io.IOException: No space left on device", "disk space"),
        ("something else", "original error below"),
    ],
)
def test_engine_that_fails_is_told_with_all_it_said(
    monkeypatch: pytest.MonkeyPatch, said: str, fix: str
) -> None:
    program = f"import sys; print('before', file=sys.stderr); sys.exit({said!r})"
    monkeypatch.setattr(doctor, "_PROBE", program)
    with pytest.raises(CheckFailed) as error:
        doctor.check_engine()
    assert fix in error.value.fix
    assert error.value.original == f"before\n{said}"


def test_engine_that_works_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_PROBE", "print('noise'); print('Spark wrote and read')")
    assert doctor.check_engine() == "Spark wrote and read"


def test_engine_that_hangs_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import time; print('waiting for a lock', flush=True); time.sleep(60)"
    monkeypatch.setattr(doctor, "_PROBE", program)
    monkeypatch.setattr(doctor, "PROBE_SECONDS", 5)
    with pytest.raises(CheckFailed, match="did not end within 5 s") as error:
        doctor.check_engine()
    assert error.value.original == "waiting for a lock\n"


@pytest.mark.parametrize("read", [[(1,)], [(1,), (3,)], []])
def test_wrong_rows_are_an_error(monkeypatch: pytest.MonkeyPatch, read: list[tuple[int]]) -> None:
    class Frame:
        def collect(self) -> list[tuple[int]]:
            return read

        def count(self) -> int:
            return 2

    class Spark:
        def sql(self, text: str) -> Frame:
            return Frame()

    monkeypatch.setattr(doctor, "session", lambda home: Spark())
    with pytest.raises(RuntimeError, match="instead of"):
        doctor.write_and_read("/nowhere")
