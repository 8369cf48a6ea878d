"""State on S3 (moto's, on this machine): what loses commits there, and what does not."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dbt_mview.engine import find_java
from dbt_mview.thrift import ThriftServer, delta_jars, spark_home, thrift_server
from tests.support.profile import profile
from tests.support.project import ROOT, Project, ended
from tests.support.quick import QUICK
from tests.support.session import Session

if TYPE_CHECKING:
    from tests.support.s3 import S3

pytestmark = [pytest.mark.spark, pytest.mark.nightly]

CONTRIB = ROOT / "contrib" / "s3-log-store"
OURS = "dbt_mview.ConditionalLogStore"
DELTAS = "io.delta.storage.S3SingleDriverLogStore"
LogStore = Callable[[str], dict[str, str]]
ROUNDS = 300  # contrib/s3-log-store/README.md says what 1,000 gave
INSERTS = 25  # of each driver


@pytest.fixture(scope="module")
def place() -> Iterator[S3]:
    """An S3 that loses every fifth answer to a conditional PUT."""
    from tests.support.s3 import s3

    with s3(losing=5) as running:
        yield running


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """How make is called for the log store."""
    java = find_java()
    assert java is not None, "no Java"
    if not (java.home / "bin" / "javac").exists():
        pytest.skip(f"{java.home} has no javac")
    settings = profile("s3", DBT_MVIEW_S3="")["server_side_parameters"]
    jars = delta_jars(settings["spark.jars.packages"], settings["spark.jars.excludes"])
    return [
        *("make", "--silent", "-C", str(CONTRIB)),
        f"JAVA_HOME={java.home}",
        f"BUILD={tmp_path_factory.mktemp('log-store')}",
        f"CLASSPATH={os.pathsep.join([f'{spark_home()}/jars/*', *map(str, jars)])}",
    ]


@pytest.fixture(scope="module")
def log_store(build: list[str]) -> LogStore:
    """The settings of a Spark that uses it, by the setting that brings Delta's jars."""
    subprocess.run(build, check=True)
    home = next(word for word in build if word.startswith("BUILD=")).partition("=")[2]
    jar = f"{home}/conditional-log-store.jar"
    return lambda setting: {setting: jar, "spark.delta.logStore.s3a.impl": OURS}


def race(build: list[str], place: S3, store: str, rounds: int) -> tuple[int, dict[str, int]]:
    """Two JVMs commit at the same time. Returns the exit status, and what was confirmed to whom."""
    options = " ".join(f"-D{name}={value}" for name, value in place.settings().items())
    told = [f"STORE={store}", f"PLACE=s3a://lake/{store}", f"ROUNDS={rounds}", f"OPTIONS={options}"]
    done = subprocess.run([*build, "test", *told], stdout=subprocess.PIPE, text=True, check=False)
    numbers = [int(number) for number in re.findall(r"\d+", done.stdout)]
    names = ("versions", "first", "second", "both", "none", "lost")
    return done.returncode, dict(zip(names, numbers, strict=True))


def test_each_version_is_one_writers(build: list[str], place: S3) -> None:
    """Also where the answer to its PUT was lost, and S3A's second PUT was refused."""
    status, seen = race(build, place, OURS, ROUNDS)
    assert status == 0 and place.lost >= ROUNDS // 5
    assert seen["first"] + seen["second"] == ROUNDS and min(seen["first"], seen["second"]) > 0, seen
    assert seen["both"] == seen["none"] == seen["lost"] == 0, seen


def test_deltas_own_log_store_loses_commits(build: list[str], place: S3) -> None:
    """Else the test above could not fail."""
    status, seen = race(build, place, DELTAS, 50)
    assert status > 0 and seen["both"] == seen["lost"] > 0, seen


def target(place: S3, home: Path, **further: str) -> dict[str, Any]:
    """The example's target for S3, with its metastore in a home of its own."""
    output = profile("s3", DBT_MVIEW_S3="s3a://lake", DBT_MVIEW_HOME=str(home))
    reached = {f"spark.hadoop.{name}": value for name, value in place.settings().items()}
    output["server_side_parameters"] |= {**QUICK, **reached, **further}
    return output


def insert(server: ThriftServer, first: int) -> None:
    """Rows of its own, one by one; Delta tries a commit again whose version is taken."""
    session = Session(server.port)
    for number in range(first, first + INSERTS):
        session.sql(f"insert into delta.`s3a://lake/both` values ({number})")


def test_two_drivers_insert(place: S3, log_store: LogStore, tmp_path: Path) -> None:
    """All rows are there, each once."""
    with ExitStack() as running, ThreadPoolExecutor(2) as pool:
        servers = []
        store = log_store("spark.driver.extraClassPath")
        for home in (tmp_path / "one", tmp_path / "other"):
            settings = target(place, home, **store)["server_side_parameters"]
            servers.append(running.enter_context(thrift_server(home, settings=settings)))
        session = Session(servers[0].port)
        session.sql("create table delta.`s3a://lake/both` (id int) using delta")
        list(pool.map(insert, servers, (0, INSERTS)))
        rows = session.sql("select id from delta.`s3a://lake/both` order by id").collect()
        assert [row.id for row in rows] == list(range(2 * INSERTS))
        commits = session.sql("describe history delta.`s3a://lake/both`").collect()
        assert len(commits) == 2 * INSERTS + 1


class Shop:
    """A project with a view of which all lies on S3."""

    def __init__(self, root: Path, schema: str, output: dict[str, Any]) -> None:
        self.project = Project(root / schema, schema, target={**output, "schema": schema})
        self.project.configure(**{"on-run-start": ["{{ var('change') }}"]})
        query = "select k, sum(n) as n from {{ target.schema }}.src group by k"
        self.project.model("sums", query, refresh="fast")
        self.create = (
            f"create table if not exists {schema}.src using delta tblproperties"
            " ('delta.enableChangeDataFeed' = 'true') as select id % 3 as k, id as n from range(9)"
        )
        self.insert = f"insert into {schema}.src values (1, 100)"

    def run(self, change: str = "", expect: int = 0, **variables: Any) -> str:
        """`dbt run` after a change of the source. Returns what it printed, on one line."""
        told = json.dumps({"change": change, **variables})
        process = self.project.start("run", "--vars", told)
        printed = ended(process)
        assert process.returncode == expect, printed
        return printed


def test_two_writers_are_refused(place: S3, tmp_path: Path) -> None:
    """Before a table of state is made, until somebody says that one driver alone writes."""
    shop = Shop(tmp_path, "single", target(place, tmp_path / "engine"))
    refused = shop.run(shop.create, expect=1)
    assert "single_mview: state would lie in s3a://lake/warehouse/single_mview.db" in refused
    assert "spark.delta.logStore.s3a.impl" in refused
    assert "dbt_mview:single_writer: true" in refused
    assert not [key for key in place.keys() if "single_mview" in key and "_delta_log" in key]
    assert "first build" in shop.run(shop.create, **{"dbt_mview:single_writer": True})
    assert "FAST" in shop.run(shop.insert)


def test_life_of_a_view(place: S3, log_store: LogStore, tmp_path: Path) -> None:
    """With a log store that excludes other writers: nothing is asked."""
    store = log_store("spark.jars")
    shop = Shop(tmp_path, "several", target(place, tmp_path / "engine", **store))
    assert "[COMPLETE v0, 3 rows: first build" in shop.run(shop.create)
    assert "[FAST" in shop.run(shop.insert)
    assert "SKIP nothing changed" in shop.run()
