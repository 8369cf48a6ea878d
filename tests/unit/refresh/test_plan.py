"""How a result is published, and what is refused before the lock is taken."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ..kit.deaths import Killed, restart, stop_at
from ..kit.engine import Foreign, micros
from ..kit.harness import Dbt, DbtError, FailFastError, Model
from ..kit.records import as_job
from ..kit.scenes import OTHER, VIEW, built, change_source, changed, new, with_feed

# How a result is published.


def plan(dbt: Dbt) -> dict[str, Any]:
    assert [result.status for result in dbt.run()] == ["success"]
    job: dict[str, Any] = dbt("_memory")["jobs"][dbt.models[0].unique_id]
    return {key: job[key] for key in ("publish", "staged", "deferred", "alterations", "method")}


def of(publish: str, **changes: Any) -> dict[str, Any]:
    plain = {"staged": False, "deferred": False, "alterations": [], "method": "complete"}
    return {"publish": publish, **plain, **changes}


def test_create_insert_replace() -> None:
    assert plan(new()) == of("create")
    dbt = built()
    change_source(dbt)
    assert plan(dbt) == of("insert")
    assert plan(built(full_refresh=True)) == of("replace")


def test_a_table_that_is_not_ours_is_replaced() -> None:
    dbt = new()
    dbt.engine.tables[VIEW] = built().engine.tables[VIEW]
    dbt.engine.tables[VIEW].commits[0].meta = None
    assert plan(dbt) == of("replace")


def test_what_is_no_delta_table_is_swapped() -> None:
    dbt = new()
    dbt.engine.tables[VIEW] = Foreign()
    assert plan(dbt) == of("swap")


@pytest.mark.parametrize(
    ("config", "staged"),
    [
        ({"audit": "total > 0"}, True),
        ({"unique_key": "total"}, True),
        ({"unique_key": "customer"}, False),
        ({"unique_key": ["total", "Customer"]}, False),
        ({"unique_key": "customer", "audit": "total > 0"}, True),
    ],
)
def test_staged(config: Any, staged: bool) -> None:
    """A unique_key that has the keys by which the query groups is proven by its plan."""
    dbt = new(Model(config=config))
    dbt.engine.audit = [0]
    assert plan(dbt) == of("create", staged=staged)


def test_deferred_only_where_there_is_nothing() -> None:
    deferred = Model(config={"build": "deferred"})
    assert plan(new(deferred)) == of("create", deferred=True)
    assert plan(new(deferred, full_refresh=True)) == of("create")
    assert plan(built(deferred)) == of("insert")


def test_alterations_go_with_an_insert_only() -> None:
    model = Model(config={"tblproperties": {"a": "1"}})
    alter = ["set tblproperties ('a' = '1')"]
    assert plan(built(model=model)) == of("nothing", method="fast", alterations=alter)
    assert plan(built(model=model, full_refresh=True)) == of("replace")


# Step refuse: what cannot be FAST is refused before the lock is taken.


STRICT = Model(config={"refresh": "fast"})


def test_refused_without_a_lock() -> None:
    dbt = built(STRICT)
    change_source(dbt)
    locks = dbt.engine.steps.count("acquire")
    (result,) = dbt.run()
    assert "refresh is 'fast' and this refresh cannot be: CHANGE_DATA_UNAVAILABLE" in result.message
    assert dbt.engine.steps.count("acquire") == locks


def test_what_can_be_fast_says_its_reason_once() -> None:
    dbt = with_feed(built(STRICT))
    change_source(dbt)
    (result,) = dbt.run()
    assert (
        result.message == "FAST v1, 6 rows: shop.orders v2 -> v3 (aggregate delta, 10 changed rows)"
    )


def test_others_are_not_asked() -> None:
    dbt = built()
    change_source(dbt)
    (result,) = dbt.run()
    assert result.message.startswith("COMPLETE")


def test_a_plan_of_before_the_lock_goes_with_it() -> None:
    """Another run was quicker with the first of two commits."""
    dbt = changed(refresh="fast")
    change_source(dbt, 50)
    row = dbt.engine.states[VIEW]

    def quicker(_: str) -> None:
        dbt.engine.on.clear()
        row["lock_token"] += 1
        row["sources"][0].update(version=3, commit_time=micros(40))

    dbt.engine.on["acquire"] = quicker
    (result,) = dbt.run()
    assert result.status == "success" and "orders v3 -> v4" in result.message
    assert "table_changes('`spark_catalog`.`shop`.`orders`', 4, 4)" in dbt.engine.sql("stage")
    assert row["lock_owner"] is None


def test_the_plan_made_before_leaves_what_was_written_since() -> None:
    """The file in target/run begins with the lock, not with what comes after the plan."""
    dbt = changed(refresh="fast")
    dbt.run()
    (text,) = dbt.written.values()
    steps = re.findall(r"dbt_mview step=(\w+) ", text)
    assert steps[0] == "acquire" and "publish" in steps


def test_what_another_run_published_while_this_one_looked_is_no_change_of_the_view() -> None:
    """State was read before the other run, the view's history after it."""
    dbt = changed(refresh="fast")

    def quicker(_: str) -> None:
        dbt.engine.on.clear()
        (other,) = Dbt(dbt.engine, *dbt.models, invocation_id=OTHER).run()
        assert other.message.startswith("FAST")

    dbt.engine.on["read_catalog"] = quicker
    (result,) = dbt.run()
    assert (result.status, result.message) == (
        "success",
        "SKIP nothing changed since shop.orders v3",
    )


