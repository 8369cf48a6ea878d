"""current_date() as the literal of a day, current_timestamp() as that of a moment."""

from __future__ import annotations

import pytest

from ..kit.harness import Dbt

DAY, NEXT = "2026-11-28", "2026-11-29"
MOMENT, LATER = "2026-11-28 23:30:00.000000Z", "2026-11-29 00:30:00.000000Z"


@pytest.mark.parametrize(
    ("sql", "dated"),
    [
        ("select current_date ( ) as x", f"select date '{DAY}' as x"),
        ("where a > CURRENT_DATE -- c\nand b", f"where a > date '{DAY}' -- c\nand b"),
        ("select curdate() - 7, 1", f"select date '{DAY}' - 7, 1"),
        ("select f(current_date, 'current_date')", f"select f(date '{DAY}', 'current_date')"),
        ("select current_date()/* a */\nfrom t", f"select date '{DAY}'/* a */\nfrom t"),
    ],
)
def test_the_day_stands_in_its_place(sql: str, dated: str) -> None:
    dbt = Dbt()
    found = dbt("_dated", sql, DAY)
    assert found["sql"] == dated
    words = dbt("_words", dated)
    assert {words[place] for place in found["places"]} == {f"'{DAY}'"}
    has_no_brackets = "current_date (" not in sql.lower() and "()" not in sql
    assert found["bare"] == (["current_date"] if has_no_brackets else [])
    again = dbt("_redated", dated, found, {"day": NEXT})
    assert again == dated.replace(DAY, NEXT)


@pytest.mark.parametrize(
    "sql",
    [
        "select 'current_date()' from t -- current_date()",
        "select t.current_date from t",
        "select day as current_date, current_date() as today from t",
        "select day current_date from t where current_date > 1",
        "select * from `current_date`",
        "select curdate from t",
        "select current_date(1) as current_date from t",
    ],
)
def test_what_may_be_something_else_stays(sql: str) -> None:
    as_it_was = {"sql": sql, "places": [], "moments": [], "bare": []}
    assert Dbt()("_dated", sql, DAY) == as_it_was
    assert Dbt()("_dated", sql.replace("curdate", "now"), DAY, MOMENT)["moments"] == []


def test_the_moment_stands_in_its_place() -> None:
    dbt = Dbt()
    sql = "where a > now() - interval 1 hour and b < CURRENT_TIMESTAMP and c = current_date()"
    found = dbt("_dated", sql, DAY, MOMENT)
    moment = f"timestamp '{MOMENT}'"
    assert found["sql"] == (
        f"where a > {moment} - interval 1 hour and b < {moment} and c = date '{DAY}'"
    )
    words = dbt("_words", found["sql"])
    assert [words[place] for place in found["moments"]] == [f"'{MOMENT}'"] * 2
    assert [words[place] for place in found["places"]] == [f"'{DAY}'"]
    assert found["bare"] == ["current_timestamp"]
    again = dbt("_redated", found["sql"], found, {"day": NEXT, "moment": LATER})
    assert again == found["sql"].replace(MOMENT, LATER).replace(DAY, NEXT)
    assert "now()" in dbt("_dated", sql, DAY)["sql"], "nobody gives a moment"


def test_where_no_day_stands_nothing_is_dated_again() -> None:
    was = {"places": [5]}
    assert Dbt()("_redated", "select date '2026-11-28', 'a'", was, {"day": NEXT}) is None
