"""Views that ask for the time: as of one; FAST within a day, and later where a WHERE asks alone."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ..kit.deaths import Killed, restart
from ..kit.harness import Dbt, Model
from ..kit.scenes import VIEW, again, built, change_source, with_feed

ASKS = (
    "select customer, sum(amount) as total from shop.orders"
    " where day < current_date() group by customer"
)
FIRST, SECOND, THIRD = "2024-03-01", "2024-03-02", "2024-03-03"


def tomorrow(dbt: Dbt) -> Dbt:
    dbt.engine.minute += 24 * 60
    return dbt


def message(dbt: Dbt) -> str:
    (result,) = dbt.run()
    assert result.status == "success", result.message
    return result.message


def state(dbt: Dbt) -> dict[str, Any]:
    found: dict[str, Any] = dbt.engine.states[VIEW]
    return found


def test_state_holds_the_query_of_its_day() -> None:
    row = state(built(Model(sql=ASKS)))
    assert f"date '{FIRST}'" in row["definition"]
    assert row["spec"]["today"]["day"] == FIRST


def test_within_the_day_it_is_followed() -> None:
    assert message(built(Model(sql=ASKS))).startswith("SKIP")
    dbt = with_feed(built(Model(sql=ASKS)))
    change_source(dbt)
    assert message(dbt).startswith("FAST v1, 6 rows: shop.orders v2 -> v3")


@pytest.mark.parametrize("from_model", [True, False])
def test_the_next_day_is_another_query(from_model: bool) -> None:
    dbt = tomorrow(with_feed(built(Model(sql=ASKS))))
    took = state(dbt)["spec"]["took"]
    assert took
    if from_model:
        said = message(dbt)
    else:
        said = "\n".join(dbt.operation("mview_refresh", view="totals"))
    assert f"COMPLETE v1, 3 rows: DATE_CHANGED: {FIRST} -> {SECOND}" in said
    row = state(dbt)
    assert f"date '{SECOND}'" in row["definition"] and FIRST not in row["definition"]
    assert row["spec"]["today"]["day"] == SECOND
    assert row["spec"]["took"]["first"] == took["first"]
    assert message(again(dbt)).startswith("SKIP")


@pytest.mark.parametrize("from_model", [True, False])
def test_a_day_that_the_user_has_written(from_model: bool) -> None:
    """On that day it is the same literal; it stays what it is, and the next day it is another."""
    own = Model(sql=ASKS.replace("group by", f"and day <> date '{SECOND}' group by"))
    dbt = with_feed(built(own))
    for then, now in ((FIRST, SECOND), (SECOND, THIRD)):
        tomorrow(dbt)
        said = (
            message(dbt) if from_model else "\n".join(dbt.operation("mview_refresh", view="totals"))
        )
        assert f"DATE_CHANGED: {then} -> {now}" in said
        row = state(dbt)
        assert f"day < date '{now}' and day <> date '{SECOND}'" in row["definition"]
        assert row["spec"]["took"]["first"] is not None
        dbt = again(dbt)


def test_another_query_on_another_day_is_another_query() -> None:
    other = Model(sql=ASKS.replace("sum(amount)", "sum(2 * amount)"))
    assert "DEFINITION_CHANGED" in message(tomorrow(built(Model(sql=ASKS), other)))


def test_another_zone_is_more_than_another_day() -> None:
    dbt = tomorrow(built(Model(sql=ASKS)))
    dbt.engine.zone = "Asia/Tokyo"
    assert "TIME_ZONE_CHANGED: UTC -> Asia/Tokyo" in message(dbt)


def test_the_day_is_that_of_the_session() -> None:
    dbt = built(Model(sql=ASKS))
    dbt.engine.zone = "Pacific/Kiritimati"
    dbt.engine.minute = 11 * 60
    assert dbt("_today") == SECOND


def test_a_column_that_is_called_by_it() -> None:
    """Its name would be another one each day."""
    sql = "select customer, current_date() from shop.orders"
    dbt = built(Model(sql=sql))
    dbt.engine.columns = [("customer", "string"), (f"DATE '{FIRST}'", "date")]
    assert dbt("_dated_where_safe", sql) == {"sql": sql, "today": None}


@pytest.mark.parametrize("cut", [False, True])
def test_a_word_that_may_be_a_column(cut: bool) -> None:
    bare = ASKS.replace("current_date()", "current_date")
    dbt = built(Model(sql=bare))
    assert dbt("_dated_where_safe", bare)["today"]["places"]
    more = ", ... 3 more fields" if cut else ", current_date#3"
    dbt.engine.explains(
        "customer: string, total: bigint",
        "Project [customer#1, total#2L]\n+- Filter false\n"
        f"   +- Relation spark_catalog.shop.orders[customer#1,total#2L{more}] parquet",
    )
    assert dbt("_dated_where_safe", bare)["sql"] == bare


def test_what_was_safe_is_not_asked_again() -> None:
    dbt = built(Model(sql=ASKS))
    message(dbt)
    assert "describe_query" not in dbt.engine.steps


def test_a_run_from_before_midnight_takes_nothing_back() -> None:
    dbt = built(Model(sql=ASKS))
    dbt.engine.minute -= 24 * 60
    assert message(dbt).startswith("SKIP")
    assert state(dbt)["spec"]["today"]["day"] == FIRST


def test_another_config_is_said_before_another_day() -> None:
    dbt = built(Model(sql=ASKS), Model(sql=ASKS, config={"unique_key": "customer"}))
    assert "configuration changed: unique_key" in message(tomorrow(dbt))


def test_a_held_view_keeps_the_day_of_its_query() -> None:
    dbt = built(Model(sql=ASKS), Model(sql=ASKS.replace("select", "select /* */ customer c,")))
    state(dbt)["spec"]["held"] = "v0"
    before = state(dbt)["spec"]["today"]
    assert message(tomorrow(dbt)).startswith("SKIP held")
    assert state(dbt)["spec"]["today"] == before


def test_places_that_hold_no_day_change_nothing() -> None:
    dbt = built(Model(sql=ASKS))
    spec = {"definition": "select 1", "stored": {"today": {"day": FIRST, "places": [1]}}}
    assert dbt("_date_query", spec, None) is None
    assert spec["definition"] == "select 1"


def test_what_the_engine_refuses_stays_as_it_was() -> None:
    sql = "with x (id, current_date) as (select 1, 2) select id, current_date from x"
    dbt = built(Model(sql=ASKS))
    dbt.engine.runs = False
    assert dbt("_dated_where_safe", sql) == {"sql": sql, "today": None}


def test_the_commit_says_its_day() -> None:
    dbt = built(Model(sql=ASKS))
    assert f'"day": "{FIRST}"' in str(dbt.engine.tables[VIEW].commits[-1].meta)


MOMENT = ASKS.replace("day < current_date()", "at > now() - interval 1 hour")


def test_the_moment_is_another_one_in_each_run() -> None:
    dbt = built(Model(sql=MOMENT))
    first = state(dbt)["spec"]["today"]
    assert f"timestamp '{first['moment']}'" in state(dbt)["definition"]
    dbt.engine.minute += 1
    said = message(again(dbt))
    second = state(dbt)["spec"]["today"]
    assert f"DATE_CHANGED: {first['moment']} -> {second['moment']}" in said
    assert f"timestamp '{second['moment']}'" in state(dbt)["definition"]
    assert second["moments"] == first["moments"] and second["places"] == []


def test_a_moment_that_is_more_than_a_filter_stays() -> None:
    sql = MOMENT.replace("sum(amount)", "max(now())")
    dbt = built(Model(sql=sql))
    assert dbt("_dated_where_safe", sql) == {"sql": sql, "today": None}
    assert state(dbt)["definition"] == sql


# A WHERE over rows, as the engine shows it.
ROWS = "select customer, amount as total from shop.orders where amount < current_date()"


def of_a_filter(dbt: Dbt) -> Dbt:
    plan = """Project [customer#1, total#3L]
+- Filter false
   +- Project [customer#1, amount#2 AS total#3L]
      +- Filter (amount#2 < 5)
         +- SubqueryAlias spark_catalog.shop.orders
            +- Relation spark_catalog.shop.orders[customer#1,amount#2] parquet"""
    relaxed = plan.replace("(amount#2 < 5)", "((1000000 = 1000000) OR (amount#2 < 5))")
    dbt.engine.explains("customer: string, total: bigint", plan, relaxed=relaxed)
    return dbt


def days_of_terms(dbt: Dbt) -> list[str]:
    """The days of the first term that another day adds, now and then."""
    (sql,) = [one.sql for one in dbt.engine.log if one.step == "stage"]
    return re.findall(r"amount < date '(2024-03-0\d)'", sql[sql.index("and not coalesce") - 60 :])[
        :2
    ]


def test_another_day_is_followed() -> None:
    dbt = tomorrow(of_a_filter(with_feed(built(Model(sql=ROWS)))))
    assert f"DATE_CHANGED: {FIRST} -> {SECOND} (row delta, another time, 0" in message(dbt)
    assert days_of_terms(dbt) == [SECOND, FIRST]
    asked = [one for one in dbt.engine.log if "1000000 = 1000000" in one.sql]
    assert len(asked) == 1, "the plan of the relaxed text is asked for once"


def test_a_filter_with_a_day_of_the_user_is_not_followed_on_that_day() -> None:
    """The text does not tell which of two equal literals is the day."""
    own = Model(sql=ROWS.replace("where", f"where amount <> date '{SECOND}' and"))
    dbt = tomorrow(of_a_filter(with_feed(built(own))))
    assert f"COMPLETE v1, 3 rows: DATE_CHANGED: {FIRST} -> {SECOND}" in message(dbt)
    dbt = tomorrow(again(dbt))
    assert f"DATE_CHANGED: {SECOND} -> {THIRD} (row delta, another time, 0" in message(dbt)
    assert days_of_terms(dbt) == [THIRD, SECOND]


@pytest.mark.parametrize("moved", [False, True])
def test_another_day_with_another_config_is_followed_as_well(moved: bool) -> None:
    """What is said first is not all that is new."""
    other = Model(sql=ROWS, config={"tblproperties": {"a": "b"}})
    dbt = tomorrow(of_a_filter(with_feed(built(Model(sql=ROWS), other))))
    if moved:
        change_source(dbt)
    assert "configuration changed: tblproperties (row delta, another time, " in message(dbt)
    assert days_of_terms(dbt) == [SECOND, FIRST]


def test_another_day_after_a_recovery() -> None:
    """What the dead run has published is as of its own day."""
    dbt = tomorrow(of_a_filter(with_feed(built(Model(sql=ROWS)))))
    execute = dbt.engine.execute

    def dying(step: str, sql: str) -> Any:
        found = execute(step, sql)
        if step == "publish":
            raise Killed
        return found

    dbt.engine.execute = dying  # type: ignore[method-assign]
    with pytest.raises(Killed):
        dbt.run()
    dbt = restart(dbt, 24 * 60)
    assert f"DATE_CHANGED: {SECOND} -> {THIRD}" in message(dbt)
    assert days_of_terms(dbt) == [THIRD, SECOND]
