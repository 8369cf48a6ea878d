"""What stands beside the changed tables, and need not be the same each time."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.plans import DIMS, EQUAL, FACTS, chain, node, question, tables, tree

DBT = Dbt()
LIMIT = "OPERATOR_NOT_INCREMENTAL: Limit beside a changed table"
SOME = "OPERATOR_NOT_INCREMENTAL: a sum of floats beside a changed table"
FLOATS = f"{SOME} (total)"
FIVE = ("GlobalLimit 5", "LocalLimit 5")
MEAN = "OPERATOR_NOT_INCREMENTAL: a mean beside a changed table (total)"
SUMS = "Aggregate [k#5], [k#5, sum(name#6) AS total#9]"


def beside(
    *texts: str, floats: str = "", changed: str = "facts", types: str = "", **inner: Any
) -> Any:
    """Facts joined with what stands over dims. floats: names of its columns that are doubles."""
    plan = question("id#1L", node(f"Join Inner, {EQUAL}", FACTS, chain(*texts, DIMS), **inner))
    return judged(plan, floats, changed, types)


def judged(
    plan: str, floats: str = "", changed: str = "facts", types: str = "", literal: str | None = None
) -> Any:
    """What becomes of a plan. floats: names of columns that are doubles; types: of the keys;
    literal: one of the query that is a double."""
    moved = [f"spark_catalog.shop.{name}" for name in changed.split()]
    doubles = dict.fromkeys(floats.split(), "double")
    reads = {"plan": plan, "truncated": False, "float_literal": literal}
    reads["columns"] = tables(plan, **doubles)
    return DBT("_nonrepeatable_static_input", tree(DBT, plan), reads, moved, types)


def test_what_takes_other_rows() -> None:
    assert beside(*FIVE) == LIMIT
    assert beside("Offset 5") == LIMIT
    assert beside("Filter (k#5 > 1)") is None
    assert beside(*FIVE, changed="facts dims") is None, "judged where changes climb"


def test_what_the_plan_leaves_out_may_be_a_mean() -> None:
    cut = "OPERATOR_NOT_INCREMENTAL: more columns than the plan prints"
    wide = "Aggregate [k#5], [k#5, max(name#6) AS m#9, ... 24 more fields]"
    assert beside(wide) == cut
    assert beside(wide, changed="facts dims") is None, "judged where changes climb"
    assert beside("Project [k#5, ... 24 more fields]") is None


@pytest.mark.parametrize("name", ["sum", "try_sum", "vector_sum"])
def test_floats_that_are_added_up(name: str) -> None:
    """Whatever becomes of them: a text shows every digit, a comparison asks for the last."""
    text = SUMS.replace("sum", name)
    assert beside(text, floats="name") == FLOATS
    decides = FLOATS if name == "vector_sum" else None
    assert beside(text) == decides, "whole numbers and decimals; vectors are of floats"
    assert beside(text, floats="name", changed="facts dims") is None
    for made in (
        "cast(name#6 as double)",
        "(cast(name#6 as double) / cast(3 as double))",
        "from_json(DoubleType, name#6)",
        "try_divide(name#6, 3)",
        "months_between(name#6, day#8, true, Some(UTC))",
        "PI()",
        "element_at(cast(split(name#6, ,, -1) as array<double>), 1)",
        "cast(name#6 as struct<a:int,b:float>).b",
    ):
        assert beside(text.replace("name#6", made)) == FLOATS
    ranks = "Window [percent_rank() windowspecdefinition(k#5) AS name#6], [k#5]"
    assert beside(text, ranks) == FLOATS
    unknown = FLOATS if decides else SOME
    assert beside(text, types="int double") == unknown, "who knows where it comes from"


def test_a_scalar_subquery_may_give_a_float() -> None:
    """Its number is in no list of the plan."""
    below = "Project [k#5, scalar-subquery#12 [k#5] AS name#6]"
    assert beside(SUMS, below) == FLOATS


CENTS = "(cast(name#6 as double) / cast(100 as double))"


def test_floats_that_an_exact_cast_ends() -> None:
    """Each row has the same digits each time: they are added up exactly, as `cents / 100`."""
    exact = f"cast({CENTS} as decimal(16,2))"
    for made in (
        exact,
        f"coalesce({exact}, cast(0 as decimal(16,2)))",
        f"CASE WHEN (k#5 > 1) THEN {exact} ELSE cast(0 as decimal(16,2)) END",
        "cast(floor(name#6) as bigint)",
    ):
        assert beside(SUMS.replace("name#6", made), floats="name") is None
    for made in (CENTS, f"round({exact} * 2.5, 1) + {CENTS}", f"cast({exact} as float)"):
        assert beside(SUMS.replace("name#6", made)) == FLOATS
    assert beside(SUMS.replace("name#6", "(name#6"), floats="name") == SOME, "no bracket closes"


@pytest.mark.parametrize(("cast", "is_exact"), [("decimal(16,2)", True), ("double", False)])
def test_floats_that_a_staging_view_casts(cast: str, is_exact: bool) -> None:
    staged = f"Project [k#5, cast({CENTS} as {cast}) AS amount#7]"
    for between in ((), ("Project [k#5, amount#7 AS amount#8]",)):
        sums = SUMS.replace("name#6", "amount#8" if between else "amount#7")
        assert beside(sums, *between, staged) == (None if is_exact else FLOATS)
        assert beside(sums, *between, staged, floats="name") == (None if is_exact else FLOATS)


def test_a_sum_whose_result_is_divided() -> None:
    """What is added up are whole numbers; what becomes of their sum is the same each time."""
    text = SUMS.replace("sum(name#6)", f"({CENTS.replace('name#6', 'sum(name#6)')})")
    assert beside(text) is None
    assert beside(text, floats="name") == FLOATS


def test_a_literal_that_is_a_double() -> None:
    """The plan prints 1e-1 as 0.1, and 0.1 too."""
    plan = question("id#1L", node(f"Join Inner, {EQUAL}", FACTS, chain(SUMS, DIMS)))
    assert judged(plan, literal="1e-1") == SOME


@pytest.mark.parametrize(
    "name",
    ["avg", "mean", "try_avg", "vector_avg", "stddev_pop", "variance", "var_samp", "regr_slope"],
)
def test_means(name: str) -> None:
    """Those of whole numbers are doubles that are added up."""
    text = SUMS.replace("sum", name)
    assert beside(text) == MEAN
    assert beside(text, changed="facts dims") is None
    assert beside(SUMS, text) == MEAN
    assert beside(SUMS.replace("name#6", "variant_get(name#6)")) is None


def test_which_columns_are_said() -> None:
    """By their names, where these are words; no more than three."""
    means = "avg(name#6) AS a#9, max(k#5) AS top#10, avg(k#5) AS avg(k)#11"
    assert beside(f"Aggregate [k#5], [k#5, {means}]") == MEAN.replace("total", "a, avg(k)")
    odd = "avg((name#6 + 1)) AS avg((name + 1))#9"
    assert beside(f"Aggregate [k#5], [{odd}]") == MEAN.removesuffix(" (total)")
    many = ", ".join(f"std(name#6) AS s{number}#{number}" for number in range(11, 16))
    assert beside(f"Aggregate [k#5], [{many}]") == MEAN.replace("total", "s11, s12, s13")


def test_they_are_said_as_the_user_calls_them() -> None:
    """Not by the names that stand in for those in the plan."""
    sums = "Aggregate [k#5], [k#5, avg(mview_n0#6) AS avg(mview_n0)#9]"
    dims = "Relation spark_catalog.shop.dims[k#5,mview_n0#6] parquet"
    plan = question("id#1L", node(f"Join Inner, {EQUAL}", FACTS, chain(sums, dims)))
    places = [f"spark_catalog.shop.{name}" for name in ("facts", "dims")]
    reads = {"plan": plan, "truncated": False, "float_literal": None, "columns": tables(plan)}
    reads |= {"occurrences": places, "tables": places, "made": {"price": "mview_n0"}}
    column = {"name": "id", "type": "bigint"}
    found = {"reason": None, "reads": reads, "columns": [column], "names": {"id": "ID"}}
    job = {"columns": [{**column, "name": "ID"}]}
    delta_plan = DBT("_classify_repeatable", {"unique_key": []}, job, found, places[:1])
    assert delta_plan["reason"] == MEAN.replace("total", "avg(price)")


def test_floats_that_nobody_adds_up() -> None:
    assert beside(SUMS, floats="s") is None, "of the changed table, and not used"
    assert beside("Aggregate [k#5], [k#5, max(name#6) AS m#9]", floats="name") is None
    above = node(f"Join Inner, {EQUAL}", FACTS, chain(SUMS, DIMS))
    plan = question("amt#3", above).replace("id#1L", "amt#3")
    assert judged(plan, floats="amt") is None, "the changed table's own"
    filtered = chain("Filter (cast(id#1L as double) > 0.5)", FACTS)
    plan = question("id#1L", node(f"Join Inner, {EQUAL}", filtered, chain(SUMS, DIMS)))
    assert judged(plan) is None
    assert judged(plan, floats="name") == FLOATS


def test_in_a_subquery() -> None:
    query = chain(*FIVE, "Relation spark_catalog.shop.more[k#7,note#8] parquet")
    assert beside("SubqueryAlias d", inner=(query,)) == LIMIT
    query = chain(
        "Aggregate [sum(note#8) AS m#9]", "Relation spark_catalog.shop.more[k#7,note#8] parquet"
    )
    assert beside("SubqueryAlias d", inner=(query,)) is None
    assert beside("SubqueryAlias d", inner=(query,), floats="note") == f"{SOME} (m)"


def test_through_a_cte() -> None:
    define = node("CTERelationDef 0, false", chain("SubqueryAlias c", FACTS))
    main = chain("Aggregate [k#2], [k#2, sum(amt#3) AS x#9]", "CTERelationRef 0, true, [k#2]")
    plan = question("k#2", node("WithCTE", define, main))
    facts = ["spark_catalog.shop.facts"]
    reads = {"plan": plan, "truncated": False, "columns": tables(plan)}
    assert DBT("_nonrepeatable_static_input", tree(DBT, plan), reads, facts) is None


@pytest.mark.parametrize(
    ("above", "decides"),
    [
        ((), False),
        (("Project [k#5, total#9]",), False),
        (("Filter (total#9 > 5.0)",), True),
        (("Filter (k#5 > 1)",), False),
        (("Filter (r#12 = 1)", "Project [k#5, round(total#9, 2) AS r#12]"), True),
        (("Aggregate [total#9], [total#9, max(k#5) AS k#13]",), True),
        (("Window [count(1) windowspecdefinition(total#9) AS n#14], [total#9]",), True),
        (("Distinct",), True),
    ],
)
@pytest.mark.parametrize("changed", ["facts dims", "dims"])
def test_floats_above_one_of_two_changed_tables(above: Any, decides: bool, changed: str) -> None:
    """In the term of the other they are added up anew, and may keep what they did not before."""
    text = SUMS.replace("sum(name#6)", "sum(cast(name#6 as double))")
    beside_one = decides and changed != "dims"
    assert beside(*above, text, changed=changed) == (FLOATS if beside_one else None)
    assert beside(*above, SUMS, changed=changed) is None, "whole numbers"


def test_floats_that_a_join_asks_for() -> None:
    sums = SUMS.replace("sum(name#6)", "avg(name#6)")
    for condition, reason in {"(amt#3 = total#9)": MEAN, EQUAL: None}.items():
        plan = question("id#1L", node(f"Join Inner, {condition}", FACTS, chain(sums, DIMS)))
        assert judged(plan, changed="facts dims") == reason
