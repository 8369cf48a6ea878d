"""Texts that Delta does not keep, or does not give, as they are: in partitions, in the change
feed, in columns with a length."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.support.project import Project

pytestmark = pytest.mark.spark

FEED = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
BY_COUNTRY = {
    "added_up": "select country, count(*) as n, sum(amt) as total from {} group by country",
    "rows": "select id, country from {}",
}


@pytest.mark.long
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
        "update @.sales set amt = amt + 1, id = id + 10 where country = 'de'": False,
        "update @.sales set amt = amt + 1, id = id + 10 where country = ''": True,
        "delete from @.sales where country is null": True,
    }.items():
        project.sql(change)
        project.run(*twins.values())
        for name, twin in twins.items():
            done = project.op("mview_refresh", view=name, method="fast", expect=None)
            assert ("PARTITION_VALUE_NOT_KEPT: country" in done.log) is touched, (change, name)
            if touched:
                project.op("mview_recover", view=name)
                project.op("mview_refresh", view=name, method="complete")
            assert Counter(project.rows(name)) == Counter(project.rows(twin)), (change, name)


@pytest.mark.long
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
    assert "U+FFFD in a text of spark_catalog." in done.text("strict")
    assert sorted(tuple(row) for row in project.sql("select hex(code), n from @.counted")) == [
        ("61", 1),
        ("63", 300),
        ("FF42", 1),
    ]
    for name in queries:
        assert project.op("mview_verify", view=name).success


@pytest.mark.long
def test_lengths_of_a_source(project: Project) -> None:
    """A view and a log take longer texts as soon as their source does."""
    project.sql(f"create table @.orders (id int, status varchar(3), kind char(2)) {FEED}")
    project.sql("insert into @.orders select id, 'new', 'a' from range(300)")
    body = "from {{ target.schema }}.orders"
    project.model("by_status", f"select status, count(*) as n {body} group by status")
    project.model("by_kind", f"select kind, count(*) as n, max(id) as id {body} group by kind")
    project.model("all_rows", f"select id, status, kind {body}", unique_key="id")
    project.model("the_log", f"select id, status {body}", materialized="materialized_view_log")
    project.run()
    project.sql("alter table @.orders alter column status type varchar(9)")
    for statement in (
        "insert into @.orders values (1002, 'delivered', 'b')",
        "update @.orders set kind = 'b' where id between 3 and 5",
        "delete from @.orders where id in (299, 1002)",
    ):
        project.sql(statement)
        assert project.run("the_log").text("the_log").startswith("CAPTURE")
        for name in ("by_status", "by_kind", "all_rows"):
            project.op("mview_refresh", view=name, method="fast")
            assert project.op("mview_verify", view=name).success
    assert [row.n for row in project.sql("select count(*) as n from @.the_log")] == [9]
