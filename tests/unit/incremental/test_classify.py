"""The exact way to follow the changes, or the reason why there is none."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ..kit.engine import Delta, View, delta
from ..kit.harness import Dbt, DbtError, Model
from ..kit.plans import DIMS, FACTS, GROUPED, MORE, RANKED, chain, columns, node, question
from ..kit.records import as_delta_plan, as_job, as_reason, as_said, as_spec
from ..kit.scenes import (
    FEED,
    SOURCE,
    VIEW,
    built,
    change_source,
    changed,
    of_rows,
    small,
    with_feed,
)

# The exact way to follow the changes, or the reason why there is none.


DIMS_NAME = "spark_catalog.shop.dims"


def job_of(dbt: Dbt) -> dict[str, Any]:
    job: dict[str, Any] = dbt("_memory")["jobs"][dbt.models[0].unique_id]
    return job


def refresh(dbt: Dbt) -> tuple[str, Any]:
    """Runs the view: its message, and the delta plan that was found."""
    (result,) = dbt.run()
    assert result.status == "success", result.message
    return result.message, job_of(dbt)["fast"]


def changed_query(**config: Any) -> Dbt:
    dbt = with_feed(built(Model(config=config)))
    change_source(dbt)
    return dbt


def test_found() -> None:
    dbt = changed_query()
    message, delta_plan = refresh(dbt)
    assert message == "FAST v1, 6 rows: shop.orders v2 -> v3 (aggregate delta, 10 changed rows)"
    assert (delta_plan["strategy"], delta_plan["keys"]) == ("aggregate delta", ["customer"])
    assert [(term["sign"], term["bound"]) for term in delta_plan["terms"]] == [(1, True)]
    assert delta_plan["changes"][0]["columns"][0]["name"] == "customer"


def not_fast(dbt: Dbt) -> str:
    message, delta_plan = refresh(dbt)
    assert delta_plan is None and message.startswith("COMPLETE")
    return message.partition("; not FAST: ")[2]


@pytest.mark.parametrize(
    ("audit", "over_all"),
    [
        ("total > 0", None),
        (["total > 0", "sum(total)\n > 0 -- all"], "sum(total) > 0 -- all"),
        ("f(total) > 0", "f(total) > 0"),
        ("first(total) > 0", "first(total) > 0"),
    ],
)
def test_audits(audit: Any, over_all: str | None) -> None:
    """Those of single rows are decided by the rows that are written."""
    dbt = changed_query(audit=audit)
    if over_all:
        assert not_fast(dbt) == f"AUDIT_OVER_ALL_ROWS: {over_all}"
    else:
        assert refresh(dbt)[0].startswith("FAST v1")
        assert job_of(dbt)["asserted"] == [audit]


def test_a_function_that_is_not_known() -> None:
    sql = "select customer, sum(f(amount)) as total from shop.orders group by customer"
    dbt = with_feed(built(Model(sql=sql)))
    change_source(dbt)
    assert not_fast(dbt) == "UDF_NOT_DETERMINISTIC: f"


def test_a_moment_in_the_query() -> None:
    sql = "select customer, max(unix_micros(current_timestamp())) as total from shop.orders"
    dbt = with_feed(built(Model(sql=sql)))
    change_source(dbt)
    message, delta_plan = refresh(dbt)
    assert delta_plan is None
    assert message == "COMPLETE v1, 3 rows: EXPRESSION_NOT_DETERMINISTIC: current_timestamp"


def test_a_definition_that_changed_is_said_once() -> None:
    sql = "select customer, sum(2 * amount) as total from shop.orders group by customer"
    dbt = with_feed(built(model=Model(sql=sql)))
    assert refresh(dbt) == ("COMPLETE v1, 3 rows: DEFINITION_CHANGED", None)


@pytest.mark.parametrize("operation", ["DELETE", "WRITE"])
def test_a_view_that_somebody_changed(operation: str) -> None:
    dbt = changed_query()
    dbt.engine.tables["spark_catalog.shop.totals"].commit(700, operation)
    message, delta_plan = refresh(dbt)
    assert delta_plan is None
    assert message.endswith(f"TARGET_CHANGED: {operation} by somebody else in version 1")


def test_properties_that_changed() -> None:
    """They come by ALTER, so that the view is what FAST goes on from."""
    dbt = with_feed(built(model=Model(config={"tblproperties": {"a": "1"}})))
    change_source(dbt)
    message, delta_plan = refresh(dbt)
    assert message.startswith("FAST v1, 6 rows: configuration changed: tblproperties (aggregate")
    assert delta_plan["strategy"] == "aggregate delta"


def test_columns_that_changed() -> None:
    dbt = changed_query()
    dbt.engine.columns = [*dbt.engine.columns, ("more", "int")]
    assert not_fast(dbt) == "SCHEMA_CHANGED: new: more int"
    dbt = changed_query()
    dbt.engine.columns = dbt.engine.columns[::-1]
    assert not_fast(dbt) == "SCHEMA_CHANGED: the order of columns"


@pytest.mark.parametrize("rows", [False, True], ids=["no row", "rows"])
def test_columns_of_a_source_that_changed(rows: bool) -> None:
    """Even where no row came or went; a comment is no such change."""
    for was, told in [("bigint", ""), ("int", "SCHEMA_CHANGED: shop.orders")]:
        dbt = with_feed(built())
        source = dbt.engine.tables[SOURCE]
        source.columns = [("customer", "string"), ("amount", "bigint")]
        source.older_columns[2] = [("customer", "string"), ("amount", was)]
        source.commit(40, "CHANGE COLUMN")
        if rows:
            change_source(dbt)
        message, delta_plan = refresh(dbt)
        assert message.partition("; not FAST: ")[2] == told
        assert (delta_plan is None) is bool(told)


def test_columns_that_are_cast_or_gone() -> None:
    """Keys that differ in the query may be equal in the view."""
    dbt = changed_query(on_schema_change="ignore")
    dbt.engine.columns = [("customer", "string"), ("total", "decimal(10,2)")]
    assert not_fast(dbt) == "SCHEMA_CHANGED: on_schema_change keeps total as it was"
    dbt = changed_query(on_schema_change="append_new_columns")
    dbt.engine.columns = dbt.engine.columns[:1]
    assert not_fast(dbt) == "SCHEMA_CHANGED: on_schema_change keeps total as it was"


def test_columns_in_another_order() -> None:
    """The view keeps its own, if it does not follow its query."""
    dbt = changed_query(on_schema_change="fail")
    dbt.engine.columns = [("Total", "bigint"), ("customer", "string")]
    dbt.engine.explains(
        "total: bigint, customer: string",
        question(
            "Total#3L, customer#1",
            "Aggregate [customer#1], [sum(amount#2) AS Total#3L, customer#1]",
            f"Relation {SOURCE}[customer#1,amount#2] parquet",
        ),
    )
    _, delta_plan = refresh(dbt)
    assert (delta_plan["keys"], delta_plan["values"]) == (["customer"], {"total": "sum"})


def test_a_literal_that_reads_like_the_plan() -> None:
    """Another one stands for it in what the engine is asked; the terms have the user's own."""
    sql = "select customer, sum(if(x = '(', 1, 0)) as total from shop.orders group by customer"
    dbt = with_feed(built(Model(sql=sql)))
    change_source(dbt)
    _, delta_plan = refresh(dbt)
    assert (
        delta_plan["strategy"] == "aggregate delta" and "x = '('" in delta_plan["terms"][0]["sql"]
    )
    asked = [one.sql for one in dbt.engine.log if one.step == "read_explain"]
    assert asked and all("x = 'mview_text0_'" in one for one in asked)


