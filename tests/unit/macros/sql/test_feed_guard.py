"""What the change data feed may not give as the table has it."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

CHANGE: dict[str, Any] = {"relation": "c.s.t", "maps": []}


def condition(*columns: tuple[str, str], used: Any = None) -> Any:
    dbt, change = Dbt(), {**CHANGE, "used": used}
    typed: list[Any] = [{"name": name, "type": type_} for name, type_ in columns]
    return dbt("_whole_texts_sql", dbt("_those_used", typed, change), change)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("string", "`a`"),
        ("string collate UNICODE", "cast(`a` as string)"),
        ("array<string>", "cast(`a` as string)"),
        ("map<int,string>", "cast(`a` as string)"),
        ("binary", None),
        ("struct<a:int>", None),
    ],
)
def test_types_that_have_texts(type_: str, text: str | None) -> None:
    found = condition(("a", type_), ("n", "int"))
    assert found is None if text is None else f"concat_ws('', {text})," in found


def test_all_of_them_at_once() -> None:
    sql = condition(("a", "string"), ("b", "string"))
    assert sql.startswith("case when contains(concat_ws('', `a`, `b`), decode(x'EFBFBD', 'utf-8'))")
    assert sql.endswith("too: use refresh auto or --full-refresh') else true end")


def test_only_those_that_the_query_uses() -> None:
    assert "concat_ws('', `B`)" in condition(("a", "string"), ("B", "string"), used=["b"])
    assert condition(("a", "string"), ("b", "int"), used=["b"]) is None


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("map<int,int>", "size(`a`) > 4"),
        ("map<int,decimal(10,2)>", "size(`a`) > 4"),
        ("map<int,map<int,int>>", "`a` is not null"),
        ("struct<p:map<int,int>>", "`a` is not null"),
        ("int", None),
    ],
)
def test_maps_as_a_whole(type_: str, text: str | None) -> None:
    columns: list[Any] = [{"name": "a", "type": type_}]
    found = Dbt()("_feed_guard_sql", columns, {**CHANGE, "maps": ["a"]})
    assert found is None if text is None else found.startswith(f"case when {text} then raise_error")
    assert Dbt()("_feed_guard_sql", columns, CHANGE) is None


def test_texts_and_maps() -> None:
    columns: list[Any] = [{"name": "a", "type": "map<string,int>"}]
    sql = Dbt()("_feed_guard_sql", columns, {"relation": "c.s.t"})
    assert sql.count("raise_error(") == 2 and "end\n        and case when size(`a`) > 4" in sql


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("date", "`a` between date'1582-10-04' and date'1582-10-16'"),
        (
            "timestamp",
            "`a` between timestamp'1582-10-04 00:00:00Z' and timestamp'1582-10-17 00:00:00Z'",
        ),
        ("array<date>", "contains(cast(`a` as string), '1582-10-1')"),
        ("struct<t:timestamp>", "contains(cast(`a` as string), '1582-10-1')"),
        ("timestamp_ntz", None),
        ("int", None),
    ],
)
def test_dates_that_the_feed_gives_for_others(type_: str, text: str | None) -> None:
    columns: list[Any] = [{"name": "a", "type": type_}]
    found = Dbt()("_feed_guard_sql", columns, CHANGE)
    assert found is None if text is None else found.startswith(f"case when {text} then raise_error")
