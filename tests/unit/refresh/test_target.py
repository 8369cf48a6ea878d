"""What stands under the view's name, and what somebody else did to it."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Commit, Delta, Engine, Foreign, View, delta, micros
from ..kit.harness import Dbt
from ..kit.lexer import skeleton
from ..kit.nasty import NASTY
from ..kit.records import as_job

# What stands under the view's name.


SPEC = {"database": None, "schema": "shop", "identifier": "v", "name": "`shop`.`v`"}


def kind(table: Any, name: str = "v") -> Any:
    engine = Engine()
    engine.schemas.add("shop")
    if table is not None:
        engine.tables[f"spark_catalog.shop.{name}"] = table
    return Dbt(engine)("_kind_of", "shop", "v")


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (None, "missing"),
        (delta(1), "delta"),
        (Foreign("parquet"), "parquet"),
        (Foreign("hive"), "hive"),
        (View("select 1", []), "view"),
    ],
)
def test_kinds(table: Any, found: str) -> None:
    assert kind(table) == found


def test_what_is_in_a_schema_that_is_gone_is_missing() -> None:
    """The engine refuses to list the tables of one."""
    dbt = Dbt()
    assert dbt("_kind_of", "shop", "v") == "missing" and dbt.engine.steps == ["read_schemas"]
    dbt.engine.schemas.add("shop")
    dbt.engine.tables["spark_catalog.shop.v"] = delta(1)
    assert [dbt("_kind_of", "shop", name) for name in "vw"] == ["delta", "missing"]
    assert dbt.engine.steps.count("read_schemas") == 2, "and asked for once"


def test_a_table_of_another_catalog() -> None:
    """One of the same name in the current catalog is none of it."""
    dbt = Dbt()
    dbt.engine.tables.update({"spark_catalog.shop.v": delta(1), "main.shop.w": Foreign()})
    kinds = {name: dbt("_kind_of", "shop", name, "main") for name in "vw"}
    assert kinds == {"v": "missing", "w": "parquet"}
    assert "show table extended in `main`.`shop` like" in dbt.engine.sql("read_catalog")
    assert dbt("_kind_of", "shop", "w", "spark_catalog") == "missing"
    assert dbt.engine.steps.count("read_schemas") == 2, "each catalog has its own"


def test_a_longer_name_is_another_table() -> None:
    assert kind(delta(1), name="v2") == "missing"


def test_a_comment_cannot_make_a_table_a_view() -> None:
    table = Delta([], comment="What it is:\nType: VIEW of the orders")
    assert kind(table) == "delta"


@pytest.mark.parametrize("text", NASTY)
def test_no_name_changes_the_statement(text: str) -> None:
    dbt = Dbt()
    for one in ("shop", text):
        dbt("_memory")["schemas"].append(dbt("_schema_in", None, one).lower())
    dbt("_kind_of", "shop", "plain")
    dbt.engine._read_catalog = dbt.engine._read_audit  # type: ignore[method-assign]
    dbt.engine.audit = ["s", "t", False, ""]  # type: ignore[list-item]
    dbt("_kind_of", text, text)
    assert skeleton(dbt.engine.sql("read_catalog", 1)) == skeleton(dbt.engine.sql("read_catalog"))


def test_target_with_its_newest_commits() -> None:
    engine = Engine()
    engine.schemas.add("shop")
    engine.tables["spark_catalog.shop.v"] = delta(*range(30))
    found = Dbt(engine)("_target", SPEC)
    assert (found["kind"], found["name"], len(found["history"])) == ("delta", "`shop`.`v`", 20)
    assert found["history"][0]["version"] == 29
    assert Dbt(Engine())("_target", SPEC) == {
        "kind": "missing",
        "name": "`shop`.`v`",
        "history": [],
    }


@pytest.mark.parametrize(
    ("last", "reads", "commits"),
    [
        (29, 1, 20),  # the last recorded refresh is among the newest
        (10, 1, 20),
        (9, 2, 21),
        (0, 2, 30),
        (40, 1, 20),  # it was dropped and built again
        (None, 2, 30),  # nothing is recorded, and none of the newest changed what readers see
    ],
)
def test_it_reaches_back_to_the_last_refresh(last: int | None, reads: int, commits: int) -> None:
    """Others may follow one: OPTIMIZE each hour, VACUUM each day."""
    engine = Engine()
    engine.schemas.add("shop")
    others = [Commit(minute, minute, "OPTIMIZE") for minute in range(1, 30)]
    engine.tables["spark_catalog.shop.v"] = Delta([Commit(0, 0), *others])
    dbt = Dbt(engine)
    found = dbt("_target", SPEC, {"target_version": last})
    assert len(found["history"]) == commits
    assert dbt.engine.steps.count("read_describe_history") == reads


def test_a_short_history_is_read_once() -> None:
    engine = Engine()
    engine.schemas.add("shop")
    engine.tables["spark_catalog.shop.v"] = Delta([Commit(5, 5, "OPTIMIZE")])
    dbt = Dbt(engine)
    for state in ({"target_version": 3}, None):
        assert len(dbt("_target", SPEC, state)["history"]) == 1
    assert dbt.engine.steps.count("read_describe_history") == 2


HISTORY = [
    {"version": 3, "operation": "OPTIMIZE", "meta": None},
    {"version": 2, "operation": "SET TBLPROPERTIES", "meta": None},
    {"version": 1, "operation": "WRITE", "meta": {"refresh_job_id": "j"}},
    {"version": 0, "operation": "WRITE", "meta": None},
]


def test_published() -> None:
    assert Dbt()("_published", {"history": HISTORY}, "j") == HISTORY[2]
    assert Dbt()("_published", {"history": HISTORY}, "k") is None
    assert Dbt()("_published", {"history": []}, "j") is None


def test_newest_data_commit() -> None:
    assert Dbt()("_newest_data_commit", {"history": HISTORY}) == HISTORY[2]
    assert Dbt()("_newest_data_commit", {"history": HISTORY[:2]}) is None


# What somebody else did to the view.


VIEW = "spark_catalog.shop.v"
OURS = {"mview_id": VIEW, "refresh_job_id": "job1"}


def commit(version: int, operation: str = "WRITE", meta: Any = None) -> dict[str, Any]:
    at = {"version": version, "commit_time": version * 10}
    return {**at, "operation": operation, "meta": meta}


def change(
    *history: dict[str, Any],
    last: int = 3,
    holder: Any = None,
    kind: str = "delta",
    **state: Any,
) -> Any:
    target = {"kind": kind, "name": "`shop`.`v`", "history": list(history)}
    known = {"target_version": last, "last_refresh_result": "success", "last_refresh_time": 0}
    job = as_job({"target": target, "state": {**known, **state}, "holder": holder})
    return Dbt()("_target_change", {"mview_id": VIEW}, job)


@pytest.mark.parametrize(
    ("history", "found"),
    [
        ([commit(3, meta=OURS)], None),
        ([commit(5, "OPTIMIZE"), commit(4, "SET TBLPROPERTIES"), commit(3, meta=OURS)], None),
        (
            [commit(5, "OPTIMIZE"), commit(4, "DELETE"), commit(3, meta=OURS)],
            "DELETE by somebody else in version 4",
        ),
        (
            [commit(4, meta={"mview_id": VIEW, "refresh_job_id": "x"}), commit(3, meta=OURS)],
            "WRITE by somebody else in version 4",
        ),
        ([commit(3, meta={"mview_id": "another"})], "it was dropped or recreated by somebody else"),
        ([commit(3)], "it was dropped or recreated by somebody else"),
        ([commit(1, meta=OURS)], "it was dropped or recreated by somebody else"),
    ],
)
def test_changes(history: list[dict[str, Any]], found: str | None) -> None:
    assert change(*history) == found


def test_it_is_no_table_any_more() -> None:
    assert change(kind="parquet") == "it is now a parquet"


def test_the_publish_of_the_holder_is_no_change_by_somebody_else() -> None:
    later = commit(4, meta={"mview_id": VIEW, "refresh_job_id": "held"})
    assert change(later, commit(3, meta=OURS), holder={"job_id": "held"}) is None


@pytest.mark.parametrize(
    ("state", "ours"),
    [
        ({"last_refresh_time": micros(2)}, True),
        ({"last_refresh_time": str(micros(2) - 1)}, False),
        ({"last_refresh_time": None}, False),
        ({"last_refresh_time": micros(2), "last_refresh_result": "failed"}, False),
    ],
)
def test_commits_that_delta_cleaned_were_seen_before(state: dict[str, Any], ours: bool) -> None:
    """Where its log is cleaned of the last refresh; of a dropped table all commits are there."""
    kept = [{**commit(3, "VACUUM END"), "commit_time": micros(3)}]
    kept += [{**commit(2, "VACUUM START"), "commit_time": micros(2)}]
    told = change(*kept, last=1, **state)
    assert told == (None if ours else "it was dropped or recreated by somebody else")