def test_a_literal_of_a_view_counts_as_well() -> None:
    """The plan shows the text of views, too: it is asked for once more, with that in place."""
    text = "select customer, amount as total from shop.orders where customer <> '#1'"
    view = View(text, [("customer", "string"), ("total", "bigint")])
    name = "spark_catalog.shop.stg"
    dbt = built(
        Model(sql="select customer, sum(total) as total from shop.orders group by customer")
    )
    dbt.engine.tables[name] = view
    dbt.models[0].sql = "select customer, sum(total) as total from shop.stg group by customer"
    dbt.engine.reads(SOURCE, views=(name,))
    dbt.run()
    again = Dbt(with_feed(dbt).engine, dbt.models[0], invocation_id="next")
    change_source(again)
    again.engine.forget()
    assert not_fast(again) == "OPERATOR_NOT_INCREMENTAL: a plan that is not understood"
    asked = [one.sql for one in again.engine.log if one.step == "read_explain"]
    assert "customer <> 'mview_text0_'" in asked[1] and "as mview_result (mview_c0," in asked[1]


def test_a_view_that_casts_is_not_its_column() -> None:
    text = "select customer, amount as total from shop.orders"
    view = View(text, [("customer", "string"), ("total", "bigint")])
    name = "spark_catalog.shop.stg"
    sql = "select customer, sum(total) as total from shop.stg group by customer"
    dbt = built(Model(sql=sql.replace("stg", "orders")))
    dbt.engine.tables[name] = view
    dbt.engine.described[text] = [("customer", "string"), ("total", "decimal(20,2)")]
    dbt.models[0].sql = sql
    dbt.engine.reads(SOURCE, views=(name,))
    dbt.run()
    again = Dbt(with_feed(dbt).engine, dbt.models[0], invocation_id="next")
    change_source(again)
    assert not_fast(again) == "SCHEMA_CHANGED: the view shop.stg was made when total was bigint"


