"""What the pretended engine does with rows of state, by the statements' own text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.kit.harness import Dbt
from tests.unit.kit.state_sql import Change, RaisedError, changes
from tests.unit.kit.templates import columns_of_state

INFO = "`x``y`.`mview_refresh_info`"
NOW = 1000
ROWS = {
    "a": {"mview_id": "a", "lock_token": 1, "failures": None, "intent": '{"holder": {"n": [1]}}'},
    "b": {"mview_id": "b", "lock_token": 2, "failures": 3, "intent": None},
}


def done(sql: str, **rows: Any) -> list[Change]:
    kept = {**dict.fromkeys(columns_of_state("mview_refresh_info")), "lock_token": 0}
    full = {key: {**kept, **row} for key, row in ROWS.items()}
    return changes(sql, lambda table: full if table == "mview_refresh_info" else None, NOW)


def updated(value: str, column: str = "failures") -> list[Any]:
    found = done(f"update {INFO} set {column} = {value}")
    return [one.row[column] for one in found if one.row]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("coalesce(failures, 0) + 1", [1, 4]),
        ("failures + 1", [None, 4]),
        ("if(failures > 2 and lock_token = 2, 10000, failures)", [None, 10000]),
        ("if(failures > 2 or lock_token = 1, 7, 8)", [7, 7]),
        ("if(not (failures > 2), 7, 8)", [8, 8]),
        ("if(failures <=> null, 7, 8)", [7, 8]),
        ("if(failures is not null, 7, 8)", [8, 7]),
        ("case when lock_token in (2, 9) then least(300, shiftleft(5, 2)) end", [None, 20]),
        ("cast(get_json_object(intent, '$.holder.m') as bigint)", [None, None]),
    ],
)
def test_expressions(value: str, found: list[Any]) -> None:
    assert updated(value) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("'it\\'s ' || mview_id", ["it's a", "it's b"]),
        ("get_json_object(intent, '$.holder.n')", ["[1]", None]),
    ],
)
def test_texts(value: str, found: list[Any]) -> None:
    assert updated(value, "definition") == found


def test_times_are_microseconds() -> None:
    later = "current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600)"
    assert updated(later, "lease_until") == [NOW + 3600 * 10**6] * 2
    assert updated("timestamp_micros(123456)", "lock_time") == [123456] * 2


def test_a_condition_that_is_not_known_changes_nothing() -> None:
    assert [one.key for one in done(f"update {INFO} set intent = null where failures > 1")] == ["b"]
    assert done(f"delete from {INFO} where lock_token = 2") == [
        Change("mview_refresh_info", "b", None)
    ]


MERGE = f"""merge into {INFO} as t
using (select * except (x), n + 1 as m from values ('b', 1, 0), ('c', 2, 0) as v (id, n, x)) as s
on t.mview_id = s.id
when matched and s.n = 9 then update set failures = 1
when matched then update set failures = s.m, lock_token = t.lock_token + 1
when not matched then insert (mview_id, failures) values (s.id, s.m)"""


def test_a_merge_takes_the_first_clause_that_holds() -> None:
    known, new = (one.row or {} for one in done(MERGE))
    assert (known["mview_id"], known["failures"], known["lock_token"]) == ("b", 2, 3)
    assert (new["mview_id"], new["failures"], new["lock_token"]) == ("c", 3, None)
    assert set(new) == set(columns_of_state("mview_refresh_info"))


def test_an_error_is_raised_and_nothing_is_done() -> None:
    with pytest.raises(RaisedError, match="busy"):
        done(f"update {INFO} set failures = if(lock_token = 2, raise_error('busy'), 1)")


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        (f"update {INFO} set no_such = 1", AssertionError),
        (f"update {INFO} set failures = no_such", KeyError),
        (f"update {INFO} set failures = sqrt(2)", NotImplementedError),
        (f"insert into {INFO} select 'a'", AssertionError),
    ],
)
def test_what_is_not_known_is_an_error(sql: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        done(sql)


def test_tables_that_nobody_keeps() -> None:
    assert done("delete from `s`.`mview_refresh_hist` where sqrt(1) = 2") == []
    assert done("insert into `s`.`totals` select 1") == []


def test_what_is_repeated_on_conflicts_is_done_once() -> None:
    sql = Dbt()("_retry_on_conflict_sql", f"delete from {INFO} where mview_id = 'a'")
    assert [one.key for one in done(sql)] == ["a"]
