"""The embedded engine's settings, and the Java that it runs on."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pyspark
import pytest

from dbt_mview import engine
from dbt_mview.thrift import spark_home
from tests.support.profile import profile

ROOT = Path(__file__).resolve().parents[3]
HOME = "/srv/mview home"
DELTA = "io.delta:delta-spark_4.1_2.13:4.4.0"
VARIABLES = ("DBT_MVIEW_HOME", "DBT_MVIEW_DRIVER_MEMORY", "DBT_MVIEW_JAVA_OPTIONS", "JAVA_HOME")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the developer's shell reaches a test."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def pinned(package: str) -> str:
    """The version of a package in constraints.txt."""
    found = re.search(rf"^{package}==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert found, f"constraints.txt does not pin {package}"
    return found[1]


def test_constraints_are_exact_and_hold_no_address() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    form = re.compile(r'[a-z0-9-]+==[0-9][\w.]*( ; python_version (<|>=) "3\.\d+")?')
    assert [pin for pin in pins if not form.fullmatch(pin)] == []
    assert len(pins) > 80


# --- the settings


def test_profile_has_the_engines_settings() -> None:
    settings = engine.spark_settings(HOME, package=DELTA)
    rendered = profile("session", DBT_MVIEW_HOME=HOME)["server_side_parameters"]
    assert rendered == settings
    assert list(rendered) == list(settings)


@pytest.mark.parametrize(
    ("variable", "value", "setting"),
    [
        ("DBT_MVIEW_DRIVER_MEMORY", "7g", "spark.driver.memory"),
        ("DBT_MVIEW_JAVA_OPTIONS", "-Dx=1", "spark.driver.extraJavaOptions"),
    ],
)
def test_profile_and_engine_obey_the_same_variables(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, setting: str
) -> None:
    monkeypatch.setenv(variable, value)
    settings = engine.spark_settings(HOME, package=DELTA)
    assert value in settings[setting]
    variables = {"DBT_MVIEW_HOME": HOME, variable: value}
    assert profile("session", **variables)["server_side_parameters"] == settings


def test_profile_names_the_pinned_delta() -> None:
    wanted = engine.delta_package(pinned("pyspark"), pinned("delta-spark"))
    assert profile("session")["server_side_parameters"]["spark.jars.packages"] == wanted


def test_profile_takes_another_delta() -> None:
    rendered = profile("session", DBT_MVIEW_DELTA_PACKAGE="io.delta:other:1")
    assert rendered["server_side_parameters"]["spark.jars.packages"] == "io.delta:other:1"


def test_profile_keeps_the_default_home_beside_it() -> None:
    rendered = profile("session")["server_side_parameters"]
    assert rendered["spark.sql.warehouse.dir"] == f"{engine.DEFAULT_HOME}/warehouse"


def test_targets_share_schema_and_threads() -> None:
    session, thrift = profile("session"), profile("thrift", DBT_MVIEW_THRIFT_PORT="12345")
    assert (session["method"], session["host"]) == ("session", "NA")
    assert (thrift["method"], thrift["host"]) == ("thrift", "127.0.0.1")
    assert int(thrift["port"]) == 12345
    assert int(profile("thrift")["port"]) == 10009
    assert {session["schema"], thrift["schema"]} == {"flights"}
    assert {session["threads"], thrift["threads"]} == {4}


def test_s3_differs_in_its_jars_and_its_place() -> None:
    """Spark's own Hadoop stays."""
    here = profile("session")["server_side_parameters"]
    there = profile("s3", DBT_MVIEW_S3="s3a://lake")["server_side_parameters"]
    places = ("spark.jars.packages", "spark.jars.excludes", "spark.sql.warehouse.dir")
    assert {name for name in there if there[name] != here.get(name)} == {*places}
    assert there["spark.sql.warehouse.dir"] == "s3a://lake/warehouse"
    shipped = {name for name in here["spark.jars.excludes"].split(",") if "hadoop" not in name}
    excluded = set(there["spark.jars.excludes"].split(","))
    assert excluded - shipped == {
        "commons-codec:*",
        "commons-logging:*",
        "io.netty:*",
        "org.apache.hadoop:hadoop-client-api",
        "org.apache.hadoop:hadoop-client-runtime",
        "org.apache.httpcomponents:*",
        "software.amazon.awssdk:bundle",
    }
    assert shipped <= excluded


@pytest.mark.skipif(pyspark.__version__ != pinned("pyspark"), reason="not the pinned Spark")
def test_s3_has_the_hadoop_aws_of_the_pinned_spark() -> None:
    there = profile("s3", DBT_MVIEW_S3="s3a://lake")["server_side_parameters"]
    (jar,) = (spark_home() / "jars").glob("hadoop-client-api-*.jar")
    version = jar.stem.removeprefix("hadoop-client-api-")
    assert f",org.apache.hadoop:hadoop-aws:{version}," in there["spark.jars.packages"]


def test_settings_make_small_commits_quick_and_times_utc() -> None:
    settings = engine.spark_settings(HOME, package=DELTA)
    assert int(settings["spark.sql.shuffle.partitions"]) <= 4
    assert int(settings["spark.databricks.delta.snapshotPartitions"]) <= 2
    assert settings["spark.ui.enabled"] == "false"
    assert settings["spark.sql.session.timeZone"] == "UTC"
    assert settings["spark.jars.packages"] == DELTA


def test_settings_leave_deltas_safety_alone() -> None:
    assert not [name for name in engine.spark_settings(HOME, package=DELTA) if "retention" in name]