def test_no_row_came_or_went() -> None:
    """Whatever the query is: the view is what it was."""
    dbt = with_feed(built())
    dbt.engine.reads(SOURCE, extra="GlobalLimit 5")
    dbt.engine.tables[SOURCE].commit(40, "OPTIMIZE")
    message, delta_plan = refresh(dbt)
    assert message == "FAST v0, 0 rows: shop.orders v2 -> v3 (no changed rows)"
    assert delta_plan["strategy"] == "nothing" and "publish" not in dbt.engine.steps


@pytest.mark.parametrize("config", [{}, {"refresh": "fast"}])
def test_a_failure_before_with_nothing_new(config: Any) -> None:
    dbt = built(Model(config=config))
    dbt.engine.state("spark_catalog.shop.totals", last_refresh_result="failed")
    message, _ = refresh(dbt)
    assert message == "FAST v0, 0 rows: the last refresh failed (no changed rows)"


def joined(
    kind: str, words: str = "join", where: str = "", over: tuple[str, ...] = (), **config: Any
) -> Dbt:
    """Orders and dims, both with a feed. where: the plan's filter, if there is one; over: what
    stands over dims in the plan."""
    sql = f"select o.customer, d.total from shop.orders o {words} shop.dims d on o.k = d.k"
    dbt = built(Model(sql=sql + (" where d.k > 1" if where else ""), config=config))
    plan = question(
        "customer#1, total#5L",
        "Project [customer#1, total#5L]",
        *([where] if where else []),
        node(
            f"Join {kind}, (k#2 = k#4)",
            f"Relation {SOURCE}[customer#1,k#2] parquet",
            chain(*over, f"Relation {DIMS_NAME}[k#4,total#5L] parquet"),
        ),
    )
    dbt.engine.tables[DIMS_NAME] = delta(1, 2, columns="k int,total bigint")
    turned = plan.replace(kind, "Inner")
    opened = re.sub("Filter (.*)", "Filter ((1000000 = 1000000) OR \\1)", plan) if where else None
    dbt.engine.explains("customer: string, total: bigint", plan, turned, opened)
    dbt.engine.state("spark_catalog.shop.totals", definition_hash=None)
    dbt.run()
    for name in (SOURCE, DIMS_NAME):
        dbt.engine.tables[name].properties.update(FEED)
    return Dbt(dbt.engine, dbt.models[0], invocation_id="next")


def dims(dbt: Dbt) -> Delta:
    table: Delta = dbt.engine.tables[DIMS_NAME]
    return table


def test_a_commit_without_rows_on_the_other_side() -> None:
    """A side that is not linear may be compacted."""
    dbt = joined("FullOuter", "full join")
    change_source(dbt)
    lacks = "the result lacks coalesce(k, k) of the full join"
    assert not_fast(dbt) == f"OPERATOR_NOT_INCREMENTAL: {lacks}"
    dbt = joined("LeftSemi", "left semi join")
    change_source(dbt)
    dims(dbt).commit(41, "OPTIMIZE")
    was = len(dims(dbt).commits) - 2
    message, delta_plan = refresh(dbt)
    assert message.startswith("FAST") and len(delta_plan["terms"]) == 1
    (term,) = delta_plan["terms"]
    assert f"shop.dims version as of {was + 1}" in term["sql"], "the one that was pinned"
    dbt = joined("LeftSemi", "left semi join")
    dims(dbt).commit(41, "DELETE", numDeletedRows=1)
    message, delta_plan = refresh(dbt)
    assert message.startswith("FAST") and delta_plan["strategy"] == "affected keys"
    assert [term["sign"] for term in delta_plan["terms"]] == [-1], "by the rows that matched"


