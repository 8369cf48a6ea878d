"""Views that mean the same with and without ANSI mode."""

from __future__ import annotations

import pytest

from ...kit.engine import Engine, View
from ...kit.harness import Dbt

V = "spark_catalog.db.v"


def plan(*nodes: str) -> str:
    """A view over these, as Spark explains it: with a conversion to its own types."""
    own = ["View (`spark_catalog`.`db`.`v`, [id#1L])", "Project [cast(id#2L as bigint) AS id#1L]"]
    relation = "Relation spark_catalog.db.src[id#2L,v#3,d#4,a#5] parquet"
    lines = ["Project [id#1L]", *own, *nodes, relation]
    tree = "\n".join(f"{'   ' * depth}+- {line}" for depth, line in enumerate(lines))
    return f"== Analyzed Logical Plan ==\nid: bigint\n{tree}\n== Optimized Logical Plan ==\n"


@pytest.mark.parametrize(
    ("node", "plain"),
    [
        ("Project [id#2L]", True),
        ("Filter (((id#2L > cast(0 as bigint)) AND v#3 LIKE a%) AND id#2L IN (1,2,3))", True),
        ("Filter (d#4 > cast(cast(-1 as decimal(1,0)) as decimal(10,2)))", True),
        ("Filter (between(id#2L, 1, 5) AND NOT isnull(v#3))", True),
        ("Project [CASE WHEN (id#2L = 1) THEN a ELSE upper(v#3) END AS c#6, -1 AS n#7]", True),
        ("Aggregate [v#3], [v#3, count(1) AS n#6L, max(id#2L) AS m#7L]", True),
        ("View (`spark_catalog`.`db`.`w`, [id#6])\n  +- Project [cast(id#7 as int) AS x]", True),
        ("Project [(id#2L + 1) AS i#6]", False),
        ("Project [(id#2L div 2) AS i#6]", False),
        ("Project [-id#2L AS i#6]", False),
        ("Project [a#5[0] AS i#6]", False),
        ("Filter (cast(v#3 as bigint) = cast(5 as bigint))", False),
        ("Project [cast(id#2L as int) AS i#6]", False),
        ("Aggregate [v#3], [v#3, sum(id#2L) AS n#6L]", False),
        ("Project [to_date(v#3, None, Some(UTC), false) AS c#6]", False),
        ("Project [v#3, ... 3 more fields]", False),
    ],
)
def test_a_view_that_means_the_same_in_any_mode(node: str, plain: bool) -> None:
    engine = Engine()
    engine.tables[V] = View("select 1 as id", [("id", "bigint")], made={"ansi.enabled": "true"})
    engine.plan = plan(node)
    setting = None if plain else "spark.sql.ansi.enabled = true"
    assert Dbt(engine)("_made_with_another", V) == setting
