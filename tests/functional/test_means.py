"""Means by sums and counts: what avg gives, digit for digit, or the group is computed again."""

from __future__ import annotations

import pytest

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

S = "{{ target.schema }}."
VIEWS = {
    "told": "count(*) as n, sum(amt) as total, avg(amt) as mean, sum(i) as ints,"
    " avg(i) as int_mean",
    "counted": "avg(amt) as mean, sum(amt) as total, count(amt) as c, avg(i) as int_mean,"
    " sum(i) as ints, count(i) as d",
    "alone": "sum(wide) as wide, avg(wide) as wide_mean, avg(wee) as wee_mean, sum(wee) as wee",
}
CHANGES = (
    "insert into @.facts select id + 60000, id % 1500,"
    " if(id % 5 = 0, null, (id % 997 - 400) / 100), id % 31 - 9,"
    " (id % 97) * 123456789.01, (id % 7) / 100000000 from range(900)",
    "delete from @.facts where id % 301 = 5",
    "update @.facts set amt = amt - 0.37, i = -i, k = k + 1 where id % 211 = 3",
    "delete from @.facts where k in (17, 18)",
)


@pytest.fixture(scope="module")
def means(module_project: Project) -> Project:
    """Groups of one to some eighty values, of which some are NULL, some zero."""
    module_project.sql(
        "create table @.facts (id bigint, k bigint, amt decimal(10, 2), i int, wide decimal(22, 2),"
        " wee decimal(9, 9)) using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    )
    module_project.sql(
        "insert into @.facts select id, cast(sqrt(id * 37) as bigint) % 1600,"
        " if(id % 7 = 0, null, (id * 7919 % 100003 - 50000) / 100),"
        " if(id % 11 = 0, null, id % 1000),"
        " (id * 7919 % 100003) * 987654321.01, (id * 7919 % 100003) / 1000000000 from range(60000)"
    )
    for name, values in VIEWS.items():
        query = f"select k, {values} from {S}facts group by k"
        module_project.model(name, query, refresh="fast")
    module_project.run()
    return module_project


def test_any_changes(means: Project) -> None:
    for statement in CHANGES:
        means.sql(statement)
    outcome = means.run(*VIEWS)
    for name in VIEWS:
        assert outcome.text(name).startswith("FAST") and "(aggregate delta, " in outcome.text(name)
    verified = means.op("mview_verify", expect=None)
    assert verified.success and verified.log.count("  equal") == len(VIEWS), verified.log


def test_groups_that_are_sure_are_added_up(means: Project) -> None:
    """A row each: one that is computed again is two, the one that goes and the one that comes."""
    means.sql("insert into @.facts select -1 - id, id, 7.13, 5, 1, 0.5 from range(100, 160)")
    outcome = means.run("told", "counted")
    assert ", 60 rows: " in outcome.text("told") and ", 60 rows: " in outcome.text("counted")


def test_half_a_digit_is_rounded_by_avg(means: Project) -> None:
    """32.01 of 32 is 1.0003125, which has a digit more than the type."""
    means.sql("insert into @.facts select -1000 - id, -5, 1, 1, 1, 0.5 from range(31)")
    means.run(*VIEWS)
    means.sql("insert into @.facts values (-2000, -5, 1.01, 1, 1, 0.5)")
    outcome = means.run(*VIEWS)
    assert ", 2 rows: " in outcome.text("told")
    (row,) = means.sql("select mean, int_mean from @.told where k = -5")
    assert (str(row.mean), row.int_mean) == ("1.000313", 1.0)
    assert means.op("mview_verify", expect=None).log.count("  equal") == len(VIEWS)


@pytest.mark.nightly
def test_what_would_spare_computing_again(means: Project) -> None:
    query = f"select k, count(*) as n, avg(amt) as mean from {S}facts group by k"
    means.model("lone", query, refresh="fast")
    means.run("lone")
    means.sql("insert into @.facts values (-3000, 5, 1.01, 1, 1, 0.5)")
    told = means.op("mview_explain", view="lone").log
    assert "mean: touched groups are computed again; with sum(amt) it would be added up" in told


def test_cents_that_a_cast_makes_exact(means: Project) -> None:
    """The way of dbt's own example: a staging view divides, and what it casts is added up beside
    the table that changes."""
    means.sql(
        "create table @.people (k bigint, name string) using delta"
        " tblproperties ('delta.enableChangeDataFeed' = 'true')"
    )
    means.sql("insert into @.people select id, concat('p', id) from range(1600)")
    means.write(
        "models/stg_facts.sql",
        "{{ config(materialized='view') }}"
        f" select k, cast(i / 100 as decimal(16, 2)) as paid from {S}facts",
    )
    query = (
        "with spent as (select k, sum(paid) as total from {{ ref('stg_facts') }} group by k) "
        f"select p.k, p.name, s.total from {S}people p join spent s on p.k = s.k"
    )
    means.model("spent", query, refresh="fast")
    means.run("stg_facts", "spent")
    means.sql("update @.people set name = upper(name) where k % 100 = 7")
    means.sql("delete from @.people where k % 100 = 8")
    outcome = means.run("spent")
    assert "FAST" in outcome.text("spent") and "people v1 -> v3" in outcome.text("spent")
    assert means.op("mview_verify", view="spent").log.count("  equal") == 1