def test_the_optional_side() -> None:
    dbt = joined("LeftOuter", "left join")
    dims(dbt).commit(41, "DELETE", numDeletedRows=1)
    message, delta_plan = refresh(dbt)
    assert "(affected keys, 1 changed rows)" in message
    assert (delta_plan["keys"], delta_plan["one_row"]) == (["customer"], False)
    (term,) = delta_plan["terms"]
    assert " inner join (" in term["sql"] and (term["sign"], term["bound"]) == (-1, True)


def test_both_sides_of_an_outer_join() -> None:
    dbt = joined("LeftOuter", "left join")
    change_source(dbt)
    dims(dbt).commit(41, "DELETE", numDeletedRows=1)
    _, delta_plan = refresh(dbt)
    assert [" left join " in term["sql"] for term in delta_plan["terms"]] == [True, False]
    dbt = joined("LeftOuter", "left join")
    change_source(dbt)
    assert refresh(dbt)[1]["strategy"] == "row delta", "the preserved side alone is linear"


def test_why_the_optional_side_is_not_followed() -> None:
    """What is on it may be filtered, but not exploded."""
    dbt = joined("LeftOuter", "left join", "Filter (k#4 > 1)")
    dims(dbt).commit(41, "DELETE", numDeletedRows=1)
    message, delta_plan = refresh(dbt)
    assert "(affected keys, 1 changed rows)" in message and delta_plan["relaxed"] == {
        f"{DIMS_NAME} 0": [0]
    }
    dbt = joined("LeftOuter", "left join", "Generate explode(a#9), true, [x#8]")
    dims(dbt).commit(41, "DELETE", numDeletedRows=1)
    assert not_fast(dbt) == "OPERATOR_NOT_INCREMENTAL: Generate"
    dbt = joined("LeftOuter", "left join", unique_key="total")
    dims(dbt).commit(41, "DELETE", numDeletedRows=1)
    assert not_fast(dbt) == "UNIQUE_KEY_OVER_ALL_ROWS: total; changes are followed by customer"


def test_both_sides() -> None:
    dbt = joined("Inner")
    change_source(dbt)
    dims(dbt).commit(41, "DELETE", numDeletedRows=1)
    message, delta_plan = refresh(dbt)
    assert "(row delta, 11 changed rows)" in message
    assert [term["sign"] for term in delta_plan["terms"]] == [1, -1]


@pytest.mark.parametrize(
    ("over", "where", "told"),
    [
        (("GlobalLimit 5", "LocalLimit 5"), "", "Limit beside a changed table"),
        (
            ("Aggregate [k#4], [k#4, avg(total#9) AS total#5L]",),
            "",
            "a mean beside a changed table (total)",
        ),
        (("Aggregate [k#4], [k#4, sum(total#9) AS total#5L]",), "", None),
        (
            ("Aggregate [k#4], [k#4, sum(total#9) AS total#5L]",),
            " and 1e-1 < d.k",
            "a sum of floats beside a changed table",
        ),
    ],
)
def test_what_stands_beside_is_looked_at(
    over: tuple[str, ...], where: str, told: str | None
) -> None:
    dbt = joined("Inner", over=over)
    dbt.models[0].sql += where
    dbt.engine.state("spark_catalog.shop.totals", definition_hash=None)
    dbt.run()
    dbt = Dbt(dbt.engine, dbt.models[0], invocation_id="later")
    change_source(dbt)
    message, _ = refresh(dbt)
    reason = f"OPERATOR_NOT_INCREMENTAL: {told}" if told else ""
    assert message.partition("; not FAST: ")[2] == reason


def test_a_key_that_is_a_double_may_come_of_a_sum_beside() -> None:
    dbt = joined("Inner", over=("Aggregate [k#4], [k#4, sum(total#9) AS total#5L]",))
    dbt.engine.columns = [("customer", "string"), ("total", "double")]
    dbt.engine.tables["spark_catalog.shop.totals"].columns = dbt.engine.columns
    change_source(dbt)
    assert "a sum of floats beside a changed table" in not_fast(dbt)


def test_a_place_that_takes_no_subquery() -> None:
    sql = "select shop.orders.customer, total from shop.orders"
    dbt = of_rows(with_feed(built(Model(sql=sql))))
    change_source(dbt)
    assert not_fast(dbt) == "SOURCE_NOT_BOUND: a subquery does not fit"


