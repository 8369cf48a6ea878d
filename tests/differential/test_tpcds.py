"""The queries of TPC-DS as views, while all seven facts change: FAST where they can be, and equal.

`make soak` takes them through five rounds; without SOAK it is one. Nothing of it is in CI.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.differential.soak import SOAK
from tests.differential.tpcds import FACTS, TABLES, changes, rows, texts
from tests.support.project import Project

pytestmark = [pytest.mark.differential, pytest.mark.timeout(7200)]

SCHEMA = "tpcds"
ROUNDS = 5 if SOAK else 1
# A file of Delta has no name for two columns alike, nor for `sum(x)` without column mapping.
TWICE = {}
FAST: dict[str, str] = {}
COMPLETE: dict[str, str] = {}


@pytest.fixture(scope="module")
def tpcds(module_project: Project) -> Iterator[Project]:
    """The tables, and all queries as views that are not built yet."""
    spark = module_project.spark
    spark.sql(f"create schema {SCHEMA}")
    for prefix, (table, size) in TABLES.items():
        spark.sql(
            f"create table {SCHEMA}.{table} using delta tblproperties"
            f" ('delta.enableChangeDataFeed' = 'true') as {rows(prefix, 0, size)}"
        )
    mapped = {"delta.columnMapping.mode": "name"}
    for name, text in texts(SCHEMA).items():
        refresh = "fast" if name in FAST else "auto"
        module_project.model(name, text, refresh=refresh, tblproperties=mapped)
    yield module_project
    spark.sql(f"drop schema {SCHEMA} cascade")


def test_which_can_be_fast(tpcds: Project) -> None:
    """While all facts change; the strategy of each, or the reason why not."""
    log = tpcds.op("mview_explain", format="json").log
    found = re.search(r"explained: (\{.*\})", log)
    assert found, log[-3000:]
    views = {view["model"].rpartition(".")[2]: view for view in json.loads(found[1])["views"]}
    assert sorted(views) == sorted([*FAST, *COMPLETE])
    assert {name: view["strategy"] for name, view in views.items() if view["fast"] == "yes"} == FAST


@pytest.fixture(scope="module")
def built(tpcds: Project) -> Project:
    """The same, once they are built."""
    tpcds.run()
    return tpcds


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_fast_equals_complete(built: Project, turn: int) -> None:
    """What a query leaves open, as the order of equal ranks, may differ."""
    built.sql(f"use {SCHEMA}")
    for prefix in FACTS:
        for statement in changes(prefix, turn):
            built.sql(statement)
    built.sql("use default")
    outcome = built.run()
    slow = {name: outcome.text(name) for name in FAST if not outcome.text(name).startswith("FAST")}
    assert not slow
    log = built.op("mview_verify", expect=None).log
    words = dict(re.findall(r"test_tpcds\.(\w+) +(equal|undetermined|DIFFERS|never|not)\b", log))
    assert {name for name, word in words.items() if word in ("equal", "undetermined")} >= {*FAST}
    assert not {name: word for name, word in words.items() if word not in ("equal", "undetermined")}
