"""What each place of a query is bound to in one term."""

from __future__ import annotations

from typing import Any

from ...kit.harness import Dbt

DBT = Dbt()
A, B = "c.s.a", "c.s.b"
ONE = [{"name": "k", "type": "int"}]
MOVED: dict[str, Any] = {
    "relation": A,
    "start": 3,
    "first": 4,
    "end": 5,
    "inserts": True,
    "deletes": True,
    "columns": ONE,
}
MOVED["rows"] = 200_000


def place(name: str, turn: int = 0) -> dict[str, str]:
    return {"relation": name, "name": f"{name} {turn}"}


def turns(places: list[Any], at: Any, changes: Any, emptied: Any = None) -> dict[str, Any]:
    job = {
        "reads": {"tables": [A, B], "places": [one["relation"] for one in places]},
        "bindings": {
            A: {"kind": "table", "version": 5},
            B: {"kind": "table", "version": 9},
            "c.s.v": {"kind": "view", "text": "select 1"},
        },
    }
    found = DBT("_term_bindings", job, places, at, 1, changes, {"emptied": emptied or {}})
    assert found["c.s.v"]["kind"] == "view"
    assert [found[name]["kind"] for name in (A, B)] == ["turns", "turns"]
    return {name: [said(one) for one in found[name]["turns"]] for name in (A, B)}


def said(binding: dict[str, Any]) -> Any:
    if binding["kind"] == "table":
        return binding["version"]
    return "empty" if "where false" in binding["sql"] else "changes"


def test_new_before_and_old_after() -> None:
    places = [place(A), place(A, 1), place(A, 2)]
    for at, found in enumerate([["changes", 3, 3], [5, "changes", 3], [5, 5, "changes"]]):
        assert turns(places, places[at], {A: MOVED})[A] == found


def test_two_tables_that_changed() -> None:
    places = [place(A), place(B)]
    changes = {A: MOVED, B: {**MOVED, "relation": B, "start": 7, "first": 8, "end": 9}}
    assert turns(places, places[0], changes) == {A: ["changes"], B: [7]}
    assert turns(places, places[1], changes) == {A: [5], B: ["changes"]}


def test_what_did_not_change_is_as_it_is() -> None:
    places = [place(A), place(B)]
    assert turns(places, places[0], {A: MOVED}) == {A: ["changes"], B: [9]}


def test_other_branches_are_empty() -> None:
    places = [place(A), place(A, 1), place(B)]
    emptied = {f"{A} 0": [f"{A} 1", f"{B} 0"], f"{A} 1": [f"{A} 0", f"{B} 0"]}
    assert turns(places, places[0], {A: MOVED}, emptied) == {A: ["changes", "empty"], B: ["empty"]}
    assert turns(places, places[1], {A: MOVED}, emptied) == {A: ["empty", "changes"], B: ["empty"]}


def hinted(places: list[Any], rows: int | None) -> bool:
    job = {
        "reads": {"tables": [A, B], "places": [one["relation"] for one in places]},
        "bindings": {A: {"kind": "table", "version": 5}, B: {"kind": "table", "version": 9}},
    }
    changes = {A: {**MOVED, "rows": rows}}
    found = DBT("_term_bindings", job, places, places[0], 1, changes, {"emptied": {}})
    return "broadcast(" in found[A]["turns"][0]["sql"]


def test_only_few_rows_that_are_joined_are_said_to_be_few() -> None:
    assert hinted([place(A), place(B)], 200_000)
    assert not hinted([place(A), place(B)], 200_001)
    assert not hinted([place(A), place(B)], None), "nobody knows how many"
    assert not hinted([place(A)], 1), "Spark would warn of a hint for no join"