def test_the_first_build_of_a_strict_view_is_judged_by_its_query() -> None:
    dbt = built()
    dbt.engine.states.clear()
    del dbt.engine.tables["spark_catalog.shop.totals"]
    strict = Dbt(dbt.engine, Model(config={"refresh": "fast"}))
    message, delta_plan = refresh(strict)
    assert (message, delta_plan) == ("COMPLETE v0, 3 rows: first build", None)
    dbt.engine.states.clear()
    del dbt.engine.tables["spark_catalog.shop.totals"]
    dbt.engine.explains(
        "x: int", question("customer#1", "GlobalLimit 5", f"Relation {SOURCE}[customer#1] parquet")
    )
    (result,) = Dbt(dbt.engine, Model(config={"refresh": "fast"})).run()
    assert "this refresh cannot be: OPERATOR_NOT_INCREMENTAL: Limit" in result.message
    assert "spark_catalog.shop.totals" not in dbt.engine.tables


# How a query can follow changes of some of its tables.


DBT = Dbt()
THREE = columns("k int; n bigint; total decimal(20,2)")
JOINED = node("Join Inner, (k#2 = k#5)", FACTS, DIMS)
ITEMS = "k#2, n#10L, total#11"


def delta_plan(plan: str, names: Any, *changed: str, **reads: Any) -> dict[str, Any]:
    tables = ("facts", "dims", "more")
    occurrences = [
        f"spark_catalog.shop.{name}" for name in tables for _ in range(plan.count(f".{name}["))
    ]
    facts = {"plan": plan, "occurrences": occurrences, **reads}
    names_ = [f"spark_catalog.shop.{name}" for name in changed]
    return as_said(DBT("_classify", facts, names, names_))


def test_aggregate() -> None:
    found = delta_plan(question(ITEMS, GROUPED, "Project [k#2, amt#3]", JOINED), THREE, "facts")
    assert (found["strategy"], found["keys"]) == ("aggregate delta", ["k"])
    assert found["zero_delta"] == {"spark_catalog.shop.facts 0": []}


def test_keyed() -> None:
    found = delta_plan(question("k#2, id#1L", RANKED, FACTS), columns("k int; id bigint"), "facts")
    assert (found["strategy"], found["keys"]) == ("affected keys", ["k"])
    found = delta_plan(
        question("k#2", "Distinct", "Project [k#2]", FACTS), columns("k int"), "facts"
    )
    assert (found["strategy"], found["keys"], found["one_row"]) == ("affected keys", ["k"], True)


def test_append() -> None:
    plan = question("k#2, name#6", "Project [k#2, name#6]", JOINED)
    found = delta_plan(plan, columns("k int; name string"), "facts", "dims")
    assert (found["strategy"], found["keys"]) == ("row delta", ["k", "name"])


def test_what_does_not_change_may_stand_anywhere() -> None:
    plan = question("k#2", node("Join LeftOuter, (k#2 = k#5)", FACTS, node("GlobalLimit 5", DIMS)))
    assert delta_plan(plan, columns("k int"), "facts")["strategy"] == "row delta"
    assert delta_plan(plan, columns("k int"), "facts", "dims") == {
        "reason": "OPERATOR_NOT_INCREMENTAL: Limit"
    }


def test_both_sides_of_a_self_join() -> None:
    plan = question(ITEMS, GROUPED, node("Join Inner, (k#2 = k#5)", FACTS, FACTS))
    assert set(delta_plan(plan, THREE, "facts")["zero_delta"]) == {
        "spark_catalog.shop.facts 0", "spark_catalog.shop.facts 1"
    }  # fmt: skip


def test_emptied_branches() -> None:
    plan = question(ITEMS, GROUPED, node("Union false, false", FACTS, DIMS, FACTS))
    assert delta_plan(plan, THREE, "facts")["zero_delta"] == {
        "spark_catalog.shop.facts 0": ["spark_catalog.shop.dims 0", "spark_catalog.shop.facts 1"],
        "spark_catalog.shop.facts 1": ["spark_catalog.shop.facts 0", "spark_catalog.shop.dims 0"],
    }
    limited = question(
        ITEMS, GROUPED, node("Union false, false", FACTS, node("GlobalLimit 5", DIMS))
    )
    assert delta_plan(limited, THREE, "facts")["reason"]["detail"] == "UNION ALL with GlobalLimit"


