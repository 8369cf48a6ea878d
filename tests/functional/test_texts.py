"""Texts and maps that Delta does not keep, or does not give, as they are: in partitions, in the
change feed, in columns with a length."""

from __future__ import annotations

import pytest

from tests.support.project import Project

from .test_log import vacuum

pytestmark = pytest.mark.spark

FEED = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
BY_COUNTRY = {
    "added_up": "select country, count(*) as n, sum(amt) as total from {} group by country",
    "rows": "select id, country from {}",
}


@pytest.mark.nightly
def test_empty_texts_in_partitions(project: Project) -> None:
    """Delta keeps '' as NULL there; a refresh that touches one of the two is COMPLETE."""
    project.sql(f"create table @.sales (id int, country string, amt int) {FEED}")
    project.sql(
        "insert into @.sales values"
        " (1, 'de', 1), (2, 'fr', 2), (3, '', 3), (4, null, 4), (5, '', 5)"
    )
    project.sql("insert into @.sales select id + 100, concat('x', id % 9), id from range(300)")
    twins = {}
    for name, query in BY_COUNTRY.items():
        query = query.format("{{ target.schema }}.sales")
        project.model(name, query, partition_by="country")
        twins[name] = f"{name}_complete"
        project.model(twins[name], query, partition_by="country", refresh="complete")
    project.run()
    for change, touched in {
        "update @.sales set amt = amt + 1, id = id + 10 where country = 'de'": (),
        "update @.sales set amt = amt + 1, id = id + 10 where country = ''": BY_COUNTRY,
        "delete from @.sales where country is null": BY_COUNTRY,
        # A row that comes is stored as any build would; it is not found again.
        "insert into @.sales values (9001, '__HIVE_DEFAULT_PARTITION__', 1)": ("added_up",),
        "delete from @.sales where id = 9001": BY_COUNTRY,
    }.items():
        project.sql(change)
        project.run(*twins.values())
        for name, twin in twins.items():
            done = project.op("mview_refresh", view=name, method="fast", expect=None)
            refused = "PARTITION_VALUE_NOT_KEPT: country" in done.log
            assert refused is (name in touched), (change, name)
            if refused:
                assert project.info(name).lock_owner is None, "nobody has to recover it"
                project.op("mview_refresh", view=name, method="complete")
            assert project.holds(name, f"select * from @.{twin}"), (change, name)
    assert not project.sql("show tables in @_mview like 'mview_stage_*'")


@pytest.mark.nightly
def test_days_that_the_julian_calendar_lacks(project: Project) -> None:
    """The feed gives the 15th of October 1582 for each of the ten before."""
    project.sql(f"create table @.born (id int, day date, at timestamp, days array<date>) {FEED}")
    plain = "date'2001-01-01', timestamp'2001-01-01', array(date'2001-01-01')"
    project.sql(f"insert into @.born select id, {plain} from range(200)")
    queries = {
        "days": "select id, cast(day as string) as day from {}",
        "moments": "select cast(at as string) as at, count(*) as n from {} group by 1",
        "lists": "select id, cast(days as string) as days from {}",
    }
    for name, query in queries.items():
        project.model(name, query.format("{{ target.schema }}.born"), refresh="fast")
    project.run(*queries)
    values = "({}, date'{}', timestamp'{} 12:00:00', array(date'{}'))"
    told = {"1582-09-30": False, "1582-10-10": True, "0001-01-01": False, "9999-12-31": False}
    for turn, (day, refused) in enumerate(told.items()):
        project.sql(f"insert into @.born values {values.format(9000 + turn, day, day, day)}")
        done = project.run(*queries, expect=not refused)
        for name in queries:
            told_so = "holds a date of October 1582, for which its change feed" in done.text(name)
            assert told_so if refused else done.text(name).startswith("FAST"), (day, name)
        if refused:
            project.run(*queries, args=("--full-refresh",))
        for name, query in queries.items():
            assert project.holds(name, query.format("@.born")), (day, name)


@pytest.mark.nightly
def test_bytes_that_are_no_text(project: Project) -> None:
    """The feed gives U+FFFD for them, the table what was written."""
    project.sql(f"create table @.raw (id int, code string) {FEED}")
    project.sql(
        "insert into @.raw select 1, 'a' union all select 2, cast(x'FF41' as string) union all"
        " select id + 100, 'c' from range(300)"
    )
    queries = {
        "codes": "select id, code from {}",
        "counted": "select code, count(*) as n from {} group by code",
        "ids": "select id from {}",
    }
    for name, query in queries.items():
        project.model(name, query.format("{{ target.schema }}.raw"))
    project.model("strict", "select id, code from {{ target.schema }}.raw", refresh="fast")
    project.run()
    project.sql("insert into @.raw values (3, cast(x'FF42' as string)), (4, 'a')")
    project.sql("delete from @.raw where id in (1, 2)")
    done = project.run(expect=False)
    assert done.text("ids").startswith("FAST")
    for name in ("codes", "counted"):
        assert "; not FAST: CHANGE_DATA_UNAVAILABLE" in done.text(name)
    assert "holds U+FFFD, which its change feed" in done.text("strict")
    assert sorted(tuple(row) for row in project.sql("select hex(code), n from @.counted")) == [
        ("61", 1),
        ("63", 300),
        ("FF42", 1),
    ]
    for name in queries:
        assert project.op("mview_verify", view=name).success


