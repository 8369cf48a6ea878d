"""What the text of a query calls that changes without a change of data."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt

DBT = Dbt()


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("select a, now ( ), Rand(7), uuid/* */() from t", ["now", "rand", "uuid"]),
        ("select current_date, CURRENT_TIMESTAMP from t", ["current_date", "current_timestamp"]),
        ("select AES_ENCRYPT(a, k), aes_decrypt(a, k) from t", ["aes_encrypt"]),
        ("select _metadata.file_name from t", []),
        ("select unix_timestamp(), unix_timestamp( ) from t", ["unix_timestamp"]),
        ("select unix_timestamp(a), unix_timestamp (a, 'x') from t", []),
        ("select 'now()', \"rand()\", a.now(1), my_rand(), `now`, now from t -- now()", []),
        ("select * from t where d > date'Today' or e > timestamp_ntz ' now '", None),
        ("select * from t where d = 'today' and 'x' > date '2020-01-01'", []),
        ("select user, t.current_user, session_user from t", []),
        ("select * from t where d = to_date('Today UTC')", ["to_date( 'today'"]),
        ("select TRY_TO_TIMESTAMP (' yesterday') from t", ["try_to_timestamp( 'yesterday'"]),
        ("select to_date(today), to_date('2020-01-01'), my_to_date('now') from t", []),
        ("select * from t where at > timestamp '08:00'", ["timestamp '08:00'"]),
        ("select to_timestamp('T8:15:00.5 UTC') from t", ["to_timestamp( 't8:15:00.5'"]),
        ("select * from t where s = '08:00' and at > timestamp'2020-01-01 08:00'", []),
        ("select version(), version, version(a) from t", ["version"]),
    ],
)
def test_unstable_in_text(sql: str, names: list[str] | None) -> None:
    names = ["date 'today'", "timestamp_ntz 'now'"] if names is None else names
    assert DBT("_unstable_in_text", sql, False) == names


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("select user, a.user, current_user from t", ["user", "current_user"]),
        ("select d > 'Yesterday' from t", ["'yesterday'"]),
        ("select _metadata.file_name from t", ["_metadata"]),
        ("select a from t", []),
    ],
)
def test_what_may_be_a_column_counts_where_the_plan_is_cut(sql: str, names: list[str]) -> None:
    assert DBT("_unstable_in_text", sql, True) == names


@pytest.mark.parametrize(
    ("plan", "names"),
    [
        ("Filter (day#5 = cast(today as date))", ["today"]),
        ("Filter (day#5 = cast( today UTC as timestamp))", [" today utc"]),
        ("Filter (day#5 = cast(todays#4 as date))", []),
    ],
)
def test_moments_in_a_plan(plan: str, names: list[str]) -> None:
    assert DBT("_unstable_calls", plan) == names
