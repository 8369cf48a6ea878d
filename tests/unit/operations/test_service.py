"""What a scheduler service asks for: models, and failures that it noted."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import Foreign, delta, micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.lexer import strings
from ..kit.log_engine import LogEngine
from ..kit.log_scenes import LOG, log_model, started
from ..kit.parsing import parse
from ..kit.scenes import MEMBER_IDS, MEMBERS, SOURCE, VIEW, again, built, group, lock, new

# meta.dbt_mview of a model.


NOTHING = {"priority": 3, "pool": None, "timeout": None}


def config(given: Any) -> Any:
    return Dbt()("_service_config", "c.s.v", {"meta": {"dbt_mview": given}})


@pytest.mark.parametrize("configs", [{}, {"meta": None}, {"meta": {"owner": "me"}}])
def test_nothing_is_given(configs: dict[str, Any]) -> None:
    assert Dbt()("_service_config", "c.s.v", configs) == NOTHING


@pytest.mark.parametrize(
    ("given", "means"),
    [
        ({"priority": 1}, {"priority": 1}),
        ({"priority": 5, "pool": "big"}, {"priority": 5, "pool": "big"}),
        ({"timeout": "1 hour 30 minutes"}, {"timeout": 5400}),
        ({"timeout": 90, "priority": None}, {"timeout": 90}),
    ],
)
def test_given(given: dict[str, Any], means: dict[str, Any]) -> None:
    assert config(given) == {**NOTHING, **means}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"prio": 4}, r'meta\.dbt_mview is \{"prio": 4\}\. Its keys are: priority, pool'),
        (["priority"], r"meta\.dbt_mview is \[\"priority\"\]\. Its keys are"),
        ({"priority": 0}, r"meta\.dbt_mview\.priority is 0\. Give 1 to 5"),
        ({"priority": 6}, r"meta\.dbt_mview\.priority is 6\. Give 1 to 5"),
        ({"priority": True}, r"meta\.dbt_mview\.priority is true\. Give 1 to 5"),
        ({"priority": "4"}, r'meta\.dbt_mview\.priority is "4"\. Give 1 to 5'),
        ({"pool": 3}, r"meta\.dbt_mview\.pool is 3\. Give the name of a pool"),
        ({"pool": " "}, r'meta\.dbt_mview\.pool is " "\. Give the name of a pool'),
        ({"timeout": "soon"}, r"meta\.dbt_mview\.timeout is 'soon'\. Give a duration"),
    ],
)
def test_refused(given: Any, says: str) -> None:
    with pytest.raises(DbtError, match=f"c.s.v: {says}"):
        config(given)


# mview_models.


VIEWS = "spark_catalog.shop_mview.mview_refresh_info"


def models(dbt: Dbt) -> dict[str, Any]:
    """What the one line says."""
    (line,) = dbt.operation("mview_models")
    found: dict[str, Any] = json.loads(line.removeprefix("models: "))
    return found


def test_of_the_project() -> None:
    found = models(new(variables={"dbt_mview:broken_after": 4, "dbt_mview:lease_seconds": 60}))
    assert {key: found[key] for key in ("project", "target", "broken_after", "lease")} == {
        "project": "shop", "target": "dev", "broken_after": 4, "lease": 60,
    }  # fmt: skip
    assert (found["clock"], found["method"]) == (micros(720), "thrift")
    views = {"name": VIEWS, "location": "file:/warehouse/mview_refresh_info"}
    assert found["tables"] == {"views": views, "logs": None}
    assert (found["took"], found["sources"], found["locations"]) == ({}, {}, {})


def test_models() -> None:
    given = {"priority": 5, "pool": "big", "timeout": "30 minutes"}
    totals = Model(config={"meta": {"dbt_mview": given}})
    table = Model("plain", materialized="table")
    dbt = Dbt(started().engine, totals, log_model(), table)
    found = models(dbt)
    common = {"group": None, "parents": [], "priority": 3, "pool": None, "timeout": None}
    special = {"priority": 5, "pool": "big", "timeout": 1800}
    assert found["models"] == [
        {
            **common,
            **special,
            "id": VIEW,
            "node": totals.unique_id,
            "kind": "view",
            "select": "shop.totals",
        },
        {
            **common,
            "id": LOG,
            "node": log_model().unique_id,
            "kind": "log",
            "select": "shop.orders_log",
        },
    ]
    assert found["tables"]["logs"]["location"] == "file:/warehouse/mlog_purge_info"


def test_members_are_selected_as_their_group() -> None:
    found = models(Dbt(new().engine, *MEMBERS))["models"]
    assert [model["id"] for model in found] == list(MEMBER_IDS)
    assert {(model["group"], model["select"]) for model in found} == {
        ("sales", "config.refresh_group:sales")
    }


def test_what_state_knows() -> None:
    """Sources of what waits for a change alone, each asked once for its place."""
    dbt = built()
    read = [
        {"relation": SOURCE, "table_id": "t-1", "version": 2, "commit_time": 5},
        {"relation": "spark_catalog.shop.gone", "version": 7},
        {"relation": "spark_catalog.shop.files", "version": None},
    ]
    dbt.engine.tables["spark_catalog.shop.files"] = Foreign()
    waits = {"schedule": {"on_update": True, "at_most_every": None}, "sources": read}
    dbt.engine.states[VIEW].update(waits, spec={"took": {"last": [["fast", 3, 1.25], ["x", 0, 9]]}})
    others = {"spark_catalog.shop.b": {"target_lag": 60}, "other.s.v": {"on_update": True}}
    for id_, schedule in others.items():
        dbt.engine.state(id_, sources=read[:1], schedule=schedule)
    found = models(Dbt(dbt.engine, Model(), Model("b")))
    assert found["took"] == {VIEW: 1.25}
    assert found["sources"] == {
        VIEW: [{"relation": one["relation"], "version": one["version"]} for one in read],
        "spark_catalog.shop.b": [{"relation": SOURCE, "version": 2}],
    }
    assert found["locations"] == {
        SOURCE: "file:/warehouse/orders",
        "spark_catalog.shop.gone": None,
        "spark_catalog.shop.files": None,
    }
    asked = [one.sql for one in dbt.engine.log if one.step == "read_describe_detail"]
    assert len(asked) == 2, "the table of state and the one source"


def test_what_waits_for_nothing_has_no_sources() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["schedule"] = {"every": 60}
    assert models(dbt)["sources"] == {}


def test_a_table_of_another_catalog_that_is_no_delta_table() -> None:
    dbt = built()
    dbt.engine.tables["lake.shop.t"] = Foreign("iceberg")
    dbt.engine.tables["lake.shop.d"] = delta(1)
    assert dbt("_location_of", "lake.shop.t") is None
    assert dbt("_location_of", "lake.shop.d") == "file:/warehouse/d"


def test_a_bad_config_names_its_model() -> None:
    dbt = new(Model(config={"meta": {"dbt_mview": {"priority": 6}}}))
    with pytest.raises(DbtError, match=rf"{VIEW}: meta\.dbt_mview\.priority is 6\."):
        models(dbt)


def test_only_reads() -> None:
    dbt = built()
    models(dbt)
    assert dbt.engine.writes == []


def test_dry_run_without_state() -> None:
    dbt = Dbt()
    *created, line = dbt.operation("mview_models", dry_run=True)
    assert dbt.engine.writes == [] and created
    assert json.loads(line.removeprefix("models: "))["tables"] == {"views": None, "logs": None}


# mview_note_failures.


REASON = "its process died three times"


def job_id(id_: str, run: str = "r1") -> str:
    return hashlib.md5((run + id_).encode()).hexdigest()


def note(dbt: Dbt, *ids: str, run: str = "r1", **args: Any) -> list[str]:
    """Notes failures, and lets history know of what was inserted."""

    def insert(sql: str) -> None:
        found = set(strings(sql)) if "insert into" in sql else set()
        jobs = {job_id(id_, run) for id_ in ids} & found
        dbt.engine.noted.update(dict.fromkeys(jobs, micros(dbt.engine.minute)))

    dbt.engine.on.update(record=insert, close_purge=insert)
    failures = {id_: f"{REASON}: {number}" for number, id_ in enumerate(ids)}
    return dbt.operation("mview_note_failures", failures=failures, run=run, **args)


def steps(dbt: Dbt) -> list[str]:
    return [one.step for one in dbt.engine.writes]


def test_a_view() -> None:
    dbt = built()
    row = dbt.engine.states[VIEW]
    row.update(next_time=micros(1), failures=1)
    note(dbt, VIEW)
    why = f"the run did not finish: {REASON}: 0"
    assert (row["failures"], row["last_refresh_result"]) == (2, "failed")
    assert (row["last_refresh_failed_reason"], row["lock_owner"]) == (why, None)
    assert row["retry_time"] and row["sources"], "what the last success has read stays"
    history = strings(dbt.engine.sql("record"))
    assert {job_id(VIEW), "r1", "failed", why, "complete"} <= set(history)


def test_twice_is_once() -> None:
    dbt = built()
    note(dbt, VIEW)
    before = dict(dbt.engine.states[VIEW])
    dbt = again(dbt, invocation_id="third")
    note(dbt, VIEW)
    assert dbt.engine.states[VIEW] == before and steps(dbt) == []
    note(dbt, VIEW, run="r2")
    assert dbt.engine.states[VIEW]["failures"] == 2


def test_a_note_that_died_between_history_and_row_is_finished() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["last_refresh_time"] = micros(700)
    dbt.engine.noted[job_id(VIEW)] = micros(710)
    note(dbt, VIEW)
    assert dbt.engine.states[VIEW]["failures"] == 1


def test_a_refresh_since_has_settled_it() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["last_refresh_time"] = micros(711)
    dbt.engine.noted[job_id(VIEW)] = micros(710)
    note(dbt, VIEW)
    assert dbt.engine.states[VIEW]["failures"] is None and steps(dbt) == []


def test_what_somebody_holds_is_left_alone() -> None:
    dbt = built()
    lock(dbt, lease_until=micros(1))
    before = dict(dbt.engine.states[VIEW])
    note(dbt, VIEW)
    assert dbt.engine.states[VIEW] == before and steps(dbt) == []


def test_members_of_a_group_in_two_commits() -> None:
    dbt = group()
    note(dbt, *MEMBER_IDS, "c.s.unknown")
    assert steps(dbt) == ["record", "record"]
    assert [dbt.engine.states[id_]["failures"] for id_ in MEMBER_IDS] == [1, 1]
    reasons = {dbt.engine.states[id_]["last_refresh_failed_reason"][-1] for id_ in MEMBER_IDS}
    assert reasons == {"0", "1"}, "each its own"
    assert "'sales'" in dbt.engine.sql("record"), "history shows them as one line"


def test_a_log(golden: Golden) -> None:
    dbt = started()
    engine = dbt.engine
    assert isinstance(engine, LogEngine)
    note(dbt, LOG, "c.s.unknown")
    assert engine.log_rows[LOG]["failures"] == 1
    purge = engine.purges[job_id(LOG)]
    assert (purge["purge_status"], purge["purge_method"]) == ("failed", "automatic")
    assert "the purge did not finish: its process died" in engine.sql("close_purge")
    asked = [one.sql for one in engine.log if one.step == "read_noted"][-1].split("*/\n", 1)[1]
    charged = engine.sql("close_purge", 1)
    texts = [asked, charged[charged.rindex("update ") : charged.rindex(";\n")]]
    assert all(parse(text) for text in texts)
    golden("note_failed_purge", "\n;\n".join(texts))
    note(again(dbt), LOG)
    assert engine.log_rows[LOG]["failures"] == 1


def test_a_log_that_is_being_purged() -> None:
    dbt = started()
    engine = dbt.engine
    assert isinstance(engine, LogEngine)
    engine.log_rows[LOG] = {"lock_owner": "somebody", "lock_token": 1, "lease_until": micros(900)}
    note(dbt, LOG)
    assert steps(dbt) == []


def test_nothing_failed() -> None:
    dbt = built()
    note(dbt)
    assert dbt.engine.log == [] or steps(dbt) == []


def test_no_mapping() -> None:
    with pytest.raises(DbtError, match=r'failures is \["v"\]\. Give a reason for each mview_id'):
        built().operation("mview_note_failures", failures=["v"], run="r1")


def test_dry_run() -> None:
    dbt = built()
    before = dict(dbt.engine.states[VIEW])
    printed = note(dbt, VIEW, dry_run=True)
    assert [line.split("step=")[1].split()[0] for line in printed] == ["record", "record"]
    assert dbt.engine.states[VIEW] == before
