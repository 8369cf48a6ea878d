"""current_date() as the literal of a day."""

from __future__ import annotations

import pytest

from ..kit.harness import Dbt

DAY, NEXT = "2026-11-28", "2026-11-29"


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
    assert found["bare"] == ("current_date (" not in sql.lower() and "()" not in sql)
    again = dbt("_redated", dated, found["places"], NEXT)
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
    assert Dbt()("_dated", sql, DAY) == {"sql": sql, "places": [], "bare": False}


def test_where_no_day_stands_nothing_is_dated_again() -> None:
    assert Dbt()("_redated", "select date '2026-11-28', 'a'", [5], NEXT) is None
