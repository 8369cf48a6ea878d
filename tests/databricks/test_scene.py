"""The life of a project of dbt-databricks: seed, run, change, run, a death, purge, verify."""

from __future__ import annotations

import re

import pytest

from tests.support.project import Outcome, Project, expire, stopped_at

pytestmark = pytest.mark.spark

FEED = {"delta.enableChangeDataFeed": "true"}
ORDERS = "id,customer,amount\n1,ann,10\n2,bob,20\n3,ann,5\n"
CUSTOMERS = "customer,country\nann,NL\nbob,BE\ncid,DE\n"
TOTALS = "select customer, sum(amount) as total from {{ ref('orders') }} group by customer"
JOINED = (
    "select o.id, o.customer, o.amount, c.country"
    " from {{ ref('orders') }} as o join {{ ref('customers') }} as c on c.customer = o.customer"
)
COUNTRIES = f"select country, sum(amount) as total from ({JOINED}) group by country"
QUERIES = {"totals": TOTALS, "joined": JOINED, "sums": TOTALS, "countries": COUNTRIES}
VIEWS = tuple(QUERIES)


@pytest.fixture(scope="module")
def shop(databricks: Project) -> Project:
    """Two seeds, a view of groups, a join, a group of two of which one is audited, and a log."""
    project = databricks
    project.configure(seeds={"+tblproperties": FEED, "+quote_columns": False})
    project.write("seeds/orders.csv", ORDERS)
    project.write("seeds/customers.csv", CUSTOMERS)
    project.model("totals", TOTALS, unique_key="customer", meta={"refresh": "fast"})
    project.model("joined", JOINED, meta={"refresh": "fast"})
    project.model("sums", TOTALS, meta={"refresh_group": "sales", "audit": ["total > 0"]})
    project.model("countries", COUNTRIES, meta={"refresh_group": "sales", "refresh": "fast"})
    columns = "select id, customer, amount from {{ ref('orders') }}"
    project.model("orders_log", columns, materialized="materialized_view_log")
    tests = [{"dbt_mview.mview_fresh": {}}, "dbt_mview.mview_matches_query"]
    docs = {"name": "totals", "description": "Orders of each customer.", "data_tests": tests}
    project.write("models/schema.yml", {"models": [docs]})
    return project


@pytest.fixture(scope="module")
def first(shop: Project) -> Outcome:
    """The first run of the project."""
    shop.dbt("seed")
    return shop.run()


def change(project: Project, id: int) -> None:
    """Three commits: a row comes, one changes, one goes."""
    project.sql(f"insert into @.orders values ({id}, 'cid', 7), ({id + 1}, 'bob', 1)")
    project.sql("update @.orders set amount = amount + 1 where customer = 'ann'")
    project.sql(f"delete from @.orders where id = {id + 1}")


def of_seeds(query: str) -> str:
    """The query of a model, as SQL for Spark."""
    return re.sub(r"{{ ref\('(\w+)'\) }}", r"@.\1", query)


def told(outcome: Outcome, *names: str) -> str:
    """How each was refreshed, in a line; without versions and reasons."""
    texts = [outcome.text(name) for name in names]
    return ", ".join(re.split(r" v\d|:| nothing| for ", text)[0] for text in texts)


def test_configs_in_meta_are_no_deprecation(shop: Project) -> None:
    """Beside `meta`, dbt warns of those that this adapter does not know."""
    assert "CustomKeyInConfig" not in shop.dbt("parse", "--no-partial-parse").log


def test_doctor(shop: Project) -> None:
    assert "no: " not in shop.op("mview_doctor").log


def test_life(shop: Project, first: Outcome) -> None:
    assert told(first, *VIEWS) == ", ".join(4 * ["COMPLETE"])
    assert told(first, "orders_log") == "START"
    change(shop, 10)
    second = shop.dbt("build", "--exclude", "resource_type:seed")
    assert told(second, *VIEWS[:2], "orders_log") == "FAST, FAST, CAPTURE"
    # Whoever comes last publishes both.
    assert told(second, *VIEWS[2:]) in ("STAGED COMPLETE, FAST", "COMPLETE, STAGED FAST")
    assert list(second.status.values()).count("pass") == 2
    assert re.search(r"FAST v1, 2 rows: shop\.orders v\d+ -> v\d+ \(", second.text("totals"))
    types = [shop.info(name).last_refresh_type for name in VIEWS]
    assert types == ["fast", "fast", "complete", "fast"]
    assert shop.holds("totals", of_seeds(TOTALS))
    third = shop.run()
    assert told(third, *VIEWS, "orders_log") == ", ".join(5 * ["SKIP"])
    read = shop.info("totals").sources[0]
    times = {row.version: row.timestamp for row in shop.commits("orders")}
    assert read.commit_time == times[read.version]
    assert shop.op("mview_verify").log.count("  equal") == len(VIEWS)


def test_a_purge_and_what_reads_the_log(shop: Project, first: Outcome) -> None:
    """What no view needs any more goes; a view whose feed is gone goes on from the log."""
    purged = shop.op("mlog_purge", base="shop.orders").log
    assert re.search(r"shop\.orders_log +v\d+ +v\d+ +[1-9]\d* +1 +success", purged), purged
    assert shop.sql("select count(*) from @.orders_log")[0][0] == 0
    change(shop, 20)
    assert told(shop.run("orders_log"), "orders_log") == "CAPTURE"
    shop.sql("vacuum @.orders retain 0 hours")
    again = shop.run(*VIEWS)
    assert told(again, "totals", "joined") == "FAST, FAST", again.log
    assert "was rebuilt" not in again.log
    assert shop.op("mview_verify").log.count("  equal") == len(VIEWS)
    assert "shop.orders_log" in shop.op("mlog_info").log


@pytest.mark.parametrize(
    ("point", "names"),
    [
        ("publish:before", ["totals"]),
        ("publish:after", ["totals"]),
        ("decide:after", ["sums", "countries"]),
    ],
)
def test_death(shop: Project, first: Outcome, point: str, names: list[str]) -> None:
    """dbt is killed: what it left is undone or recorded, and all is as if nothing had happened."""
    change(shop, 30)
    dead = stopped_at(shop, point, "run", "--select", *names)
    dead.kill()
    dead.wait()
    for name in names:
        assert shop.info(name).lock_owner
        expire(shop, name)
    recovered = shop.op("mview_recover").log
    assert ("undid" in recovered) == (point == "publish:before"), recovered
    assert not any(shop.info(name).lock_owner for name in names)
    again = shop.run(*names)
    done = told(again, *names).split(", ")
    assert set(done) == {"FAST" if point == "publish:before" else "SKIP"}, again.log
    for name in names:
        assert shop.holds(name, of_seeds(QUERIES[name])), name
    assert shop.sql("show tables in @_mview like 'mview_stage_*'") == []
