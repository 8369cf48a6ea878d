"""FAST beside COMPLETE for each row of the queries that FAST follows: docs/fast.md shows it there.

A thousandth of lineitem changes in a round, all over the table: values, suppliers, rows that go and
rows that come. At SF1 that is 6,000 of 6,000,000 rows: they touch 3 % of the parts and 0.4 % of the
orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.timing import in_turn

PERCENT = 0.1
SIDES = ("complete", "fast")
# So many views share a project: a run that is ended keeps those that were before.
AT_A_TIME = 9
BY_PART = "select l_partkey, count(*) as lines, sum(l_quantity) as sold from {lines}"
PART_SUPPLIERS = "select ps_partkey, ps_suppkey from {tpch}.partsupp"
OF_ORDERS = "select o_orderkey, o_custkey, o_totalprice from {orders} where"
RETURNED = "select l_orderkey from {lines} where l_returnflag = 'R'"
MANY = "select l_orderkey, l_linenumber, l_quantity from {lines} where l_quantity > 45"
# What strategies.py names -> its view.
VIEWS = {
    "filter": MANY,
    "join": "select l_orderkey, l_linenumber, l_quantity, o_custkey from {lines}"
    " join {orders} on o_orderkey = l_orderkey where l_quantity > 45",
    "sums": f"{BY_PART} group by l_partkey",
    "minimum": "select l_partkey, min(l_shipdate) as first from {lines} group by l_partkey",
    "average": "select l_partkey, sum(l_quantity) as sold, avg(l_quantity) as each from {lines}"
    " group by l_partkey",
    "count distinct": "select l_partkey, count(distinct l_suppkey) as suppliers from {lines}"
    " group by l_partkey",
    "sorted list": "select l_orderkey, sort_array(collect_set(l_shipmode)) as modes from {lines}"
    " group by l_orderkey",
    "distinct": f"select l_partkey, l_suppkey from {{lines}} union {PART_SUPPLIERS}",
    "rollup": "select l_partkey, l_returnflag, grouping_id() as level, count(*) as lines,"
    " sum(l_quantity) as sold from {lines} group by rollup (l_partkey, l_returnflag)",
    "rollup alone": "select l_partkey, l_returnflag, count(*) as lines, sum(l_quantity) as sold"
    " from {lines} group by rollup (l_partkey, l_returnflag)",
    "window": "select l_orderkey, l_linenumber, l_extendedprice, sum(l_extendedprice) over"
    " (partition by l_orderkey) as of_order from {lines} where l_quantity > 45",
    "derived table": f"select lines, count(*) as parts from ({BY_PART} group by l_partkey)"
    " group by lines",
    "union all of groups": "select 'part' as kind, l_partkey as id, sum(l_quantity) as sold from"
    " {lines} group by l_partkey union all select 'order', l_orderkey, sum(l_quantity) from {lines}"
    " group by l_orderkey",
    "import CTE, read twice": "with lines as (select * from {lines}), totals as (select l_orderkey,"
    " sum(l_extendedprice) as total from lines group by l_orderkey) select l_orderkey,"
    " l_linenumber, l_extendedprice, total from lines join totals using (l_orderkey)"
    " where l_quantity > 45",
    "left join, preserved": "select l_orderkey, l_linenumber, l_quantity, o_custkey from {lines}"
    " left join {orders} on o_orderkey = l_orderkey where l_quantity > 45",
    "left join, optional": "select o_orderkey, o_custkey, l_linenumber, l_quantity from {orders}"
    f" left join ({MANY}) on l_orderkey = o_orderkey",
    "full join": "select coalesce(ps_partkey, l_partkey) as part, available, sold from"
    " (select ps_partkey, sum(ps_availqty) as available from {tpch}.partsupp group by ps_partkey)"
    f" full join ({BY_PART} group by l_partkey) on l_partkey = ps_partkey",
    "intersect": f"select l_partkey, l_suppkey from {{lines}} intersect {PART_SUPPLIERS}",
    "except": f"{PART_SUPPLIERS} except select l_partkey, l_suppkey from {{lines}}",
    "scalar subquery": f"{BY_PART} where l_quantity > (select min(ps_suppkey) + 44 from"
    " {tpch}.partsupp) group by l_partkey",
    "exists, kept": f"{MANY} and exists (select * from {{orders}} where o_orderkey = l_orderkey"
    " and o_orderstatus = 'F')",
    "exists": f"{OF_ORDERS} exists ({RETURNED} and l_orderkey = o_orderkey)",
    "not exists": f"{OF_ORDERS} not exists ({RETURNED} and l_orderkey = o_orderkey)",
    "in": f"{OF_ORDERS} o_orderkey in ({RETURNED})",
    "not in": f"{OF_ORDERS} o_orderkey is not null and o_orderkey not in"
    f" ({RETURNED} and l_orderkey is not null)",
    "the moment": f"{BY_PART} where l_shipdate > current_timestamp() - interval 12000 days"
    " group by l_partkey",
    "first rows": "select l_orderkey, l_linenumber, l_extendedprice from {lines}"
    " order by l_extendedprice desc, l_orderkey, l_linenumber limit 100",
}


def compare(bench: Bench) -> Iterator[Result]:
    """Each view by both methods, some of them at a time on the same changes."""
    for scale, tpch in bench.tpch.items():
        for start in range(0, len(VIEWS), AT_A_TIME):
            yield from some(bench, scale, tpch, list(VIEWS)[start : start + AT_A_TIME])


def some(bench: Bench, scale: float, tpch: str, names: list[str]) -> Iterator[Result]:
    """Some views, on tables as they were loaded."""
    changes, schema = bench.begin(scale), bench.project.schema
    where = {"lines": f"{schema}.lineitem", "orders": f"{schema}.orders", "tpch": tpch}
    actions = {}
    for number, name in enumerate(names):
        models = bench.models(f"row_{number}", VIEWS[name].format(**where), *SIDES)
        actions |= {model: bench.runs(model) for model in models}
    bench.status(f"SF {scale:g}: first build of {', '.join(names)}")
    bench.run()
    before = partial(changes.make, "scattered", PERCENT)
    times = in_turn(actions, bench.choice.rounds, before, each=False)
    for number, name in enumerate(names):
        complete, fast = (times[f"row_{number}_{side}"] for side in SIDES)
        yield Result("operators", name, scale, "fast", "complete", fast, complete)
