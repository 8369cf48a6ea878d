"""The queries of TPC-DS as views, while all seven facts change: which are FAST, and equal.

`make soak` takes them through five rounds; without SOAK it is two. Nothing of it is in CI. The
tables are in `default`, as the queries name no schema.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

import pytest

from tests.differential.soak import SOAK
from tests.differential.tpcds import FACTS, JUDGED, TABLES, changes, followed, judged, queries, rows
from tests.support.project import Project

pytestmark = [pytest.mark.differential, pytest.mark.timeout(10800)]

ROUNDS = 5
# No round changes a row of theirs.
STILL = {"q7", "q13", "q34", "q37", "q48", "q72", "q82", "q83"}
FEED = "'delta.enableChangeDataFeed' = 'true'"
MAPPED = {"delta.columnMapping.mode": "name"}  # for columns that are called `sum(x)`
# As AUTO says, whatever it takes: all that is measured here is small.
LARGE = ("--vars", json.dumps({"dbt_mview:small_source_bytes": 0}))


@pytest.fixture(scope="module")
def views(module_project: Project) -> Iterator[Project]:
    """The tables, and all queries as views that are not built yet."""
    spark = module_project.spark
    for prefix, (table, size) in TABLES.items():
        text = f"create table {table} using delta tblproperties ({FEED}) as {rows(prefix, 0, size)}"
        spark.sql(text)
    told = judged()
    for name, text in queries().items():
        columns = spark.sql(text).columns
        if len({*map(str.lower, columns)}) < len(columns):
            # A table has no two columns of one name.
            names = ", ".join(f"c{number}" for number in range(len(columns)))
            text = f"select * from ({text}) as q({names})"
        refresh = "fast" if told.get(name, "").startswith("yes") else "auto"
        module_project.model(name, text, refresh=refresh, tblproperties=MAPPED)
    yield module_project
    for table, _ in TABLES.values():
        spark.sql(f"drop table {table}")


def test_which_can_be_fast(views: Project, pytestconfig: pytest.Config) -> None:
    """While any table changes; the strategy of each, or why not. --update-golden writes it."""
    log = views.op("mview_explain", format="json").log
    found = re.search(r"explained: (\{.*\})", log)
    assert found, log[-3000:]
    told = {view["model"].rpartition(".")[2]: view for view in json.loads(found[1])["views"]}
    assert told.keys() == queries().keys()
    written = "".join(f"{name} {line(told[name])}\n" for name in queries())
    if pytestconfig.getoption("--update-golden"):
        JUDGED.write_text(written, encoding="utf-8")
    assert written == JUDGED.read_text(encoding="utf-8")


def line(view: dict[str, object]) -> str:
    """What is told of one view."""
    return f"{view['fast']}: {view['reason'] or view['strategy']}"


@pytest.fixture(scope="module")
def built(views: Project) -> Project:
    """Those that follow at least one table, built."""
    views.run(*chosen(), args=LARGE)
    return views


def chosen() -> list[str]:
    """Those that follow at least one table, or of them the ones that TPCDS names (q1,q2)."""
    named = os.environ.get("TPCDS", "").split(",")
    return [name for name in followed() if name in named] or followed()


@pytest.fixture(scope="module")
def moved() -> set[str]:
    """The views that FAST has changed in some round."""
    return set()


@pytest.mark.parametrize("turn", range(ROUNDS if SOAK else 2))
def test_fast_equals_complete(built: Project, moved: set[str], turn: int) -> None:
    for prefix in FACTS:
        for statement in changes(prefix, turn):
            built.sql(statement)
    done = built.run(*chosen(), args=LARGE)
    texts = {name: done.text(name) for name in chosen()}
    verified = built.op("mview_verify", expect=None)
    assert verified.success, verified.log[-5000:]
    slow = {name: text for name, text in texts.items() if text.startswith("COMPLETE")}
    surely = {name for name, told in judged().items() if told.startswith("yes")}
    assert not slow.keys() & surely, slow
    # Of the others AUTO may say that three joined tables changed, or that they do not follow all.
    assert all("not FAST: " in text for text in slow.values()), slow
    now = {name for name, text in texts.items() if re.match(r"FAST v\d+, (?!0 )", text)}
    assert now
    moved |= now
    if turn == ROUNDS - 1:
        assert (surely & texts.keys()) - moved <= STILL
