"""mview_explain without a view: which views can be FAST, what keeps the others from it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from ..kit.harness import Dbt, DbtError, Model
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


def test_what_keeps_a_view_from_it_and_the_way_out() -> None:
    dbt = built()
    _, line, _, told, way = explain(dbt)
    assert "no    CHANGE_DATA_UNAVAILABLE: no change data feed: shop.orders" in line
    assert told.endswith(
        "0 of 1 views can be FAST, 0 more after changes of some of their sources."
        " What would help the others:"
    )
    assert way.startswith("  shop.totals: Switch the source's change data feed on, as the reason")


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