def test_all_that_the_engine_keeps_lies_in_its_home() -> None:
    settings = engine.spark_settings(HOME, package=DELTA)
    assert settings["spark.sql.warehouse.dir"] == f"{HOME}/warehouse"
    url = settings["spark.hadoop.javax.jdo.option.ConnectionURL"]
    assert url == f"jdbc:derby:;databaseName={HOME}/metastore;create=true"
    assert "derby.stream.error" in settings["spark.driver.extraJavaOptions"]
    assert "-Duser.timezone=UTC" in settings["spark.driver.extraJavaOptions"]


def test_argument_wins_over_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DBT_MVIEW_HOME", str(tmp_path / "variable"))
    monkeypatch.setenv("DBT_MVIEW_DRIVER_MEMORY", "7g")
    assert engine.home_directory() == tmp_path / "variable"
    assert engine.home_directory(tmp_path / "argument") == tmp_path / "argument"
    assert engine.spark_settings(HOME, package=DELTA, memory="3g")["spark.driver.memory"] == "3g"


def test_default_home_is_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert engine.home_directory() == tmp_path / ".engine"


def test_home_that_derby_cannot_take_is_refused() -> None:
    with pytest.raises(ValueError, match="semicolon"):
        engine.spark_settings("/srv/a;b", package=DELTA)


@pytest.mark.parametrize(
    ("spark", "delta", "package"),
    [
        ("4.1.1", "4.4.0", "io.delta:delta-spark_4.1_2.13:4.4.0"),
        ("4.2.0", "4.4.0", "io.delta:delta-spark_4.2_2.13:4.4.0"),
        ("4.0.1", "4.1.0", "io.delta:delta-spark_4.0_2.13:4.1.0"),
        ("4.0.0", "4.0.0", "io.delta:delta-spark_2.13:4.0.0"),
    ],
)
def test_delta_package_fits_the_spark(spark: str, delta: str, package: str) -> None:
    assert engine.delta_package(spark, delta) == package


def test_delta_package_reads_the_installed_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "version", {"pyspark": "4.7.1", "delta-spark": "4.9.2"}.__getitem__)
    assert engine.delta_package() == "io.delta:delta-spark_4.7_2.13:4.9.2"


# --- Java


def make_java(home: Path, version: str, exit_code: int = 0) -> Path:
    """Write a `java` that says what a real one says."""
    command = home / "bin" / "java"
    command.parent.mkdir(parents=True)
    command.write_text(
        "#!/bin/sh\n"
        f"echo '    java.home = {home}' >&2\n"
        f"echo '    java.specification.version = {version}' >&2\n"
        f"exit {exit_code}\n"
    )
    command.chmod(0o755)
    return home


def environ(path: Path | None = None, home: Path | None = None) -> dict[str, str]:
    """An environment with a `PATH` and perhaps a `JAVA_HOME`."""
    found = {"PATH": str(path / "bin") if path else ""}
    return found | ({"JAVA_HOME": str(home)} if home else {})


@pytest.fixture(autouse=True)
def no_other_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The only usual place for Javas is an empty directory of the test."""
    monkeypatch.setattr(engine, "JAVA_PLACES", (str(tmp_path / "jvm" / "*"),))
    return tmp_path / "jvm"


@pytest.mark.parametrize(
    ("spec", "version", "supported"),
    [("1.8", 8, False), ("11", 11, False), ("17", 17, True), ("21", 21, True), ("25", 25, False)],
)
def test_java_version(tmp_path: Path, spec: str, version: int, supported: bool) -> None:
    java = engine.default_java(environ(path=make_java(tmp_path / "java", spec)))
    assert (java.version, java.is_supported) == (version, supported)
    assert java.home == tmp_path / "java"


def test_java_home_wins_over_path(tmp_path: Path) -> None:
    on_path, home = make_java(tmp_path / "a", "17"), make_java(tmp_path / "b", "21")
    assert engine.default_java(environ(path=on_path, home=home)).version == 21


def test_java_home_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    on_path = make_java(tmp_path / "a", "17")
    with pytest.raises(FileNotFoundError, match=r"JAVA_HOME is .*nowhere"):
        engine.default_java(environ(path=on_path, home=tmp_path / "nowhere"))


def test_no_java_is_told() -> None:
    with pytest.raises(FileNotFoundError, match="no java on the PATH"):
        engine.default_java(environ())


def test_java_that_fails_is_told_with_what_it_said(tmp_path: Path) -> None:
    broken = make_java(tmp_path / "a", "17", exit_code=3)
    with pytest.raises(ValueError, match=r"(?s)exit status 3.*java\.home"):
        engine.default_java(environ(path=broken))


def test_find_java_prefers_the_default(tmp_path: Path, no_other_java: Path) -> None:
    make_java(no_other_java / "java-17", "17")
    found = engine.find_java(environ(path=make_java(tmp_path / "a", "21")))
    assert found == engine.Java(tmp_path / "a", 21)


@pytest.mark.parametrize("default", ["25", "broken", "none"])
def test_find_java_looks_in_the_usual_places(
    tmp_path: Path, no_other_java: Path, default: str
) -> None:
    make_java(no_other_java / "java-11", "11")
    make_java(no_other_java / "java-16-broken", "17", exit_code=1)
    make_java(no_other_java / "java-17", "17")
    (no_other_java / "not-a-java").mkdir()
    path = None
    if default != "none":
        path = make_java(tmp_path / "a", "25", exit_code=int(default == "broken"))
    assert engine.find_java(environ(path=path)) == engine.Java(no_other_java / "java-17", 17)


def test_find_java_finds_none(tmp_path: Path) -> None:
    assert engine.find_java(environ(path=make_java(tmp_path / "a", "11"))) is None


def test_find_java_reads_the_real_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(os.environ, "JAVA_HOME", str(make_java(tmp_path / "a", "21")))
    assert engine.find_java() == engine.Java(tmp_path / "a", 21)
