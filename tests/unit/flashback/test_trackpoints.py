"""Track points: one moment before the first look, one commit, and only what changed."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import FLASHBACK, Engine, delta, micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.scenes import SOURCE

ON = {"dbt_mview:flashback_enable": True}
A, B = "spark_catalog.shop.a", "spark_catalog.shop.b"
NOW = micros(720)
T = NOW - 2_000_000
DAY = 1440


def engine(used: bool = True) -> Engine:
    """Two tables that views read."""
    found = Engine()
    found.built_state()
    found.schemas.add("shop")
    found.tables[A] = delta(10, 20, id="id-a")
    found.tables[B] = delta(15, id="id-b")
    found.registered = [A, B]
    if used:
        found.has_flashback()
    return found


def new(found: Engine, **variables: Any) -> Dbt:
    given = {f"dbt_mview:flashback_{name}": value for name, value in variables.items()}
    return Dbt(found, variables={**ON, **given})


def create(found: Engine, **variables: Any) -> list[str]:
    return new(found, **variables).operation("mview_trackpoint_create")


def test_the_moment_is_before_the_first_look() -> None:
    found = engine()
    create(found)
    looks = [at for at, step in enumerate(found.steps) if step == "read_describe_history"]
    assert found.steps.index("read_clock") < looks[0]
    assert {point[0] for point in found.points} == {T}
    assert "'txnAppId' = 'dbt_mview:trackpoints', 'txnVersion'" in found.sql("trackpoint")


def test_a_commit_that_was_made_after_the_moment_is_not_in_it() -> None:
    found = engine()
    found.tables[A].commit(720 - 1 / 60)
    found.tables[B].commit(720 - 2 / 60)
    create(found)
    assert sorted(point[1:4:2] for point in found.points) == [(A, 1), (B, 1)]


def test_the_first_of_a_day_has_all_tables() -> None:
    found = engine()
    assert create(found) == [
        "dbt_mview: track point of 2024-03-01 11:59:58.000Z: 2 of 2 tables changed,"
        " first of its day"
    ]
    found.minute = 730
    found.tables[A].commit(725)
    create(found)
    found.minute = 740
    assert create(found)[0].endswith("0 of 2 tables changed")
    assert [point[1:4:2] for point in sorted(found.points)] == [(A, 1), (B, 0), (A, 2)]
    assert found.steps.count("trackpoint") == 2, "nothing changed: no commit"
    found.minute = 720 + DAY
    assert create(found)[0].endswith("2 of 2 tables changed, first of its day")
    assert len(found.points) == 5 and "true" in found.sql("trackpoint", 2)


def test_a_table_that_was_dropped_and_created_is_another_one() -> None:
    found = engine()
    create(found)
    found.tables[A] = delta(725, 726, id="id-new")
    found.minute = 730
    create(found)
    (last,) = [point for point in found.points if point[0] > T]
    assert last[1:4] == (A, "id-new", 1)


def test_what_is_gone_or_no_delta_table_is_left_out() -> None:
    found = engine()
    del found.tables[B]
    found.registered.append("spark_catalog.nowhere.c")
    create(found)
    assert [point[1] for point in found.points] == [A]


def test_the_least_distance() -> None:
    found = engine()
    create(found, trackpoint_create_interval=60)
    found.minute += 0.5
    assert create(found, trackpoint_create_interval=60)[0].endswith(
        "the last track point is of 2024-03-01 11:59:58.000Z, and they are 60 s apart at least"
    )
    assert found.steps.count("trackpoint") == 1


def test_the_first_one_makes_the_tables() -> None:
    found = engine(used=False)
    assert not set(FLASHBACK) & set(found.state_tables)
    create(found)
    assert set(FLASHBACK) <= set(found.state_tables) and len(found.points) == 2


def test_a_dry_run_writes_nothing() -> None:
    found = engine(used=False)
    printed = new(found).operation("mview_trackpoint_create", dry_run=True)
    assert found.writes == []
    steps = [line.split("step=")[1].split()[0] for line in printed]
    assert steps == ["ensure_state"] * 3 + ["trackpoint", "guarantee"]


def test_off_is_off() -> None:
    with pytest.raises(DbtError, match="mview_trackpoint_create: flashback is disabled"):
        create(engine(), enable=False)


@pytest.mark.parametrize(("flag", "names"), [(True, [A, B]), (False, [B])])
def test_what_models_say(flag: bool, names: list[str]) -> None:
    found = engine()
    model = Model("a", config={"meta": {"dbt_mview": {"flashback": flag}}}, materialized="table")
    dbt = Dbt(found, model, variables=ON)
    found.registered = [B] if flag else [A, B]
    dbt.operation("mview_trackpoint_create")
    assert sorted(point[1] for point in found.points) == names


def test_another_word_is_refused() -> None:
    model = Model("a", config={"meta": {"dbt_mview": {"flashback": "on"}}})
    with pytest.raises(DbtError, match=r'shop.a: meta.dbt_mview.flashback is "on"'):
        Dbt(engine(), model, variables=ON).operation("mview_trackpoint_create")


# A run makes one from the looks that it makes anyway.


def ran(found: Engine, *models: Model, **variables: Any) -> Engine:
    found.tables[SOURCE] = delta(10, 20, 30, columns="customer string, amount bigint", id="t-1")
    found.reads(SOURCE)
    dbt = Dbt(found, *models, variables={**ON, **variables})
    assert [result.status for result in dbt.run()] == ["success"]
    return found


def test_a_run_makes_one() -> None:
    found = engine()
    found.points = [(T - 60_000_000, A, "id-a", 1, micros(20))]
    ran(found)
    (point,) = [one for one in found.points if one[0] == T]
    assert point[1:] == (SOURCE, "t-1", 2, micros(30))
    assert found.steps[-1] != "vacuum" and "vacuum" not in found.steps


def test_the_first_run_of_a_day_looks_at_all() -> None:
    found = ran(engine())
    assert {one[1] for one in found.points} == {A, B, SOURCE}, "those that state knows"


def test_a_run_without_flashback_asks_nothing_of_it() -> None:
    """Neither at its end, nor where its tables are there."""
    plain = ran(engine(used=False), **{"dbt_mview:flashback_enable": False})
    used = ran(engine(), **{"dbt_mview:flashback_enable": False})
    assert used.steps == plain.steps
    assert not {"read_trackpoints", "trackpoint", "reader"} & set(used.steps)