def test_what_the_dead_have_published_is_not_published_again() -> None:
    """The plan was made before it was known; the changes since then are others."""
    dead = changed(refresh="fast")
    stop_at(dead, 3, True, Killed())
    with pytest.raises(Killed):
        dead.run()
    assert "publish" in dead.engine.steps
    change_source(dead, 50)
    dbt = restart(dead, minutes=120)
    (result,) = dbt.run()
    assert "orders v3 -> v4" in result.message
    assert "table_changes('`spark_catalog`.`shop`.`orders`', 4, 4)" in dbt.engine.sql("stage")


# on_configuration_change.


OLD = {"partition_by": [], "tblproperties": {}}
NEW = {"partition_by": ["a"], "tblproperties": {}}


def configuration(choice: str, spec: Any = None, **job: Any) -> tuple[Dbt, dict[str, Any]]:
    dbt = Dbt()
    given = {
        "layout": NEW, "full_refresh": False, "rendered": "s.v", "on_configuration_change": choice
    }  # fmt: skip
    state = {"spec": {"layout": OLD}}
    the_job = as_job({"state": state, "target": {"kind": "delta"}, "skip": None, **job})
    dbt("_inspect_configuration", {**given, **(spec or {})}, the_job)
    return dbt, the_job


def test_apply() -> None:
    dbt, job = configuration("apply")
    assert job["skip"] is None and dbt.warned == []


def test_continue() -> None:
    dbt, job = configuration("continue")
    assert job["skip"] == "configuration changed (partition_by), left alone: continue"
    assert dbt.warned == [
        "Configuration changes were identified and `on_configuration_change` was set to"
        " `continue` for `s.v`"
    ]


def test_fail() -> None:
    with pytest.raises(FailFastError, match=r"was set to `fail` for `s\.v`"):
        configuration("fail")


@pytest.mark.parametrize(
    ("spec", "job"),
    [
        ({"layout": OLD}, {}),
        ({"full_refresh": True}, {}),
        ({}, {"state": None}),
        ({}, {"state": {"spec": None}}),
        ({}, {"target": {"kind": "view"}}),
    ],
)
def test_nothing_to_compare(spec: Any, job: Any) -> None:
    dbt, the_job = configuration("fail", spec, **job)
    assert the_job["skip"] is None and dbt.warned == []


@pytest.mark.parametrize("full_refresh", [True, False])
@pytest.mark.parametrize(("was", "wanted"), [("/a/v", None), (None, "/b/v"), ("/a/v", "/b/v")])
def test_delta_moves_no_table(was: Any, wanted: Any, full_refresh: bool) -> None:
    state = {"spec": {"layout": {**OLD, "location": was}}}
    spec = {"mview_id": "c.s.v", "layout": {**OLD, "location": wanted}}
    spec["full_refresh"] = full_refresh
    told = f"is in {was or 'the warehouse'}, and location_root wants it in {wanted or 'the ware'}"
    with pytest.raises(DbtError, match=told):
        configuration("apply", spec, state=state)
    configuration("apply", spec, state=state, target={"kind": "missing"})
    configuration("continue", spec, state=state)


# Which parts of a layout ALTER can change.


COLUMNS = [{"name": "a", "type": "int"}]
LAYOUT = {
    "partition_by": [],
    "liquid_clustered_by": [],
    "location": None,
    "tblproperties": {},
    "constraints": {},
}


def alterations(old: dict[str, Any] | None, new: dict[str, Any]) -> Any:
    state = None if old is None else {"spec": {"layout": {**LAYOUT, **old}}}
    return Dbt()("_alterations", {"layout": {**LAYOUT, **new}}, {"state": state}, COLUMNS)