def test_a_table_that_stands_over_the_groups_of_another() -> None:
    plan = question(ITEMS, node("Join Inner", node(GROUPED, FACTS), DIMS))
    assert (
        delta_plan(plan, THREE, "facts")["reason"] == "AGGREGATE_NOT_TOP_NODE: Join over Aggregate"
    )
    assert delta_plan(plan, THREE, "dims")["strategy"] == "row delta"


def test_changes_below_two_aggregates() -> None:
    other = "Aggregate [k#7], [k#7, count(1) AS m#20L]"
    plan = question(ITEMS, chain(GROUPED, node("Join Inner", FACTS, node(other, MORE))))
    assert delta_plan(plan, THREE, "facts")["strategy"] == "aggregate delta"
    both = delta_plan(plan, THREE, "facts", "more")
    assert both == {"reason": "AGGREGATE_NOT_TOP_NODE: Join over Aggregate"}


def test_no_change_that_is_seen() -> None:
    plan = question(ITEMS, GROUPED, FACTS)
    assert delta_plan(plan, THREE)["reason"] == "INPUT_NOT_IN_DELTA: the query reads no table"
    occurrences = ["spark_catalog.shop.facts"] * 2
    assert delta_plan(plan, THREE, "facts", occurrences=occurrences) == {
        "reason": "SOURCE_NOT_BOUND: spark_catalog.shop.facts"
    }


def cut(plan: str, operator: str) -> str:
    """The plan with a list of one operator as Spark prints it beyond 25 columns."""
    assert f"{operator} [" in plan
    return plan.replace(f"{operator} [", f"{operator} [... 9 more fields, ", 1)


def test_columns_that_the_plan_leaves_out() -> None:
    reason = "OPERATOR_NOT_INCREMENTAL: more columns than the plan prints"
    grouped = question(ITEMS, GROUPED, "Project [k#2, amt#3]", FACTS)
    ranked = question("k#2, id#1L", RANKED, FACTS)
    assert delta_plan(cut(grouped, "Aggregate"), THREE, "facts")["reason"] == reason
    assert delta_plan(cut(grouped, "Project"), THREE, "facts")["reason"] == reason
    assert delta_plan(cut(ranked, "Window"), THREE, "facts")["reason"] == reason
    distinct = cut(question("k#2", "Distinct", FACTS), "Project")
    found = delta_plan(distinct, columns("k int"), "facts")
    assert (found["reason"], found["one_row"]) == (None, False)


def test_columns_below_the_core_do_not_matter() -> None:
    grouped = question(ITEMS, GROUPED, "Project [k#2, amt#3]", FACTS)
    top, below = grouped.split("Aggregate [", 1)
    wide = top + "Aggregate [" + below.replace("Project [", "Project [... 9 more fields, ")
    assert delta_plan(wide, THREE, "facts")["reason"] is None


# What speaks against an exact way all the same.


PLAIN = as_spec({"mview_id": "c.s.v", "layout": {"partition_by": []}})
JOB: dict[str, Any] = {"columns": [], "spec": {"stored": None}, "sources": []}


def why(strategy: str, keys: list[str], unique: list[str], *, one_row: bool = True) -> Any:
    spec = {**PLAIN, "unique_key": unique, "refresh": "fast"}
    delta_plan = as_delta_plan({"strategy": strategy, "keys": keys, "one_row": one_row})
    return DBT("_why_not_fast", spec, JOB, delta_plan, False)


@pytest.mark.parametrize(
    ("strategy", "keys", "unique", "one_row", "fine"),
    [
        ("aggregate delta", ["k"], [], True, True),
        ("aggregate delta", ["K", "s"], ["k", "S"], True, True),
        ("aggregate delta", ["k"], ["k", "n"], True, True),
        ("aggregate delta", ["k", "s"], ["k"], True, True),
        ("aggregate delta", ["k", "s"], ["k", "n"], True, False),
        ("aggregate delta", ["k"], ["n"], True, False),
        ("aggregate delta", [], ["n"], True, True),
        ("affected keys", ["k"], ["k"], False, True),
        ("affected keys", ["K"], ["k", "n"], False, True),
        ("affected keys", ["k", "s"], ["k"], False, False),
        ("affected keys", ["k"], ["n"], False, False),
        ("affected keys", [], ["n"], False, False),
        ("affected keys", ["k"], ["k"], True, True),
        ("row delta", ["k", "s"], ["n"], False, True),
        ("nothing", [], ["n"], False, True),
    ],
)
def test_unique_key(strategy: str, keys: Any, unique: Any, one_row: bool, fine: bool) -> None:
    found = why(strategy, keys, unique, one_row=one_row)
    by = f"; changes are followed by {', '.join(keys)}" if keys else ""
    assert found == (None if fine else f"UNIQUE_KEY_OVER_ALL_ROWS: {', '.join(unique)}{by}")


