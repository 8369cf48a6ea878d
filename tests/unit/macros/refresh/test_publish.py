"""Step publish: one commit."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.scenes import built, change_source, changed, new, small


@pytest.mark.parametrize("scene", [new, built])
def test_one_commit_on_the_view(scene: object) -> None:
    dbt: Dbt = scene()  # type: ignore[operator]
    change_source(dbt)
    dbt.run()
    assert dbt.engine.steps.count("publish") == 1
    assert "raise_error('dbt_mview: lock lost" in dbt.engine.sql("publish")


def at_once(**config: Any) -> Dbt:
    """Changes of groups of a small view: they are read where they are published."""
    return small(changed(**config))


def steps(dbt: Dbt) -> list[str]:
    """Those that write to the view or a stage."""
    return [step for step in dbt.engine.steps if step in ("stage", "publish", "sweep")]


SAID = "6 rows: shop.orders v2 -> v3 (aggregate, 10 changed rows)"


def test_changes_without_a_stage() -> None:
    dbt = at_once()
    (result,) = dbt.run()
    assert result.message == f"FAST v1, {SAID}"
    assert steps(dbt) == ["publish"]


@pytest.mark.parametrize("config", [{}, {"refresh": "fast"}])
def test_a_group_in_doubt_is_looked_at(config: Any) -> None:
    """The statement fails on it; then the changes are staged, and the group is computed again."""
    dbt = at_once(**config)
    dbt.engine.in_doubt, dbt.engine.staged = True, [3, 1]
    (result,) = dbt.run()
    assert result.message == f"FAST v1, {SAID}"
    assert steps(dbt) == ["publish", "stage", "publish", "sweep"]
    sent = [statement.sql for statement in dbt.engine.log if statement.step == "publish"]
    assert ["a._mview_doubt" in sql for sql in sent] == [False, True]


def test_any_other_error_comes_again() -> None:
    """The text of the first one is lost, as a script's are; the second one is the user's."""
    dbt = at_once()

    def refuse(sql: str) -> None:
        if "in doubt" not in sql:
            raise RuntimeError("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")

    dbt.engine.in_doubt = True
    dbt.engine.on["publish"] = refuse
    (result,) = dbt.run()
    assert result.message == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert steps(dbt) == ["publish", "stage", "publish", "sweep"]


def test_changes_that_are_gone_are_not_read_twice() -> None:
    """Neither by the publish nor by the stage: the view is built anew."""
    dbt = at_once()
    dbt.engine.feed_is_there = False
    (result,) = dbt.run()
    assert result.message.startswith("COMPLETE v1, 3 rows") and steps(dbt)[:2] == [
        "publish",
        "stage",
    ]
