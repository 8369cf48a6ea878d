"""A query compared with a table."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.parsing import parse

PRESENT = [
    {"name": "a", "type": "int", "expression": "`a`"},
    {"name": "m", "type": "array<map<string,int>>", "expression": "`m`"},
]
FED = [PRESENT[0], {**PRESENT[1], "expression": "cast(null as array<map<string,int>>)"}]


def compare(query: str) -> str:
    sides = {"query": query, "wanted": FED, "view": "`s`.`v` version as of 3", "present": PRESENT}
    sql: str = Dbt()("_compare_sql", sides)
    assert parse(Dbt()("_differences_sql", sides))
    assert parse(sql)
    return sql


def test_maps_are_compared_as_json() -> None:
    wanted, present = compare("select 1 as a").split("present as")
    assert "select `a`, to_json(cast(null as array<map<string,int>>)) as `m`\n" in wanted
    assert "select `a`, to_json(`m`) as `m`\n    from `s`.`v` version as of 3\n" in present


def test_any_query_fits() -> None:
    assert "    from (\nselect 1 as a -- end\n    )\n" in compare("select 1 as a -- end")
    compare("with c as (select 1 as a) select * from c")


def test_both_ways() -> None:
    sql = compare("select 1 as a")
    assert "(select * from wanted except all select * from present)\n    ) as missing" in sql
    assert "(select * from present except all select * from wanted)\n    ) as surplus" in sql
