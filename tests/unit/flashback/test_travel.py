"""as_of beside track points and readers: what they know, and in which order they are asked."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Engine, delta, micros
from ..kit.harness import Dbt, DbtError, Relation

NAME = "spark_catalog.shop.t"
T = Relation(None, "shop", "t")
ON = {"dbt_mview:flashback_enable": True}


def project(*minutes: float, points: tuple[tuple[float, str, int, float], ...] = ()) -> Dbt:
    """points: (when, table id, version, when that was committed), in minutes."""
    engine = Engine()
    engine.has_flashback()
    engine.tables[NAME] = delta(*minutes, id="t-1")
    engine.points = [
        (micros(at), NAME, table, version, micros(commit)) for at, table, version, commit in points
    ]
    return Dbt(engine, variables=ON)


KNOWN = ((12.2, "t-1", 2, 12), (13.1, "t-1", 3, 13))


def test_a_track_point_spares_the_history_of_a_long_table() -> None:
    dbt = project(*range(10, 40), points=KNOWN)
    assert dbt("as_of", T, "2024-03-01 00:12:30") == "shop.t version as of 2"
    asked = [one.sql for one in dbt.engine.log if one.step == "read_describe_history"]
    assert all(" limit " in sql for sql in asked) and len(asked) == 2
    without = project(*range(10, 40))
    assert without("as_of", T, "2024-03-01 00:12:30") == "shop.t version as of 2"
    assert " limit " not in without.engine.sql("read_describe_history", 1)


def test_the_newest_commits_are_asked_first() -> None:
    dbt = project(10, 20, 30, points=KNOWN)
    assert dbt("as_of", T, "2024-03-01 00:20") == "shop.t version as of 1"
    assert "read_trackpoints" not in dbt.engine.steps


@pytest.mark.parametrize("commits", [2, 3, 40])
def test_another_table_of_that_name_is_told_apart(commits: int) -> None:
    dbt = project(*range(100, 100 + commits), points=KNOWN)
    with pytest.raises(DbtError) as error:
        dbt("as_of", T, "2024-03-01 00:12:30")
    assert str(error.value) == (
        f"dbt_mview: {NAME}: it was dropped and created since '2024-03-01 00:12:30', when it was at"
        " v2 of 2024-03-01 00:12:00Z. Give a later time."
    )


def test_a_log_that_was_cleaned_is_not_taken_for_another_table() -> None:
    dbt = project(*range(10, 40), points=KNOWN)
    del dbt.engine.tables[NAME].commits[:15]
    with pytest.raises(DbtError, match=r"what it was at '.*' is gone from its log, which begins"):
        dbt("as_of", T, "2024-03-01 00:12:30")


def test_a_reader_says_so_before_it_looks_and_again_for_an_earlier_time() -> None:
    dbt = project(10, 20, 30)

    def said() -> Any:
        return [step for step in dbt.engine.steps if step in ("reader", "read_describe_history")]

    dbt("as_of", T, "2024-03-01 00:25")
    dbt("as_of", T, "2024-03-01 00:26")
    assert said() == ["reader", "read_describe_history"]
    dbt("as_of", T, "2024-03-01 00:15")
    assert said() == ["reader", "read_describe_history", "reader"]


def test_what_was_cleaned_is_refused() -> None:
    dbt = project(10, 20, 30)
    dbt.engine.low = micros(22)
    assert dbt("as_of", T, "2024-03-01 00:25") == "shop.t version as of 1"
    with pytest.raises(DbtError, match="outside of the window, which begins at 2024-03-01 00:22"):
        dbt("as_of", T, "2024-03-01 00:21")
