"""mview_explain without a view: which views can be FAST, what keeps the others from it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from ..kit.harness import Dbt, DbtError, Model
from ..kit.records import as_delta_plan
from ..kit.scenes import SOURCE, VIEW, again, built, new, with_feed

COUNTS = "select customer, count(*) as total from {{ ref('totals') }} group by customer"
AFTER = Model(
    "counts",
    sql=COUNTS.replace("{{ ref('totals') }}", "shop.totals"),
    raw_code="{{ config(materialized='mview') }}" + COUNTS,
    parents=["model.shop.totals"],
)
OF_STAND_IN = """Project [mview_c0#8, mview_c1#9L]
+- Filter false
   +- Project [customer#1 AS mview_c0#8, total#3L AS mview_c1#9L]
      +- Aggregate [customer#1], [customer#1, count(1) AS total#3L]
         +- SubqueryAlias `mview table spark_catalog.shop.totals`
            +- Project [cast(null as string) AS customer#1, cast(null as bigint) AS total#2L]
               +- OneRowRelation"""


def explain(dbt: Dbt, **args: Any) -> list[str]:
    """Its lines; it changes nothing."""
    before = copy.deepcopy((dbt.engine.states, dbt.engine.tables))
    lines = dbt.operation("mview_explain", **args)
    assert dbt.engine.writes == []
    assert (dbt.engine.states, dbt.engine.tables) == before
    return lines


def one(dbt: Dbt) -> dict[str, Any]:
    """What is told of the only view."""
    (view,) = views(dbt)
    return view


def views(dbt: Dbt) -> list[dict[str, Any]]:
    (line,) = explain(dbt, format="json")
    found: list[dict[str, Any]] = json.loads(line.removeprefix("explained: "))["views"]
    return found


def test_a_view_that_can_be_fast() -> None:
    """Without pending changes; what it saves is what its last refreshes took."""
    dbt = with_feed(built())
    took = {"last": [["fast", 10, 3.0], ["complete", 0, 12.5]], "complete": 12.5}
    dbt.engine.states[VIEW]["spec"]["took"] = took
    head, line, blank, told = explain(dbt)
    assert head.split() == "view FAST how, or why not COMPLETE FAST took saves".split()
    assert line.split("  ")[0] == "shop.totals"
    assert "yes   aggregate delta by customer" in line
    assert line.split()[-6:] == ["12.5", "s", "3.0", "s", "9.5", "s"]
    assert blank == ""
    assert told == ("1 of 1 views can be FAST, 0 more after changes of some of their sources.")


@pytest.mark.parametrize("way", ["fast", "compared", "dated"])
def test_each_way_of_fast_saves(way: str) -> None:
    dbt = with_feed(built())
    dbt.engine.states[VIEW]["spec"]["took"] = {"last": [[way, 10, 3.0], ["complete", 0, 12.5]]}
    found = one(dbt)
    assert (found["last_fast"], found["saves"]) == (3.0, 9.5)


def test_what_keeps_a_view_from_it_and_the_way_out() -> None:
    dbt = built()
    _, line, _, told, way = explain(dbt)
    assert (
        "no    CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders (alter table shop.orders"
        " set tblproperties ('delta.enableChangeDataFeed' = 'true'))"
    ) in line
    assert told.endswith(
        "0 of 1 views can be FAST, 0 more after changes of some of their sources."
        " What would help the others:"
    )
    assert way.startswith("  shop.totals: Switch the source's change data feed on, as the reason")


def test_what_switches_each_feed_on() -> None:
    """Said once for what is switched on in the same way."""
    dbt = Dbt(
        None,
        Model("t", materialized="table"),
        Model("codes", materialized="seed"),
        Model("v", config={"materialized": "mview"}),
    )
    off = dbt("_reason", "CHANGE_DATA_UNAVAILABLE", "no change data feed", ["feed_is_off"])
    names = [f"spark_catalog.shop.{name}" for name in ("a", "b", "t", "codes", "v")]
    found = dbt("_why_lost", {**dict.fromkeys(names, off), "c.s.n": dbt("_reason", "OTHER_CODE")})
    altered = "alter table {} set tblproperties ('delta.enableChangeDataFeed' = 'true')".format
    assert dbt("_reason_text", found) == (
        f"CHANGE_DATA_UNAVAILABLE: no change data feed: shop.a, shop.b ({altered('...')}), shop.t"
        " (tblproperties: {delta.enableChangeDataFeed: true} in its model), shop.codes (post_hook"
        f" of the seed: {altered('shop.codes')}), shop.v (change_feed: true in its model, from its"
        " next refresh on)"
    )
    parquet = {"c.s.n": dbt("_reason", "INPUT_NOT_IN_DELTA"), names[0]: off}
    assert dbt("_reason_text", dbt("_why_lost", parquet)) == "INPUT_NOT_IN_DELTA: s.n"


def test_each_view_takes_few_statements() -> None:
    dbt = with_feed(built())
    explain(dbt)
    alone = len(dbt.engine.log)
    more = again(dbt, Model(), Model("sums"), Model("means"))
    explain(more)
    assert len(more.engine.log) - alone <= 2 * 3 + 2
    assert [step for step in more.engine.steps if step == "read_properties"] == ["read_properties"]


def test_before_the_first_build() -> None:
    dbt = with_feed(new(Model(raw_code="{{ config(refresh='auto') }}" + Model().sql)))
    found = one(dbt)
    assert (found["built"], found["fast"], found["strategy"]) == (False, "yes", "aggregate delta")
    assert (found["keys"], found["reads"]) == (["customer"], ["shop.orders"])
    assert found["complete"] is found["last_fast"] is found["saves"] is None


def test_over_a_view_that_is_not_there_either() -> None:
    """It takes part as a table with the columns that its query has."""
    dbt = with_feed(new(Model()))
    dbt = Dbt(dbt.engine, Model(), AFTER)
    own = dbt.engine.plan

    def plan(sql: str) -> None:
        dbt.engine.explains("customer: string, total: bigint", OF_STAND_IN)
        dbt.engine.plan = dbt.engine.plan if "mview table" in sql else own

    dbt.engine.on["read_explain"] = plan
    after, before = views(dbt)
    assert (after["name"], before["name"]) == ("shop.counts", "shop.totals")
    assert (after["fast"], after["reads"]) == ("yes", ["shop.totals"])
    assert after["strategy"] == "aggregate delta"
    texts = [sent.sql for sent in dbt.engine.log if sent.step == "read_describe_query"]
    assert any("cast(null as bigint) as `total`" in text for text in texts)


def test_views_and_ephemeral_models_are_read_through() -> None:
    view = Model("stg", materialized="view", raw_code="select * from shop.orders")
    inline = Model(
        "eph",
        materialized="ephemeral",
        raw_code="select * from {{ ref('stg') }};",
        parents=["model.shop.stg"],
    )
    top = Model(
        raw_code="select customer from {{ ref('eph') }} as e group by 1", parents=["model.shop.eph"]
    )
    dbt = Dbt(with_feed(new()).engine, top, view, inline)
    query = dbt("_query_of_model", dbt.context["graph"]["nodes"][top.unique_id])
    assert query["why"] is None
    assert (
        query["definition"].split()
        == (
            "select customer from ( select * from ( select * from shop.orders ) as `stg` ) as e"
            " group by 1"
        ).split()
    )


@pytest.mark.parametrize(
    ("parent", "told"),
    [
        (Model("raw", materialized="incremental"), "shop.raw is not there"),
        (Model("raw", materialized="mview", raw_code="select {{ var('gone') }}"),
         "its var gone is not at the top of vars, nor in --vars"),
    ],
)  # fmt: skip
def test_what_is_not_known_yet_is_said(parent: Model, told: str) -> None:
    top = Model(parents=["model.shop.raw"])
    dbt = Dbt(with_feed(new()).engine, top, parent)
    found = next(view for view in views(dbt) if view["name"] == "shop.totals")
    assert (found["fast"], found["way_out"]) == ("unknown", None)
    assert found["reason"] == f"not known yet: {told}"


def test_a_source_that_is_not_there() -> None:
    dbt = new()
    error = (
        "org.apache.spark.sql.catalyst.ExtendedAnalysisException: [TABLE_OR_VIEW_NOT_FOUND] The"
        " table or view `raw`.`orders` cannot be found. Verify"
    )
    dbt.engine.explains("", error)
    assert one(dbt)["reason"] == "not known yet: raw.orders is not there"
    dbt.engine.explains("", "org.apache.spark.sql.AnalysisException: [DIVIDE] by zero\nmore")
    told = "not known yet: the engine refuses its query: [DIVIDE] by zero"
    assert one(Dbt(dbt.engine))["reason"] == told


def test_for_changes_of_one_source() -> None:
    """A left join: FAST where the preserved side changes; the other side is named."""
    dbt = with_feed(built())
    dbt.engine.tables["spark_catalog.shop.names"] = copy.deepcopy(dbt.engine.tables[SOURCE])
    dbt.engine.explains(
        "customer: string, total: bigint",
        "Project [customer#1, total#3L]\n+- Filter false\n"
        "   +- Project [customer#1, amount#2 AS total#3L]\n"
        "      +- Join LeftOuter, (customer#1 = name#4)\n"
        "         :- Relation spark_catalog.shop.orders[customer#1,amount#2] parquet\n"
        "         +- Relation spark_catalog.shop.names[name#4] parquet",
    )
    row = dbt.engine.states[VIEW]
    row["definition"] = (
        "select customer, amount as total from shop.orders left join shop.names on customer = name"
    )
    found = one(dbt)

    assert (found["fast"], found["follows"]) == ("some", ["shop.orders"])
    assert found["reads"] == ["shop.orders", "shop.names"]
    line = explain(Dbt(dbt.engine))[1]
    assert f"some  row delta for changes of shop.orders; else {found['reason']}" in line


MAX = "select max(n) from shop.days"
ABOVE = f"select customer, amount as total from shop.orders where amount > ({MAX})"
TOP = """Project [{0}#7, {1}#8L]
+- Filter false
   +- Project [customer#1 AS {0}#7, amount#2L AS {1}#8L]
      +- Filter (amount#2L > scalar-subquery#9 [])
         :  +- {2}
         +- Relation spark_catalog.shop.orders[customer#1,amount#2L] parquet"""
OF_DAYS = """Aggregate [max(n#5L) AS max(n)#6L]
         :     +- Relation spark_catalog.shop.days[n#5L] parquet"""
OF_DERIVED = """Project [c0#5L]
         :     +- SubqueryAlias `mview table dbt_mview.derived.mview_derived0`
         :        +- Project [cast(null as bigint) AS c0#5L]
         :           +- OneRowRelation"""


def above_a_value(orders: str = "+- Relation") -> Dbt:
    """A view of the orders above a value of another table. orders: how their plan begins."""
    dbt = with_feed(built())
    days = copy.deepcopy(dbt.engine.tables[SOURCE])
    days.columns = [("n", "bigint")]
    dbt.engine.tables["spark_catalog.shop.days"] = days
    dbt.engine.described[MAX] = [("max(n)", "bigint")]
    dbt.engine.states[VIEW]["definition"] = ABOVE

    def plan(sql: str) -> None:
        names = ("mview_q_c0", "mview_q_c1") if "mview_q_c0" in sql else ("customer", "total")
        shown = TOP.format(*names, OF_DERIVED if "mview_derived0" in sql else OF_DAYS)
        if "from shop.orders" not in sql:
            below = OF_DAYS.replace("         :  ", "   ")
            shown = f"Project [max(n)#6L]\n+- Filter false\n   +- {below}"
        shown = shown.replace("         +- Relation", f"         {orders}")
        dbt.engine.explains("customer: string, total: bigint", shown)

    dbt.engine.on["read_explain"] = plan
    return dbt


def test_while_a_value_stays() -> None:
    dbt = above_a_value()
    found = one(dbt)
    told = "the value of its subquery stays"
    assert (found["fast"], found["strategy"], found["only_while"]) == ("yes", "row delta", told)
    assert f"yes   row delta, while {told}  " in explain(above_a_value())[1]


def test_what_follows_no_more_than_a_value() -> None:
    """The rows that a LIMIT takes are followed by nothing; if the value stays, they stay."""
    line = explain(above_a_value("+- GlobalLimit 5\n            +- Relation"))[1]
    told = "nothing to do for changes of shop.days, while the value of its subquery stays; else"
    assert f"some  {told} SUBQUERY_NOT_INCREMENTAL" in line


def test_how_many_values() -> None:
    dbt = Dbt()
    values = [
        {"name": name, "must_stay": stays, "changed": ["a", name]}
        for name, stays in {"b": True, "c": True, "d": False}.items()
    ]
    plans = [as_delta_plan({"derived": some}) for some in (values[:1], [], values)]
    assert dbt("_must_hold", plans, ["a"]) == "the values of its subqueries stay"
    assert dbt("_must_hold", plans, ["b", "d"]) == "the value of its subquery stays"
    assert dbt("_must_hold", plans, ["d"]) is None


def test_a_view_that_says_complete() -> None:
    found = one(with_feed(built(Model(config={"refresh": "complete"}))))
    assert (found["fast"], found["reason"]) == ("no", "refresh is 'complete'")
    assert found["way_out"] == "Set refresh to auto."


def test_the_worst_come_first() -> None:
    dbt = Dbt()
    given = [
        {"name": "a", "fast": "yes", "complete": 9},
        {"name": "b", "fast": "no", "complete": 1},
        {"name": "c", "fast": "no", "complete": None},
        {"name": "d", "fast": "some", "complete": 5},
        {"name": "e", "fast": "no", "complete": 7},
        {"name": "f", "fast": "unknown", "complete": None},
    ]
    assert [one["name"] for one in dbt("_worst_first", given)] == ["e", "b", "c", "d", "f", "a"]


@pytest.mark.parametrize("args", [{"format": "xml"}, {"view": "totals", "format": "json"}])
def test_an_unknown_format(args: Any) -> None:
    with pytest.raises(DbtError, match="mview_explain: format is"):
        explain(built(), **args)


def test_a_project_without_views() -> None:
    lines = explain(Dbt(new().engine, Model(materialized="table")))
    assert lines[-1].startswith("0 of 0 views can be FAST")
