"""Whether a condition looks at one row alone, by the plan that the engine gives of it."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt

COLUMNS = [{"name": "k", "type": "string"}, {"name": "a`b", "type": "timestamp"}]
# As Spark 4.1 prints them; tests/functional/test_audits.py asks it.
PROJECTED = """\
Project [met#0]
+- Filter false
   +- SubqueryAlias __auto_generated_subquery_name
      +- Project [(k#1 > a) AS met#0]
         +- SubqueryAlias __auto_generated_subquery_name
            +- Project [cast(null as string) AS k#1, cast(null as timestamp) AS a`b#2]
               +- OneRowRelation"""


def looks(plan: str = PROJECTED, condition: str = "k > 'a'", columns: Any = COLUMNS) -> bool:
    """What is found where the engine says this."""
    dbt = Dbt()
    dbt.engine.condition_plan = (
        f"== Parsed Logical Plan ==\n'Project [*]\n\n== Analyzed Logical Plan ==\nmet: boolean\n"
        f"{plan}\n\n== Optimized Logical Plan ==\nLocalRelation <empty>, [met#0]\n"
    )
    found: bool = dbt("_is_row_condition", condition, columns)
    return found


def test_a_projection() -> None:
    assert looks() is True


@pytest.mark.parametrize(
    "line",
    [
        "Aggregate [(max(k#1) > a) AS met#0]",
        "Project [(_we0#5L > 1) AS met#0]\n         +- Window [count(1) windowspecdefinition() AS"
        " _we0#5L]",
        "Project [(k#1 > scalar-subquery#3 []) AS met#0]\n         :  +- Project [a AS b#4]\n"
        "         :     +- OneRowRelation",
        "Project [(x#5 > 1) AS met#0]\n         +- Generate explode(array(1)), false, [x#5]",
        "Project [(k#1 > a) AS met#0]\n         +- Join Cross\n            :- Relation"
        " spark_catalog.shop.t[x#7] parquet",
        "Project [(rand(1) > 0.5) AS met#0]",
        "Project [(a`b#2 > current_timestamp()) AS met#0]",
    ],
)
def test_more_than_a_row(line: str) -> None:
    """Also what changes by itself: the row is not written anew for that."""
    assert looks(PROJECTED.replace("Project [(k#1 > a) AS met#0]", line)) is False


def test_a_wide_view() -> None:
    """The plan leaves out some of its columns; it may leave out nothing of the condition."""
    assert looks(PROJECTED.replace("cast(null as timestamp) AS a`b#2", "... 30 more fields"))
    listed = "Project [k#1 IN (a,b,... 30 more fields) AS met#0]"
    assert not looks(PROJECTED.replace("Project [(k#1 > a) AS met#0]", listed))


def test_what_does_not_analyze() -> None:
    error = "org.apache.spark.sql.catalyst.ExtendedAnalysisException: [UNRESOLVED_COLUMN] ..."
    assert looks(error) is False


def test_a_text_that_may_hide_a_part_of_the_plan() -> None:
    heading = "\n\n== Optimized Logical Plan ==\n"
    assert looks(PROJECTED.replace("> a)", f"> {heading})")) is False


def test_a_type_that_no_query_can_write() -> None:
    odd = [*COLUMNS, {"name": "s", "type": "struct<a b:int>"}]
    dbt = Dbt()
    assert dbt("_is_row_condition", "k > 'a'", odd) is False and not dbt.engine.log


def test_what_is_asked() -> None:
    """A comment at its end hides nothing of the question."""
    dbt = Dbt()
    dbt("_is_row_condition", "k > 'a' -- so", COLUMNS)
    assert dbt.engine.sql("read_explain").endswith(
        "select * from (\nselect (\nk > 'a' -- so\n) as met\nfrom (select cast(null as string) as"
        " `k`, cast(null as timestamp_ltz) as `a``b`)\n) where false"
    )
