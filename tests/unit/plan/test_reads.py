"""What a query reads, taken from the text of its analyzed plan."""

from __future__ import annotations

from typing import Any

import pytest

from tests.corpus.plays import Played

from ..kit.engine import Engine, delta
from ..kit.harness import Dbt


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
    plan = (
        "Join Inner\n"
        ":- SubqueryAlias spark_catalog.db.v\n"
        ":  +- View (`spark_catalog`.`DB`.`v`, [id#1L])\n"
        ":     +- Relation spark_catalog.db.Orders[id#1L,x#2] parquet\n"
        "+- SubqueryAlias spark_catalog.db.customers\n"
        "   +- Relation spark_catalog.db.customers[id#4L] parquet\n"
        "+- Relation spark_catalog.db.orders[id#9L,x#8] parquet"
    )
    assert reads(plan) == {
        "tables": ["spark_catalog.db.orders", "spark_catalog.db.customers"],
        "views": ["spark_catalog.db.v"],
        "occurrences": [
            "spark_catalog.db.orders",
            "spark_catalog.db.customers",
            "spark_catalog.db.orders",
            "spark_catalog.db.v",
        ],
        "other": [],
        "nondeterministic": [],
        "truncated": False,
        "plan": plan + "\n",
        "literals": {},
    }


def test_texts_that_read_like_the_plan() -> None:
    """Others stand for them in what is asked, but where Spark has to know them."""
    engine = Engine()
    engine.explains("id: int", "Project [id#1L]\n+- Relation spark_catalog.db.t[id#1L] parquet")
    dbt = Dbt(engine)
    found = dbt("_reads", "select id from db.t where s = 'x#1' and t = 'y'")
    assert found["literals"] == {"'x#1'": "'mview_text0_'"}
    assert "where s = 'mview_text0_' and t = 'y'\n)" in engine.sql("read_explain")
    engine.explains("id: int", "'Project [*]")
    engine.forget()
    assert dbt("_reads", "select id from db.t where s = 'x#1'")["literals"] == {}
    assert "where s = 'x#1'\n)" in engine.sql("read_explain", 1)


def test_a_heading_in_a_name() -> None:
    """What comes behind it would not be seen."""
    engine = Engine()
    engine.explains("id: int", "Project [a\n== Optimized Logical Plan ==\n#1]\n+- OneRowRelation")
    assert "a text that reads like a plan" in Dbt(engine)("_reads", "select 1")["other"]


@pytest.mark.parametrize(
    ("leaf", "told"),
    [
        ("Relation [id#1L] parquet", "a file read by its path"),
        ("LogicalRDD [id#1L], false", "data of this session"),
    ],
)
def test_a_leaf_that_something_seems_to_stand_below(leaf: str, told: str) -> None:
    engine = Engine()
    engine.explains("id: int", f"Project [id#1L]\n+- {leaf}\n   +- Filter false")
    assert told in Dbt(engine)("_reads", "select 1")["other"]


def test_queries_that_stand_for_tables() -> None:
    plan = (
        "Join Inner\n:- SubqueryAlias t\n"
        ":  +- SubqueryAlias `mview table spark_catalog.db.t`\n"
        ":     +- Project [cast(null as int) AS k#1, cast(null as decimal(10,2)) AS v#2]\n"
        ":        +- OneRowRelation\n"
        "+- Project [1 AS k#3]\n   +- OneRowRelation"
    )
    assert Dbt()("_collapse_tables", plan) == (
        "Join Inner\n:- SubqueryAlias t\n"
        ":  +- Relation spark_catalog.db.t[k#1,v#2] delta\n"
        "+- Project [1 AS k#3]\n   +- OneRowRelation"
    )


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
        ("RelationV2[a#1, b c#2] ice.db.t", ["ice.db.t"], []),
        ("RelationV2[a#1] ice.db.t VERSION AS OF '3'", ["ice.db.t"], []),
        ("RelationV2[a#1] ice.ns1.ns2.t", [], ["ice.ns1.ns2.t"]),
        ("View (`t`, [a#1])\n   +- LocalRelation [a#1]", [], ["t"]),
        ("SomeNewLeaf [a#1]", [], ["SomeNewLeaf"]),
    ],
)
def test_leaves(plan: str, tables: list[str], other: list[str]) -> None:
    found = reads(f"Project [a#1]\n+- {plan}")
    assert (found["tables"], found["other"]) == (tables, other)


@pytest.mark.parametrize("root", ["Relation [a#1] csv", "View (`t`, [a#1])\n+- Range (0, 1)"])
def test_a_leaf_may_be_all(root: str) -> None:
    assert len(reads(root)["other"]) == 1


def test_text_in_a_plan_is_no_leaf() -> None:
    """Spark prints the line breaks of literals as they are."""
    found = reads(
        "Filter (a#1 = x\nRelation spark_catalog.db.no[a#1] parquet\nLogicalRDD [\n+ View (`v`, "
        "\nOther)\n+- Project [a#1, Relation x.y.z[]\n   +- Relation spark_catalog.db.t[a#1] csv"
    )
    assert (found["occurrences"], found["other"]) == (["spark_catalog.db.t"], [])


