"""Step stage."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, Model
from ...kit.scenes import built, change_source, changed, with_feed

UNSTAGED = {"id": "j1", "dry_run": False, "staged": False, "fast": None}


def test_only_where_planned() -> None:
    dbt = Dbt()
    dbt("_stage", {}, UNSTAGED)
    assert dbt.engine.log == []


def test_changes() -> None:
    dbt = changed()
    (result,) = dbt.run()
    assert result.message == ("FAST v1, 6 rows: shop.orders v2 -> v3 (aggregate, 10 changed rows)")
    assert [step for step in dbt.engine.steps if "stage" in step or step == "publish"] == [
        "stage", "read_staged_changes", "publish"
    ]  # fmt: skip
    assert dbt.engine.steps.count("sweep") == 1


def test_changes_that_cannot_be_read_after_all() -> None:
    """Their files are gone: built anew in the same refresh."""
    dbt = changed()
    dbt.engine.feed_is_there = False
    (result,) = dbt.run()
    assert result.message == (
        "COMPLETE v1, 3 rows: shop.orders v2 -> v3 (aggregate, 10 changed rows); not FAST:"
        " CHANGE_DATA_UNAVAILABLE"
    )
    assert "\nreplace where 1 = 1\n" in dbt.engine.sql("publish")
    assert dbt.engine.steps.count("sweep") == 2, "files without a name go with a table of the name"


def test_fast_at_all_events_shows_the_error_of_the_engine() -> None:
    dbt = changed(refresh="fast")

    def refuse(sql: str) -> None:
        assert "\nbegin\n" not in sql
        raise RuntimeError("[DELTA_FILE_NOT_FOUND] x")

    dbt.engine.on["stage"] = refuse
    (result,) = dbt.run()
    assert result.message == "[DELTA_FILE_NOT_FOUND] x"
    assert "publish" not in dbt.engine.steps


def test_changes_that_cancel_out() -> None:
    dbt = changed()
    dbt.engine.staged = [0, 0]
    (result,) = dbt.run()
    assert result.message.startswith("FAST v0, 0 rows: shop.orders v2 -> v3")
    assert "publish" not in dbt.engine.steps and "sweep" in dbt.engine.steps


@pytest.mark.parametrize("config", [{}, {"refresh": "fast"}])
def test_groups_that_share_a_unique_key(config: Any) -> None:
    """A key that is only a part of the group's: whether it is one shows in the stage."""
    two = "Aggregate [k#1, l#2], [k#1, l#2, count(1) AS n#3L]"
    keyed = {"unique_key": "k"}
    dbt = with_feed(built(Model(config=keyed), Model(config={**keyed, **config})))
    change_source(dbt)
    dbt.engine.columns = [("k", "int"), ("l", "int"), ("n", "bigint")]
    view = dbt.engine.tables["spark_catalog.shop.totals"]
    view.columns = list(dbt.engine.columns)
    dbt.engine.explains(
        "k: int, l: int, n: bigint",
        f"Project [k#1, l#2, n#3L]\n+- Filter false\n   +- {two}\n"
        "      +- Relation spark_catalog.shop.orders[k#1,l#2] parquet",
    )
    dbt.engine.audit = [2]
    (result,) = dbt.run()
    if config:
        assert "cannot be: UNIQUE_KEY_OVER_ALL_ROWS" in result.message
    else:
        assert "audit failed: unique_key k (2 keys occur more than once)" in result.message
        assert dbt.engine.steps.count("stage") == 2
