"""What a query reads, taken from the text of its analyzed plan."""

from __future__ import annotations

from typing import Any

import pytest

from ..engine import Engine
from ..harness import Dbt


def reads(analyzed: str) -> Any:
    engine = Engine()
    engine.plan = (
        "== Parsed Logical Plan ==\n'Project [*]\n+- 'UnresolvedRelation [parsed], [], false\n\n"
        f"== Analyzed Logical Plan ==\nid: bigint\n{analyzed}\n\n"
        "== Optimized Logical Plan ==\nRelation spark_catalog.db.optimized[id#1] parquet\n\n"
        "== Physical Plan ==\n*(1) Scan"
    )
    return Dbt(engine)("_reads", "select 1")


def test_tables_views_once_each_in_order() -> None:
    found = reads(
        "Join Inner\n"
        ":- SubqueryAlias spark_catalog.db.v\n"
        ":  +- View (`spark_catalog`.`DB`.`v`, [id#1L])\n"
        ":     +- Relation spark_catalog.db.Orders[id#1L,x#2] parquet\n"
        "+- SubqueryAlias spark_catalog.db.customers\n"
        "   +- Relation spark_catalog.db.customers[id#4L] parquet\n"
        "+- Relation spark_catalog.db.orders[id#9L,x#8] parquet"
    )
    assert found == {
        "tables": ["spark_catalog.db.orders", "spark_catalog.db.customers"],
        "views": ["spark_catalog.db.v"],
        "unstable": [],
        "other": [],
        "places": [
            "spark_catalog.db.orders",
            "spark_catalog.db.customers",
            "spark_catalog.db.orders",
        ],
    }


@pytest.mark.parametrize(
    ("plan", "tables", "other"),
    [
        ("Relation [a#1] csv", [], ["a file read by its path"]),
        ("LogicalRDD [a#1], false", [], ["data of this session"]),
        ("LocalRelation [a#1, b#2]", [], []),
        ("OneRowRelation", [], []),
        ("Range (0, 10, step=1)", [], []),
        (
            "HiveTableRelation [`spark_catalog`.`db`.`t`, org.apache.hadoop.Serde, [a#1]]",
            ["spark_catalog.db.t"],
            [],
        ),
        ("Relation spark_catalog.db.t[a#1,b#2,... 30 more fields] csv", ["spark_catalog.db.t"], []),
    ],
)
def test_leaves(plan: str, tables: list[str], other: list[str]) -> None:
    found = reads(f"Project [a#1]\n+- {plan}")
    assert (found["tables"], found["other"]) == (tables, other)


@pytest.mark.xfail(reason="RelationV2[ is taken for a relation named V2, too")
def test_a_table_of_another_catalog() -> None:
    assert reads("+- RelationV2[a#1] ice.db.t ice.db.t")["tables"] == ["ice.db.t"]


@pytest.mark.parametrize(
    ("expression", "unstable"),
    [
        ("Filter (d#1 > current_date(Some(Etc/UTC)))", ["current_date"]),
        ("Project [current_timestamp() AS t#1]", ["current_timestamp"]),
        ("Project [rand(-5) AS r#1, uuid(Some(4)) AS u#2]", ["rand", "uuid"]),
        ("Project [input_file_name() AS f#1]", ["input_file_name"]),
        ("Project [my_rand(a#1) AS r#1, t.now(1)]", []),
        ("Project [now#1, user#2]", []),
        ("Aggregate [sum(x#1) AS random#2]", []),
    ],
)
def test_expressions_that_change_without_data(expression: str, unstable: list[str]) -> None:
    assert reads(f"{expression}\n+- Relation spark_catalog.db.t[a#1] parquet")["unstable"] == (
        unstable
    )


@pytest.mark.xfail(reason="the name of the operator is not captured")
def test_a_sample_is_named() -> None:
    plan = "Sample 0.0, 0.1, false, 7\n+- Relation spark_catalog.db.t[a#1] parquet"
    assert reads(plan)["unstable"] == ["Sample"]


@pytest.mark.xfail(reason="unix_timestamp of a column depends on that column only")
def test_unix_timestamp_of_a_column_is_stable() -> None:
    assert reads("Project [unix_timestamp(t#1, yyyy-MM-dd, Some(UTC), false)]")["unstable"] == []


@pytest.mark.xfail(reason="EXPLAIN leaves out what exceeds spark.sql.debug.maxToStringFields")
def test_a_truncated_list_of_expressions_is_not_trusted() -> None:
    plan = "Project [a#1, b#2, ... 3 more fields]\n+- Relation spark_catalog.db.t[a#1] parquet"
    assert reads(plan)["unstable"] != []


def test_a_query_that_does_not_analyze_fails_with_the_error_of_the_engine() -> None:
    engine = Engine()
    dbt = Dbt(engine)

    def fail(sql: str) -> None:
        raise RuntimeError("[TABLE_OR_VIEW_NOT_FOUND] x")

    engine.on["read_explain"] = fail
    with pytest.raises(RuntimeError, match="TABLE_OR_VIEW_NOT_FOUND"):
        dbt("_reads", "select * from x")