def test_leaves_of_subqueries_and_of_with() -> None:
    found = reads(
        "WithCTE\n:- CTERelationDef 1, false\n:  +- SubqueryAlias c\n"
        ":     +- Relation spark_catalog.db.a[x#1] parquet\n"
        "+- Project [scalar-subquery#7 [] AS s#8]\n   :  +- Aggregate [max(x#3) AS max(x)#4]\n"
        "   :     +- Relation spark_catalog.db.b[x#3] parquet\n   +- SubqueryAlias c\n"
        "      +- CTERelationRef 1, true, [x#1], false, false"
    )
    assert found["occurrences"] == ["spark_catalog.db.a", "spark_catalog.db.b"]
    assert found["other"] == []


@pytest.mark.parametrize(
    ("expression", "nondeterministic"),
    [
        ("Filter (d#1 > current_date(Some(Etc/UTC)))", ["current_date"]),
        ("Project [current_timestamp() AS t#1]", ["current_timestamp"]),
        ("Project [rand(-5) AS r#1, uuid(Some(4)) AS u#2]", ["rand", "uuid"]),
        ("Project [input_file_name() AS f#1]", ["input_file_name"]),
        ("Project [my_rand(a#1) AS r#1, t.now(1)]", []),
        ("Project [now#1, user#2]", []),
        ("Aggregate [sum(x#1) AS random#2]", []),
        ("Project [SPARK_PARTITION_ID() AS p#1]", ["spark_partition_id"]),
        ("Project [unix_timestamp(t#1, yyyy-MM-dd, Some(UTC), false)]", []),
        ("Project [unix_timestamp(current_timestamp(), x, None)]", ["current_timestamp"]),
        ("Filter (d#1 > cast(Yesterday as date))", ["yesterday"]),
        ("Filter (s#1 = yesterday)", []),
        ("Project [variablereference(system.session.x=1) AS x#1]", ["variablereference"]),
        ("Sample 0.0, 0.1, false, 7", ["Sample"]),
        ("ScriptTransformation cat, [k#1], ScriptInputOutputSchema", ["ScriptTransformation"]),
    ],
)
def test_expressions_that_change_without_data(expression: str, nondeterministic: list[str]) -> None:
    assert reads(f"{expression}\n+- Relation spark_catalog.db.t[a#1] parquet")[
        "nondeterministic"
    ] == (nondeterministic)


def test_a_plan_that_leaves_columns_out_says_so() -> None:
    """What they call is looked for in the text of the query then, see test_functions.py."""
    plan = "Project [a#1, b#2, ... 3 more fields]\n+- Relation spark_catalog.db.t[a#1] parquet"
    assert reads(plan)["truncated"] and not reads(plan)["nondeterministic"]


def test_the_question() -> None:
    """`where false` leaves the optimizer nothing to plan; a comment swallows no bracket."""
    engine = Engine()
    engine.explains("a: int", "Project [a#1]")
    Dbt(engine)("_reads", "select 1 as a -- one")
    assert engine.sql("read_explain").split("\n", 1)[1] == (
        "explain extended\nselect * from (\nselect 1 as a -- one\n) where false"
    )


def test_a_query_that_does_not_analyze_fails_with_the_error_of_the_engine() -> None:
    engine = Engine()
    dbt = Dbt(engine)

    def fail(sql: str) -> None:
        raise RuntimeError("[TABLE_OR_VIEW_NOT_FOUND] x")

    engine.on["read_explain"] = fail
    with pytest.raises(RuntimeError, match="TABLE_OR_VIEW_NOT_FOUND"):
        dbt("_reads", "select * from x")


@pytest.mark.parametrize(("own", "nondeterministic"), [(False, ["_metadata"]), (True, [])])
def test_the_files_of_a_table(own: bool, nondeterministic: list[str]) -> None:
    """Spark prints its hidden column as if it were one of the table's, which it may be."""
    engine = Engine()
    columns = "id bigint,_Metadata int" if own else "id bigint"
    engine.tables["spark_catalog.db.t"] = delta(columns=columns)
    relation = "Relation spark_catalog.db.t[id#1L,_metadata#2] parquet"
    engine.explains("f: string", f"Project [_metadata#2.file_name AS f#3]\n+- {relation}")
    dbt = Dbt(engine)
    assert dbt("_reads", "select 1")["nondeterministic"] == nondeterministic
    engine.explains("id: bigint", "Relation spark_catalog.db.t[id#1L] parquet")
    assert dbt("_reads", "select 1")["nondeterministic"] == []
    assert engine.steps.count("read_describe_query") == 1


def test_a_plan_is_asked_for_again_but_while_all_views_are_explained() -> None:
    """Tables may have other columns by then; mview_explain asks the same of each table alone."""
    asked: list[str] = []

    def answer(sql: str) -> list[str]:
        asked.append(sql)
        return [f"plan {len(asked)}"]

    dbt = Dbt(Played(answer))
    assert [dbt("_explained", "select 1") for _ in range(2)] == ["plan 1", "plan 2"]
    dbt("_memory")["explained"] = {}
    assert [dbt("_explained", "select 1") for _ in range(2)] == ["plan 3", "plan 3"]
    assert dbt("_explained", "select 2") == "plan 4"
