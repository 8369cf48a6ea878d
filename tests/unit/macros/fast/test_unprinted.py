"""Attributes that a plan has left out where they are made."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.plans import FACTS, GROUPED, chain, tree

DBT = Dbt()


def unprinted(*texts: str) -> list[str]:
    nodes = tree(DBT, chain(*texts))
    found: list[str] = DBT("_unprinted", nodes, DBT("_made_of", nodes))
    return found


def test_only_where_a_list_is_cut() -> None:
    cut = "Project [k#2, ... 2 more fields]"
    assert unprinted(GROUPED, "Project [k#2, p#40]", FACTS) == []
    assert unprinted("Project [p#40, n#10L, k#2]", GROUPED, cut, FACTS) == ["40"]
    upcast = "Project [cast(k#2 as int) AS k#9, ... 2 more fields]"
    assert unprinted("Project [k#9, p#40]", upcast, FACTS) == ["40"]
    wide = "Relation spark_catalog.shop.wide[k#2, ... 2 more fields] parquet"
    assert unprinted("Project [p#40]", wide) == [], "columns of a table are known by their names"
