"""The embedded engine: one local Spark with Delta Lake, and every setting it runs with.

`models_examples/profiles.yml` repeats these settings for dbt; a unit test keeps the two equal.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from glob import glob
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

HOME_VARIABLE = "DBT_MVIEW_HOME"
MEMORY_VARIABLE = "DBT_MVIEW_DRIVER_MEMORY"
JAVA_OPTIONS_VARIABLE = "DBT_MVIEW_JAVA_OPTIONS"
DEFAULT_HOME = ".engine"
DEFAULT_MEMORY = "2g"
# The quick compiler alone (TieredStopAtLevel=1) gets a code cache that Spark fills in a minute.
DEFAULT_JAVA_OPTIONS = "-XX:+UseParallelGC -XX:ReservedCodeCacheSize=512m"

SCALA = "2.13"
# Without this, Derby leaves a derby.log in every directory that Spark is started from; its errors
# reach the user as exceptions all the same.
DERBY_QUIET = "-Dderby.stream.error.method=java.io.OutputStream.nullOutputStream"
# In a JVM of another zone, Delta reads the log again after each commit, to check it: 0.5 s each.
IN_UTC = "-Duser.timezone=UTC"
JAVA_VERSIONS = (17, 21)
JAVA_PLACES = (
    "/usr/lib/jvm/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk@*",
    "/usr/local/opt/openjdk@*",
)

# Delta names these as its dependencies, but Spark brings its own copies of them: leaving them out
# saves 70 MB of download and keeps older versions off the class path.
SHIPPED_WITH_SPARK = (
    "com.fasterxml.jackson.core:*",
    "com.fasterxml.jackson.datatype:*",
    "com.github.luben:*",
    "com.google.code.findbugs:*",
    "org.apache.hadoop:*",
    "org.apache.logging.log4j:*",
    "org.apache.parquet:*",
    "org.roaringbitmap:*",
    "org.slf4j:*",
    "org.xerial.snappy:*",
)


def delta_package(pyspark_version: str | None = None, delta_version: str | None = None) -> str:
    """Name the Maven package of Delta that fits an installed Spark.

    Args:
        pyspark_version: a version of pyspark; the installed one by default.
        delta_version: a version of delta-spark; the installed one by default.

    Returns:
        Maven coordinates, such as `io.delta:delta-spark_4.1_2.13:4.4.0`.

    Raises:
        importlib.metadata.PackageNotFoundError: pyspark or delta-spark is not installed.
    """
    spark = (pyspark_version or version("pyspark")).split(".")
    delta = delta_version or version("delta-spark")
    # The artifact names the Spark version since Delta 4.1.
    suffix = "" if delta.startswith("4.0.") else f"_{spark[0]}.{spark[1]}"
    return f"io.delta:delta-spark{suffix}_{SCALA}:{delta}"


def home_directory(home: str | os.PathLike[str] | None = None) -> Path:
    """Say where the embedded engine keeps its tables and its catalog.

    Args:
        home: the directory; by default `$DBT_MVIEW_HOME`, else `.engine` here.

    Returns:
        The directory as an absolute path; it need not exist.

    Raises:
        ValueError: the path holds a semicolon, which Derby cannot take.
    """
    path = Path(home or os.environ.get(HOME_VARIABLE) or DEFAULT_HOME).absolute()
    if ";" in str(path):
        raise ValueError(f"the engine's home {str(path)!r} must not contain a semicolon")
    return path


def spark_settings(
    home: str | os.PathLike[str] | None = None,
    *,
    package: str | None = None,
    memory: str | None = None,
) -> dict[str, str]:
    """Give all settings of the embedded engine: quick on small tables, one machine, in UTC.

    Args:
        home: where tables and catalog live; see `home_directory`.
        package: Maven coordinates of Delta; by default those that fit the installed Spark.
        memory: the JVM's heap; by default `$DBT_MVIEW_DRIVER_MEMORY`, else 2g.

    Returns:
        Spark settings, in the order of the profile.

    Raises:
        ValueError: the home's path cannot be used.
        importlib.metadata.PackageNotFoundError: pyspark or delta-spark is not installed.
    """
    place = home_directory(home)
    java_options = os.environ.get(JAVA_OPTIONS_VARIABLE) or DEFAULT_JAVA_OPTIONS
    return {
        "spark.master": "local[*]",
        "spark.driver.memory": memory or os.environ.get(MEMORY_VARIABLE) or DEFAULT_MEMORY,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        # A laptop that sleeps must not make Spark give up on itself.
        "spark.storage.blockManagerHeartbeatTimeoutMs": "7d",
        "spark.driver.extraJavaOptions": f"{DERBY_QUIET} {IN_UTC} {java_options}",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        # Delta Lake
        "spark.jars.packages": package or delta_package(),
        "spark.jars.excludes": ",".join(SHIPPED_WITH_SPARK),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # The locks of views are SQL scripts, which Spark 4.0 refuses by default.
        "spark.sql.scripting.enabled": "true",
        # Where tables and their catalog live
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": f"{place}/warehouse",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={place}/metastore;create=true"
        ),
        # Small commits: without the next two each takes 20 s.
        "spark.sql.shuffle.partitions": "4",
        "spark.databricks.delta.snapshotPartitions": "1",
        # Nobody looks at plans here, but each would be written out at length: a tenth of all time.
        "spark.sql.ui.explainMode": "simple",
        # FAST reads the plan of a view's query, of which Spark prints 25 columns by default.
        "spark.sql.debug.maxToStringFields": "1000",
        # A refresh has some twenty statements and Delta's own behind them: with the 100 compiled
        # pieces that Spark keeps by default, each refresh compiles them again.
        "spark.sql.codegen.cache.maxEntries": "2000",
        # VACUUM lists files in as many tasks as this says; by default 10,000, which take a minute.
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
        "spark.sql.session.timeZone": "UTC",
    }


def session(
    home: str | os.PathLike[str] | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """Start the embedded engine in this process, or join the one that runs in it.

    Args:
        home: where tables and catalog live; see `home_directory`.
        settings: further Spark settings; they win over the engine's own.

    Returns:
        The Spark session, the same that dbt's `method: session` uses in this process.

    Raises:
        ImportError: pyspark is not installed.
        pyspark.errors.PySparkRuntimeError: Java is missing or cannot start.
    """
    from pyspark.sql import SparkSession

    home_directory(home).mkdir(parents=True, exist_ok=True)
    builder = SparkSession.builder.enableHiveSupport()
    for name, value in (spark_settings(home) | dict(settings or {})).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@dataclass(frozen=True)
class Java:
    """A Java that was found.

    Args:
        home: its home directory, as in `JAVA_HOME`.
        version: its major version.
    """

    home: Path
    version: int

    @property
    def is_supported(self) -> bool:
        """Whether Spark 4 runs on it."""
        return self.version in JAVA_VERSIONS


def default_java(environ: Mapping[str, str] | None = None) -> Java:
    """Look at the Java that Spark would start: `$JAVA_HOME`, else the first on `$PATH`.

    Args:
        environ: the environment; that of this process by default.

    Returns:
        The Java, of whatever version.

    Raises:
        FileNotFoundError: there is none, or `JAVA_HOME` does not lead to one.
        ValueError: it does not start or tell its version; the message holds what it said.
    """
    env = os.environ if environ is None else environ
    if home := env.get("JAVA_HOME"):
        command = Path(home, "bin", "java")
        if not command.exists():
            raise FileNotFoundError(f"JAVA_HOME is {home}, but there is no {command}")
        return _ask(command)
    if found := shutil.which("java", path=env.get("PATH", "")):
        return _ask(Path(found))
    raise FileNotFoundError("no java on the PATH and no JAVA_HOME")


def find_java(environ: Mapping[str, str] | None = None) -> Java | None:
    """Find a Java that Spark 4 runs on, preferring the one that Spark would start.

    Args:
        environ: the environment; that of this process by default.

    Returns:
        The first one that is supported, or None.
    """
    return next((java for java in _all_javas(environ) if java.is_supported), None)


def _all_javas(environ: Mapping[str, str] | None) -> Iterator[Java]:
    """Yield the Java that Spark would start, then those in the usual places."""
    with suppress(FileNotFoundError, ValueError):
        yield default_java(environ)
    for place in (found for pattern in JAVA_PLACES for found in sorted(glob(pattern))):
        with suppress(ValueError):
            yield _ask(Path(place, "bin", "java"))


def _ask(command: Path) -> Java:
    """Ask a java for its home and version."""
    try:
        done = subprocess.run(
            [command, "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or ""
        raise ValueError(f"{command} does not start: {error} {said}".strip()) from error
    home = re.search(r"^\s*java\.home = (.+?)\s*$", done.stderr, re.MULTILINE)
    spec = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)", done.stderr, re.MULTILINE)
    if not home or not spec:
        raise ValueError(f"{command} does not tell its version: {done.stderr.strip()[-500:]}")
    return Java(home=Path(home[1]), version=int(spec[1]))
