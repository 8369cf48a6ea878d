"""FAST and COMPLETE of queries over groups and of first rows: `python -m tests.bench.derived`.

Orders of 1,500,000 rows, of which one in a thousand changes in a round, and as many come. Prints
the median of the seconds of a refresh itself, and the ratio.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from dbt_mview import engine
from tests.bench.overwritten import FEED, side_by_side
from tests.support.project import Project

SIZE, PART, CUSTOMERS = 1_500_000, 1_000, 100_000
WAYS = ("complete", "fast")
GROUPS = (
    "select customer, count(*) as orders, min(day) as first_day from @.orders group by customer"
)
QUERIES = {
    "groups by a count": f"select orders, count(*) as customers from ({GROUPS}) group by orders",
    "cohorts": (
        "select trunc(first_day, 'MM') as cohort, count(*) as n, sum(amt) as amt from @.orders"
        f" join ({GROUPS}) using (customer) group by trunc(first_day, 'MM')"
    ),
    "groups that a subquery keeps": (
        "select day, count(*) as n, sum(amt) as amt from @.orders where customer in (select"
        " customer from @.orders group by customer having sum(amt) > 14000) group by day"
    ),
    "the newest hundred": (
        "select id, customer, day, amt from @.orders order by id desc, customer, day, amt limit 100"
    ),
    "the best hundred": (
        "select customer, count(*) as n, sum(amt) as amt from @.orders group by customer"
        " order by amt desc, customer limit 100"
    ),
}


def rows(start: int, count: int) -> str:
    """Orders by their numbers, as a query."""
    return (
        f"select id, id * 7919 % {CUSTOMERS} as customer, date_add(date'2020-01-01', cast(id %"
        " 2000 as int)) as day, cast(id % 1999 as decimal(10, 2)) as amt"
        f" from range({start}, {start + count})"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        conf = {"spark.sql.shuffle.partitions": "8", "spark.driver.memory": "8g"}
        session = engine.session(Path(home), conf)
        session.sparkContext.setLogLevel("FATAL")
        session.sql("create schema derived")
        session.sql(f"create table derived.orders using delta {FEED} as {rows(0, SIZE)}")
        project = Project(Path(home) / "project", "derived", session)
        names = {}
        for number, (query, text) in enumerate(QUERIES.items()):
            for way in WAYS:
                names[query, way] = f"view_{number}_{way}"
                text_here = text.replace("@", project.schema)
                project.model(names[query, way], text_here, refresh=way)

        def change(turn: int) -> None:
            project.sql(f"update @.orders set amt = amt + 1 where id % {PART} = {turn}")
            some = SIZE // PART
            project.sql(f"insert into @.orders {rows(SIZE + turn * some, some)}")

        side_by_side(project, names, change)
        session.stop()


if __name__ == "__main__":
    main()
