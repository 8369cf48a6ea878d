"""Clients in other time zones than the session, a Spark session and Spark Connect in turn."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.support.project import Project, ended

pytestmark = pytest.mark.spark


@pytest.fixture
def connect(spark: SparkSession) -> Iterator[str]:
    """A Spark Connect server in the session's own JVM, over the same tables. Gives its address."""
    jvm: Any = spark._jvm
    jvm.org.apache.spark.SparkEnv.get().conf().set("spark.connect.grpc.binding.port", "0")
    package = jvm.org.apache.spark.sql.connect.service
    service = getattr(getattr(package, "SparkConnectService$"), "MODULE$")
    service.start(spark._jsc.sc())
    yield f"sc://127.0.0.1:{service.localPort()}"
    service.stop(jvm.scala.Option.empty(), jvm.scala.Option.empty())


def by_connect(project: Project, address: str, zone: str) -> str:
    """`dbt run` of a client of the server. Returns what it printed, on one line."""
    session = {"SPARK_REMOTE": address, "TZ": zone, "JAVA_HOME": "/nowhere"}
    process = project.start("run", **session)
    printed = ended(process)
    assert process.returncode == 0, printed
    return printed


def test_clients_of_other_zones_read_the_same_clock(
    project: Project, client: Callable[[str], None], connect: str
) -> None:
    """No table is taken for another one because a client tells the times of its commits otherwise:
    changes are read from the feed and the log, and a group is published whole.
    """
    project.sql(
        "create table @.src using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
        " as select 1 as id, 10 as n"
    )
    project.model("src_log", "select * from {{ target.schema }}.src", **LOG)
    sums = "select id, sum(n) as n from {{ target.schema }}.src group by id"
    project.model("sums", sums, refresh="fast")
    for name in ("one", "other"):
        project.model(name, sums, refresh="fast", refresh_group="pair")
    ways: list[Callable[[], str]] = []
    for zone in ("Asia/Tokyo", "America/New_York"):
        ways += [
            lambda zone=zone: (client(zone), project.run().log)[1],
            lambda zone=zone: by_connect(project, connect, zone),
        ]
    ways[0]()
    for number, run in enumerate(ways[1:], 2):
        project.sql(f"insert into @.src values ({number}, 1), (1, 1)")
        printed = run()
        for name in ("sums", "one", "other"):
            assert project.info(name).last_refresh_type == "fast", printed
            assert project.rows(name) == project.rows("sums")
        assert len(project.rows("sums")) == number
        assert project.sql("select count(*) from @.src_log")[0][0] == 2 * (number - 1)
        assert "SOURCE_REPLACED" not in printed and "was rebuilt" not in printed
    seen = project.sql("describe history @.src limit 1")[0].timestamp
    (source,) = project.info("sums").sources
    assert source.commit_time == seen, os.environ["TZ"]


LOG = {"materialized": "materialized_view_log"}
