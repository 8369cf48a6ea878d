"""No cascade of COMPLETE: what a view that is built anew publishes, and how sources that were
replaced or overwritten are followed."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

SEED = "id,mark\n" + "".join(f"{id},{id % 30}\n" for id in range(60)) + "100,\n"
ROUNDS = "select id, id % 100 as k, cast(id % 7 as double) as x, id as n from @.raw"
MODELS = {
    "marked": "select mark, count(*) as n, null as later from {{ ref('marks') }} group by mark",
    "twice": "select mark, 2 * n as n from {{ ref('marked') }}",
    "often": "select n, count(*) as marks from {{ ref('twice') }} group by n",
    "by_k": "select k, count(*) as n, sum(n) as total from {{ ref('facts') }} group by k",
    "large": "select k, total from {{ ref('by_k') }} where total > 490000",
}


@pytest.fixture(scope="module")
def chain(module_project: Project) -> Project:
    """seed -> view -> view -> view, and table -> view -> view; built."""
    project = module_project
    project.sql("create table @.raw using delta as select id from range(10000)")
    project.write("seeds/marks.csv", SEED)
    for name, sql in MODELS.items():
        project.model(name, sql)
    project.model(
        "facts", ROUNDS.replace("@", project.schema), materialized="table", file_format="delta"
    )
    project.dbt("seed")
    project.run()
    return project


def equal_views(project: Project, **args: str) -> int:
    """How many views mview_verify finds equal, of all that tests of this module have built or of
    those that are named."""
    return len(re.findall(r"\bequal +0 +0\b", project.op("mview_verify", **args).log))


def changes(project: Project, view: str, since: int) -> Counter[tuple[str, ...]]:
    """What the feed of a view holds after a version, but for pairs that cancel out."""
    newest = project.commits(view)[0].version
    if newest <= since:
        return Counter()
    rows = project.sql(
        f"select * except (_commit_version, _commit_timestamp) from"
        f" table_changes('@.{view}', {since + 1}, {newest})"
    )
    return Counter(tuple(map(str, row)) for row in rows)


def test_what_did_not_change_is_not_published(chain: Project) -> None:
    """The seed is dropped and created anew, the table is replaced: the same rows."""
    before = {view: chain.commits(view)[0].version for view in MODELS}
    chain.dbt("seed")
    outcome = chain.run()
    told = {view: outcome.text(view) for view in MODELS}
    assert told["marked"].startswith("COMPLETE v0, 0 rows differ: ")
    assert told["by_k"].startswith("FAST v0, 0 rows: ") and "no changed rows" in told["by_k"]
    for view in ["twice", "often", "large"]:
        assert told[view].startswith("SKIP nothing changed")
    assert {view: chain.commits(view)[0].version for view in MODELS} == before
    # The seed is no Delta table, so its view is not verifiable.
    assert equal_views(chain) == len(MODELS) - 1


def test_few_rows_that_changed_stay_few(chain: Project) -> None:
    chain.sql("update @.raw set id = id + 1000000 where id in (1, 2, 3, 4, 5)")
    chain.write("seeds/marks.csv", SEED + "101,4\n")
    chain.dbt("seed")
    before = {view: chain.commits(view)[0].version for view in MODELS}
    outcome = chain.run()
    told = {view: outcome.text(view) for view in MODELS}
    assert told["marked"].startswith("COMPLETE v1, 2 rows differ: ")
    assert "(aggregate delta, compared versions, 10 changed rows)" in told["by_k"]
    for view in ["twice", "often", "large"]:
        assert told[view].startswith("FAST"), told[view]
    assert equal_views(chain) == len(MODELS) - 1
    assert chain.holds("marked", MODELS["marked"].replace("{{ ref('marks') }}", "@.marks"))
    assert changes(chain, "marked", before["marked"]) == {
        ("4", "2", "None", "delete"): 1, ("4", "3", "None", "insert"): 1
    }  # fmt: skip
    ks = {row[0] for row in changes(chain, "by_k", before["by_k"])}
    assert ks == {"1", "2", "3", "4", "5"}


ODD = (
    "select id, x, t, null as later, cast(id as timestamp) as at, array(id, null) as a,"
    " named_struct('b', s) as st"
    " from (select id, x, s, cast(nullif(id, 3) as decimal(4,1)) as t from @.odd)"
)
# Equal rows, NULLs, both zeros, both infinities and NaN, each of them more or less often.
BEFORE = (
    "(1, 0D, 'a'), (1, 0D, 'a'), (1, -0D, 'a'), (2, double('NaN'), null), (2, double('NaN'), null),"
    " (3, null, 'b'), (null, 5D, null), (null, 5D, null),"
    " (4, double('-Infinity'), 'c'), (5, 1D, 'd')"
)
AFTER = (
    "(1, 0D, 'a'), (1, -0D, 'a'), (1, -0D, 'a'), (1, -0D, 'a'), (2, double('NaN'), null),"
    " (3, null, 'b'), (3, null, 'b'), (null, 5D, null), (null, -0D, null), (4, double('Infinity'),"
    " 'c'), (5, 1D, 'd'), (6, -0D, '')"
)
# So many others stay that those are few: of many the next time all would be overwritten.
OTHERS = "select cast(id + 10 as int), 1D, 'same' from range(300)"


def texts(project: Project, query: str) -> Counter[tuple[str, ...]]:
    """Rows as texts, in which 0.0 and -0.0 differ."""
    return Counter(tuple(map(str, row)) for row in project.sql(query))


@pytest.mark.nightly
def test_the_difference_is_what_complete_gives(project: Project) -> None:
    """Whatever the values; what cannot be compared is overwritten, and so is what nobody reads."""
    project.sql("create or replace table @.odd (id int, x double, s string) using delta")
    project.sql(f"insert into @.odd values {BEFORE} union all {OTHERS}")
    query = ODD.replace("@", project.schema)
    project.model("odd_rows", query, refresh="complete")
    project.model("odd_maps", f"select id, map(id, x) as m from {project.schema}.odd where id > 0",
                  refresh="complete")  # fmt: skip
    project.model("nested", f"select id, array(x) as xs from {project.schema}.odd",
                  refresh="complete")  # fmt: skip
    project.model("unread", query, refresh="complete")
    for view, refresh in {"odd_rows": "fast", "odd_maps": "auto", "nested": "auto"}.items():
        over = f"select id, count(*) as n from {{{{ ref('{view}') }}}} group by id"
        project.model(f"over_{view}", over, refresh=refresh)
    project.run()
    for values in [AFTER, BEFORE, AFTER]:
        project.sql(f"insert overwrite @.odd values {values} union all {OTHERS}")
        told = project.run()
        assert " rows differ: " in told.text("odd_rows"), told.text("odd_rows")
        for view in ["odd_maps", "nested", "unread"]:
            assert " rows differ: " not in told.text(view)
        assert told.text("over_odd_rows").startswith("FAST"), told.text("over_odd_rows")
        for view in ["odd_rows", "unread"]:
            assert texts(project, f"select * from @.{view}") == texts(project, ODD)
        assert project.holds("over_odd_rows", "select id, count(*) as n from @.odd group by id")
    project.sql(f"insert overwrite @.odd values {AFTER} union all {OTHERS}")
    assert project.run("odd_rows").text("odd_rows").startswith("COMPLETE v3, 0 rows differ: ")


def test_of_partitions_that_were_overwritten_the_feed_is_read(project: Project) -> None:
    """Of a table that was rewritten in large part, the versions are compared."""
    feed = "tblproperties ('delta.enableChangeDataFeed' = 'true')"
    project.sql(
        "create table @.daily using delta partitioned by (day)"
        f" {feed} as select id, cast(id % 40 as int) as day, 1 as n from range(4000)"
    )
    project.model(
        "per_day",
        f"select day, count(*) as rows, sum(n) as total from {project.schema}.daily group by day",
        refresh="fast",
    )
    project.run()
    (daily,) = project.sql("describe detail @.daily")
    rows = "select id, {day} as day, if(id < 9, 2, 1) as n from range(90)"
    for day in (3, 4):
        if day == 3:
            write = project.spark.sql(rows.format(day=day)).write.format("delta").mode("overwrite")
            write.option("partitionOverwriteMode", "dynamic").save(daily.location)
        else:
            project.sql(f"insert into @.daily replace where day = 4 {rows.format(day=day)}")
        told = project.run().text("per_day")
        assert told.startswith("FAST") and "compared versions" not in told, told
        assert equal_views(project, view="per_day") == 1
    project.sql("insert into @.daily replace where day < 30 select id, 5, 1 from range(2500)")
    told = project.run().text("per_day")
    assert told.startswith("FAST") and "compared versions" in told, told
    assert equal_views(project, view="per_day") == 1