def test_what_writes_nothing_breaks_nothing() -> None:
    """The value of a subquery stays, whatever changed in its table: no rule is asked for."""
    spec = {**PLAIN, "audit": ["sum(n) < 5"], "unique_key": ["n"], "refresh": "auto"}
    change = {"relation": "c.s.t", "rows": None, "deletes": True, "large_vectors": True}
    delta_plan = DBT("_empty_delta_plan", [change])
    assert DBT("_why_not_fast", spec, JOB, delta_plan, False) is None


def test_only_auto_asks_what_it_costs() -> None:
    spec = {**PLAIN, "refresh": "auto"}
    change = {"relation": "c.s.t", "rows": None, "deletes": True}
    delta_plan = as_delta_plan({"strategy": "row delta", "keys": ["k"], "changes": [change]})
    costly = "TOO_MANY_CHANGES: s.t was overwritten"
    assert DBT("_why_not_fast", spec, JOB, delta_plan, False) == costly
    assert DBT("_why_not_fast", spec, JOB, delta_plan, True) is None
    assert DBT("_why_not_fast", {**spec, "refresh": "fast"}, JOB, delta_plan, False) is None


@pytest.mark.parametrize("refresh", ["auto", "fast"])
def test_deletion_vectors_that_delta_cannot_read(refresh: str) -> None:
    """FAST is tried where the user insists: not all that is large fails."""
    spec = {**PLAIN, "refresh": refresh}
    change = {"relation": "c.s.t", "rows": 1, "large_vectors": True}
    delta_plan = as_delta_plan({"strategy": "row delta", "keys": ["k"], "changes": [change]})
    reason = "DELETION_VECTORS_TOO_LARGE: s.t" if refresh == "auto" else None
    assert DBT("_why_not_fast", spec, JOB, delta_plan, False) == reason


# The error of `refresh: fast`.


TOLD = "this refresh cannot be: PARTITION_VALUE_NOT_KEPT: customer."


def refused_after_staging() -> Dbt:
    dbt = small(changed(partition_by="customer", refresh="fast"))
    dbt.engine.bounds = ["a", "z", 1]
    return dbt


def test_the_error() -> None:
    with pytest.raises(DbtError) as error:
        Dbt()("_raise_not_fast", {"mview_id": "c.s.v"}, as_job({}), as_reason("SOME_X: y"))
    assert str(error.value) == (
        "dbt_mview: c.s.v: refresh is 'fast' and this refresh cannot be: SOME_X: y. Set refresh to"
        " 'auto', or run once with --full-refresh."
    )


def test_an_operation_leaves_nothing_behind() -> None:
    """It has no end hook."""
    dbt = refused_after_staging()
    with pytest.raises(DbtError, match=TOLD):
        dbt.operation("mview_refresh", view="totals")
    row = dbt.engine.states[VIEW]
    assert (row["lock_owner"], row["intent"], row["last_refresh_result"]) == (None, None, "failed")
    assert TOLD in row["last_refresh_failed_reason"]
    assert not [name for name in dbt.engine.tables if "mview_stage_" in name]
    assert dbt.engine.steps[-3:] == ["sweep", "record", "record"]


def test_a_run_leaves_it_to_its_end() -> None:
    dbt = refused_after_staging()
    (result,) = dbt.run()
    assert TOLD in result.message
    assert dbt.engine.states[VIEW]["lock_owner"] is None
    assert dbt.engine.steps.count("record") == 2


@pytest.mark.parametrize("job", [{"token": None, "dry_run": False}, {"token": 3, "dry_run": True}])
def test_what_holds_no_lock_writes_nothing(job: dict[str, Any]) -> None:
    dbt = Dbt()
    with pytest.raises(DbtError, match=r"cannot be: SOME_WHY\. Set refresh to 'auto'"):
        dbt(
            "_raise_not_fast",
            {"mview_id": VIEW},
            {"record_now": True, **job},
            as_reason("SOME_WHY"),
        )
    assert dbt.engine.log == []
