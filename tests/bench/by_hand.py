"""dbt-spark's `incremental` with `merge`, written by hand: correct, and naive."""

from __future__ import annotations

from tests.bench.setup import Bench

CONFIG = {
    "materialized": "incremental",
    "incremental_strategy": "merge",
    "file_format": "delta",
}

# Macros of the bench's project. Each row of a correct model says up to which versions it was
# built; the greatest of them is how far the model has read.
MACROS = """
{% macro newest(table) %}
    {% if not execute %}{{ return(0) }}{% endif %}
    {{ return(run_query("describe history " ~ table ~ " limit 1").rows[0][0]) }}
{% endmacro %}

{% macro last_read(column, before=none) %}
    {% if not execute %}{{ return(none) }}{% endif %}
    {% set where = " where " ~ column ~ " < " ~ before if before is not none else "" %}
    {{ return(run_query("select max(" ~ column ~ ") from " ~ this ~ where).rows[0][0]) }}
{% endmacro %}

{% macro changed(column, table, seen, now) %}
    {% if seen is none or now <= seen %}
select {{ column }} from {{ table }} version as of {{ now }} where false
    {% else %}
select {{ column }} from table_changes('{{ table }}', {{ seen + 1 }}, {{ now }})
    {% endif %}
{% endmacro %}

{% macro touched_suppliers(lines, orders, seen, now) %}
{{ changed("l_suppkey", lines, seen[0], now[0]) }}
{% endmacro %}

{% macro touched_customers(lines, orders, seen, now) %}
{{ changed("o_custkey", orders, seen[1], now[1]) }}
union all
select o_custkey from {{ orders }} version as of {{ now[1] }}
where o_orderkey in ({{ changed("l_orderkey", lines, seen[0], now[0]) }})
{% endmacro %}

{#- After the merge: groups that were touched and that it did not write are no more. -#}
{% macro forget_vanished(key, touched, lines, orders) %}
    {% set now = [last_read("lines_version"), last_read("orders_version")] %}
    {% set old = "(lines_version < " ~ now[0] ~ " or orders_version < " ~ now[1] ~ ")" %}
    {% set row = run_query(
        "select max(lines_version), max(orders_version) from " ~ this ~ " where " ~ old
    ).rows[0] if execute else [none, none] %}
    {% if row[0] is none %}{{ return("") }}{% endif %}
merge into {{ this }} as t
using (
    select distinct {{ key }} from ({{ touched(lines, orders, row, now) }})
) as s
on t.{{ key }} = s.{{ key }}
when matched and (t.lines_version < {{ now[0] }} or t.orders_version < {{ now[1] }}) then delete
{% endmacro %}
"""

HEAD = """
{{% set now = [newest("{lines}"), newest("{orders}")] %}}
{{% set seen = [none, none] %}}
{{% if is_incremental() %}}
    {{% set seen = [last_read("lines_version"), last_read("orders_version")] %}}
{{% endif %}}
"""
CORRECT = {
    "suppliers": """
select
    l_suppkey, count(*) as lines, sum(l_quantity) as quantity, sum(l_extendedprice) as price,
    {{{{ now[0] }}}} as lines_version, {{{{ now[1] }}}} as orders_version
from {lines} version as of {{{{ now[0] }}}}
{{% if is_incremental() %}}
where l_suppkey in ({{{{ touched_suppliers("{lines}", "{orders}", seen, now) }}}})
{{% endif %}}
group by l_suppkey
""",
    "customers": """
select
    o_custkey, count(*) as lines, sum(l_extendedprice * (1 - l_discount)) as revenue,
    {{{{ now[0] }}}} as lines_version, {{{{ now[1] }}}} as orders_version
from {orders} version as of {{{{ now[1] }}}}
join {lines} version as of {{{{ now[0] }}}} on l_orderkey = o_orderkey
{{% if is_incremental() %}}
where o_custkey in ({{{{ touched_customers("{lines}", "{orders}", seen, now) }}}})
{{% endif %}}
group by o_custkey
""",
}
# Groups with a row that is newer than the newest the model has seen: neither rows that went nor
# the group that a row left are among them.
NAIVE = {
    "suppliers": """
select
    l_suppkey, count(*) as lines, sum(l_quantity) as quantity, sum(l_extendedprice) as price,
    max(updated_at) as updated_at
from {lines}
{{% if is_incremental() %}}
where l_suppkey in (
    select l_suppkey from {lines}
    where updated_at > (select max(updated_at) from {{{{ this }}}})
)
{{% endif %}}
group by l_suppkey
""",
    "customers": """
select
    o_custkey, count(*) as lines, sum(l_extendedprice * (1 - l_discount)) as revenue,
    max(l.updated_at) as updated_at
from {orders} as o
join {lines} as l on l_orderkey = o_orderkey
{{% if is_incremental() %}}
where o_custkey in (
    select o_custkey from {orders} as co join {lines} as cl on cl.l_orderkey = co.o_orderkey
    where cl.updated_at > (select max(updated_at) from {{{{ this }}}})
)
{{% endif %}}
group by o_custkey
""",
}
KEYS = {"suppliers": "l_suppkey", "customers": "o_custkey"}


def models(bench: Bench, view: str, sides: tuple[str, ...]) -> None:
    """Write the models of a view that are asked for, of `incremental` and `naive`."""
    schema = bench.project.schema
    names = {"lines": f"{schema}.lineitem", "orders": f"{schema}.orders"}
    bench.project.write("macros/by_hand.sql", MACROS)
    key = KEYS[view]
    if "incremental" in sides:
        hook = (
            f"{{{{ forget_vanished('{key}', touched_{view}, '{names['lines']}',"
            f" '{names['orders']}') }}}}"
        )
        text = (HEAD + CORRECT[view]).format(**names)
        name = f"{view}_incremental"
        bench.project.model(name, text, unique_key=key, post_hook=hook, **CONFIG)
    if "naive" in sides:
        text = NAIVE[view].format(**names)
        bench.project.model(f"{view}_naive", text, unique_key=key, **CONFIG)