@pytest.mark.nightly
def test_lengths_of_a_source(project: Project) -> None:
    """A view and a log take longer texts as soon as their source does."""
    project.sql(f"create table @.orders (id int, status varchar(3), kind char(2)) {FEED}")
    project.sql("insert into @.orders select id, 'new', 'a' from range(300)")
    orders = f"{project.schema}.orders"
    queries = {
        "by_status": f"select status, count(*) as n from {orders} group by status",
        "by_kind": f"select kind, count(*) as n, max(id) as id from {orders} group by kind",
        "all_rows": f"select id, status, kind from {orders}",
    }
    for name, query in queries.items():
        project.model(name, query, **({"unique_key": "id"} if name == "all_rows" else {}))
    log = f"select id, status from {orders}"
    project.model("the_log", log, materialized="materialized_view_log")
    project.run()
    project.sql("alter table @.orders alter column status type varchar(9)")
    for statement in (
        "insert into @.orders values (1002, 'delivered', 'b')",
        "update @.orders set kind = 'b' where id between 3 and 5",
        "delete from @.orders where id in (299, 1002)",
    ):
        project.sql(statement)
        assert project.run("the_log").text("the_log").startswith("CAPTURE")
        for name, query in queries.items():
            project.op("mview_refresh", view=name, method="fast")
            assert project.holds(name, query), (statement, name)
    assert project.op("mview_verify", view="by_kind").success
    assert [row.n for row in project.sql("select count(*) as n from @.the_log")] == [9]


@pytest.mark.nightly
def test_a_length_beside_a_text(project: Project) -> None:
    """A CHAR lends its blanks to what stands in one column with it, and 'a ' is 'a' in it alone."""
    project.sql(f"create table @.padded (id int, s char(5)) {FEED}")
    project.sql("insert into @.padded select id, 'p' from range(300)")
    project.sql(
        f"create table @.plain {FEED} as select id, concat('t', id % 5) as s from range(300)"
    )
    padded, plain = (f"{project.schema}.{name}" for name in ("padded", "plain"))
    both = f"select id, s from {padded} union all select id, s from {plain}"
    queries = {
        "both": both,
        "ranked": f"select s, id, rank() over (partition by s order by id) as r from ({both})",
        "found": f"select id from {padded} where s = 'a'",
        "staged": both,
    }
    for name, query in queries.items():
        project.model(name, query, **({"audit": "s is not null"} if name == "staged" else {}))
    body = f"select id, s from {padded}"
    project.model("padded_log", body, materialized="materialized_view_log")
    project.run()
    for change in (
        "update @.plain set s = 'cd' where id = 7",
        "insert into @.padded values (1000, 'a'), (1001, 'b')",
    ):
        project.sql(change)
        project.run("staged", "padded_log")
        for name, query in queries.items():
            if name != "staged":
                project.op("mview_refresh", view=name, method="fast")
            assert project.holds(name, query), (change, name)
    project.sql("insert into @.padded values (1002, 'a')")
    project.run("padded_log")
    vacuum(project, "padded")
    said = project.op("mview_refresh", view="found", method="fast", expect=False).log
    assert "CHANGE_DATA_UNAVAILABLE" in said and "keeps s, a CHAR, as a text" in said, said
    project.op("mview_recover", view="found")
    project.op("mview_refresh", view="found", method="complete")
    assert project.op("mview_verify", view="found").success


@pytest.mark.nightly
def test_the_order_of_a_map(project: Project) -> None:
    """Delta's feed gives a map of more than four entries in another order than the table."""
    project.sql(f"create table @.events (id int, props map<string,int>) {FEED}")
    few, many = (
        "map(" + ", ".join(f"'{key}', {n}" for n, key in enumerate(keys)) + ")"
        for keys in ("abcd", "abcde")
    )
    project.sql(f"insert into @.events select id, {few} from range(200)")
    project.sql(f"insert into @.events select id + 200, {many} from range(200)")
    project.model(
        "low", "select id, props as p from {{ target.schema }}.events", materialized="view"
    )
    queries = {
        "texts": "select id, to_json(p) as p from {}",
        "by_keys": "select map_keys(p)[0] as k, count(*) as n from {} group by 1",
        "values_": "select p['e'] as e, count(*) as n, sum(p['a']) as a from {} group by 1",
    }
    for name, query in queries.items():
        project.model(name, query.format("{{ ref('low') }}"))
    project.run()
    for change, fast in {
        f"insert into @.events values (1000, {few})": True,
        f"insert into @.events values (1001, {many})": False,
        "delete from @.events where id = 300": False,
    }.items():
        project.sql(change)
        for name, query in queries.items():
            strict = project.op("mview_refresh", view=name, method="fast", expect=None)
            assert strict.success is (fast or name == "values_"), (change, name)
            if not strict.success:
                assert "a map of more than four entries in spark_catalog." in strict.log
                project.op("mview_recover", view=name)
                project.op("mview_refresh", view=name, method="complete")
            assert project.holds(name, query.format("@.low")), (change, name)