@pytest.mark.parametrize(
    ("old", "new", "clauses"),
    [
        ({}, {}, []),
        ({}, {"tblproperties": {"a'": "b'"}}, ["set tblproperties ('a\\'' = 'b\\'')"]),
        ({"tblproperties": {"a": "1"}}, {}, ["unset tblproperties if exists ('a')"]),
        (
            {"tblproperties": {"a": "1", "b": "2"}},
            {"tblproperties": {"b": "3", "c": "4"}},
            [
                "unset tblproperties if exists ('a')",
                "set tblproperties ('b' = '3', 'c' = '4')",
            ],
        ),
    ],
)
def test_by_alter(old: Any, new: Any, clauses: list[str]) -> None:
    assert alterations(old, new) == clauses


FEED = "delta.enableChangeDataFeed"
MODE = "delta.columnMapping.mode"
MAPPED = {MODE: "name"}
SET_MAPPED = [f"set tblproperties ('{MODE}' = 'name')"]
SET_NO_MODE = f"set tblproperties ('{MODE}' = 'none', '{FEED}' = 'true')"
SET, UNSET = f"set tblproperties ('{FEED}' = 'true')", f"unset tblproperties if exists ('{FEED}')"


@pytest.mark.parametrize(
    ("old", "new", "clauses"),
    [
        # A layout of an older release has no change_feed; None is the default: on.
        ({}, {"change_feed": None}, [SET]),
        ({}, {"change_feed": True}, [SET]),
        ({}, {"change_feed": False}, []),
        ({"change_feed": None}, {"change_feed": None}, []),
        ({"change_feed": None}, {"change_feed": True}, []),
        ({"change_feed": None}, {"change_feed": False}, [UNSET]),
        ({"change_feed": False}, {"change_feed": None}, [SET]),
        # The property itself wins.
        (
            {},
            {"change_feed": None, "tblproperties": {FEED: "false"}},
            [SET.replace("true", "false")],
        ),
        ({"tblproperties": {FEED: "true"}}, {"change_feed": None}, []),
        # No table has a feed and mapped columns, unless somebody asks for it.
        ({}, {"change_feed": None, "tblproperties": MAPPED}, SET_MAPPED),
        (
            {"change_feed": None},
            {"change_feed": None, "tblproperties": MAPPED},
            [UNSET, *SET_MAPPED],
        ),
        ({}, {"change_feed": None, "tblproperties": {MODE: "none"}}, [SET_NO_MODE]),
    ],
)
def test_the_feed_by_alter(old: Any, new: Any, clauses: list[str]) -> None:
    assert alterations(old, new) == clauses


def test_no_feed_over_columns_of_its_names() -> None:
    layout = {**LAYOUT, "change_feed": None}
    dbt, named = Dbt(), [{"name": "_Commit_Version", "type": "bigint"}]
    assert dbt("_properties", layout, COLUMNS) == {FEED: "true"}
    assert dbt("_properties", layout, named) == {}
    assert (
        dbt("_alterations", {"layout": layout}, {"state": {"spec": {"layout": LAYOUT}}}, named)
        == []
    )
    iceberg = {**layout, "tblproperties": {"delta.enableIcebergCompatV2": "true"}}
    assert dbt("_properties", iceberg, COLUMNS) == iceberg["tblproperties"]
    # Who asks for it gets Delta's own error.
    assert dbt("_properties", {**layout, "change_feed": True}, named) == {FEED: "true"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, {}),
        ({}, {"liquid_clustered_by": ["a"]}),
        ({"liquid_clustered_by": ["a"]}, {"liquid_clustered_by": ["b"]}),
        ({"liquid_clustered_by": ["a"]}, {}),
        ({}, {"partition_by": ["a"]}),
        ({"partition_by": ["a"]}, {}),
        ({"location": "/a"}, {"location": "/b"}),
        ({}, {"constraints": {"c": "x > 0"}}),
        ({"tblproperties": {"a": "1"}, "constraints": {"c": "x"}}, {}),
    ],
)
def test_by_replace(old: Any, new: Any) -> None:
    assert alterations(old, new) is None


def test_alter() -> None:
    dbt = Dbt()
    spec = {"name": "`s`.`v`", "rendered": "s.v"}
    job = as_job({"id": "j", "dry_run": False, "alterations": ["cluster by none", "set x"]})
    dbt("_alter", spec, job)
    assert [one.sql.split("\n")[1] for one in dbt.engine.log] == [
        "alter table `s`.`v` cluster by none",
        "alter table `s`.`v` set x",
    ]
    assert dbt.logged == ["Applying ALTER to: s.v"]
    dbt("_alter", spec, {**job, "alterations": []})
    assert len(dbt.engine.log) == 2
