"""Step refuse: what cannot be FAST is refused before the lock is taken."""

from __future__ import annotations

import pytest

from ...kit.deaths import Killed, restart, stop_at
from ...kit.engine import micros
from ...kit.harness import Model
from ...kit.scenes import VIEW, built, change_source, changed, with_feed

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
    assert result.message == "FAST v1, 6 rows: shop.orders v2 -> v3 (aggregate, 10 changed rows)"


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
