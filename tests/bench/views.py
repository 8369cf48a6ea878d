"""The views of the bench, over TPC-H. {lines} and {orders} are changed, {tpch} stays as it is."""

from __future__ import annotations

Q1 = """
select
    l_returnflag,
    l_linestatus,
    sum(l_quantity) as sum_qty,
    sum(l_extendedprice) as sum_base_price,
    sum(l_extendedprice * (1 - l_discount)) as sum_disc_price,
    sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge,
    avg(l_quantity) as avg_qty,
    avg(l_extendedprice) as avg_price,
    avg(l_discount) as avg_disc,
    count(*) as count_order
from {lines}
where l_shipdate <= date '1998-12-01' - interval '90' day
group by l_returnflag, l_linestatus
"""
SUPPLIERS = """
select
    l_suppkey,
    count(*) as lines,
    sum(l_quantity) as quantity,
    sum(l_extendedprice) as price
from {lines}
group by l_suppkey
"""
CUSTOMERS = """
select
    o_custkey,
    count(*) as lines,
    sum(l_extendedprice * (1 - l_discount)) as revenue
from {orders}
join {lines} on l_orderkey = o_orderkey
group by o_custkey
"""
Q3 = """
select
    l_orderkey,
    o_orderdate,
    o_shippriority,
    count(*) as lines,
    sum(l_extendedprice * (1 - l_discount)) as revenue
from {tpch}.customer
join {orders} on c_custkey = o_custkey
join {lines} on l_orderkey = o_orderkey
where c_mktsegment = 'BUILDING'
    and o_orderdate < date '1995-03-15'
    and l_shipdate > date '1995-03-15'
group by l_orderkey, o_orderdate, o_shippriority
"""
DISTINCT = """
select l_suppkey, count(distinct l_partkey) as parts
from {lines}
group by l_suppkey
"""
TOP1 = """
select l_partkey, l_orderkey, l_linenumber, l_extendedprice
from (
    select
        l_partkey,
        l_orderkey,
        l_linenumber,
        l_extendedprice,
        row_number() over (
            partition by l_partkey
            order by l_extendedprice desc, l_orderkey, l_linenumber
        ) as place
    from {lines}
)
where place = 1
"""

VIEWS = {
    "suppliers": SUPPLIERS,
    "customers": CUSTOMERS,
    "q1": Q1,
    "q3": Q3,
    "distinct": DISTINCT,
    "top1": TOP1,
}
LABELS = {
    "suppliers": "lines by supplier",
    "customers": "orders join lines, by customer",
    "q1": "Q1",
    "q3": "Q3's core",
    "distinct": "count distinct",
    "top1": "window, top 1 per part",
}


def query(name: str, schema: str, tpch: str) -> str:
    """The text of one view.

    Args:
        name: one of VIEWS.
        schema: where the changed tables are.
        tpch: where the others are.

    Returns:
        SQL text.
    """
    return VIEWS[name].format(lines=f"{schema}.lineitem", orders=f"{schema}.orders", tpch=tpch)
