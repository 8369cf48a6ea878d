"""Who reads the past, what cleaning does, and what track points say of a time."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Engine, micros
from ..kit.harness import Dbt, DbtError, Relation
from .test_trackpoints import NOW, ON, A, B, engine, new

HOUR = 3_600_000_000


def test_a_reader_says_so_once() -> None:
    found = engine()
    dbt = new(found)
    dbt("_register_reader", NOW - HOUR, A)
    dbt("_register_reader", NOW - HOUR // 2, B)
    assert found.steps.count("reader") == 1
    sql = found.sql("reader")
    assert f"timestamp_micros({NOW - HOUR})" in sql
    assert "current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 3600)" in sql
    dbt("_register_reader", NOW - 2 * HOUR, A)
    assert found.steps.count("reader") == 2, "an earlier time"


def test_it_is_renewed_when_half_of_the_lease_is_over() -> None:
    found = engine()
    dbt = new(found)
    dbt("_register_reader", NOW - HOUR, A)
    dbt("_memory")["reader"]["said"] -= 1799 * 1_000_000
    dbt("_register_reader", NOW - HOUR, A)
    assert found.steps.count("reader") == 1
    dbt("_memory")["reader"]["said"] -= 2 * 1_000_000
    dbt("_register_reader", NOW - HOUR // 2, A)
    assert found.steps.count("reader") == 2
    assert f"timestamp_micros({NOW - HOUR})" in found.sql("reader", 1), "the lowest stays"


def test_it_says_so_before_it_asks_what_was_cleaned() -> None:
    found = engine()
    found.low = NOW - HOUR
    with pytest.raises(DbtError) as error:
        new(found)("_register_reader", NOW - HOUR - 1000, A)
    assert found.steps.index("reader") < found.steps.index("read_flashback_low")
    assert str(error.value).startswith(
        f"dbt_mview: {A}: 2024-03-01 10:59:59.999Z is outside of the window, which begins at"
        " 2024-03-01 11:00:00.000Z: what was before has been cleaned."
    )
    new(found)("_register_reader", NOW - HOUR, A)


def test_it_says_so_before_it_chooses_a_version() -> None:
    """So no cleaning comes between."""
    found = engine()
    new(found)("as_of", Relation(None, "shop", "a"), "2024-03-01 11:00:00")
    assert found.steps.count("reader") == 1
    assert found.steps.index("reader") < found.steps.index("read_describe_history")


def test_the_end_of_a_run_takes_it_back() -> None:
    found = engine()
    dbt = new(found)
    dbt("_register_reader", NOW - HOUR, A)
    dbt("_on_run_end", [])
    assert "delete from `shop_mview`.`mview_flashback_readers`" in found.sql("reader", 1)
    assert dbt.invocation_id in found.sql("reader", 1)
    dbt("_release_reader")
    assert found.steps.count("reader") == 2


def test_a_run_that_did_not_read_the_past_has_nothing_to_take_back() -> None:
    found = engine()
    new(found)("_on_run_end", [])
    assert "reader" not in found.steps


# Cleaning


def clean(found: Engine, **variables: Any) -> list[str]:
    return new(found, **variables).operation("mview_trackpoint_clean")


def test_first_it_is_said_then_it_is_deleted() -> None:
    found = engine()
    found.plan_of_cleaning = [NOW - HOUR, 3, 40, 0]
    assert clean(found) == [
        "dbt_mview: 3 rows of track points deleted, readable from 2024-03-01 11:00:00.000Z"
    ]
    low, delete = (one.sql for one in found.log if one.step == "clean")
    assert f"timestamp_micros({NOW - HOUR}) as low_time" in low and "greatest(" in low
    assert "when matched then delete" in delete
    assert "`mview_flashback_readers`\n    where until > current_timestamp()" in delete
    assert "make_interval(0, 0, 0, 0, 0, 0, 86400)" in delete and "<= 8000000" in delete


def test_nothing_to_clean_writes_nothing() -> None:
    found = engine()
    assert clean(found) == ["dbt_mview: 0 rows of track points deleted"]
    assert found.writes == []


def test_nothing_was_ever_made() -> None:
    found = engine(used=False)
    assert clean(found) == ["dbt_mview: there are no track points"]
    assert found.writes == []


def test_a_dry_run_of_cleaning() -> None:
    found = engine()
    found.plan_of_cleaning = [NOW - HOUR, 3, 40, 0]
    printed = new(found).operation("mview_trackpoint_clean", dry_run=True)
    assert found.writes == [] and [line.split("step=")[1][:5] for line in printed] == ["clean"] * 2


def test_off_cleans_all() -> None:
    found = engine()
    found.plan_of_cleaning = [NOW, 3, 40, 0]
    clean(found, enable=False)
    assert "or c.readers = 0" in found.sql("clean", 1)


# What track points say


def stored(found: Engine, at: int) -> Any:
    version = new(found)("_stored_version", A, at)
    return version and version["version"]


def minute(number: float) -> int:
    return micros(number)


def test_a_row_says_what_was_since_its_commit() -> None:
    found = engine()
    found.points = [
        (minute(30), A, "id-a", 3, minute(20)),
        (minute(60), A, "id-a", 4, minute(50)),
        (minute(90), A, "id-a", 7, minute(80)),
    ]
    said = {at: stored(found, minute(at)) for at in (10, 20, 25, 30, 40, 50, 55, 70, 80, 85, 90)}
    assert said == {
        10: None,  # before the first row's commit: nobody knows
        20: None,  # so near to a commit history knows better
        25: 3,
        30: 3,
        40: 3,  # v4 is the next one
        50: None,
        55: 4,
        70: None,  # v5 and v6 came at times that are not known
        80: None,
        85: 7,
        90: 7,
    }
    assert stored(found, minute(95)) is None, "after the last one"


def test_rows_of_an_older_table_of_the_name_say_nothing() -> None:
    found = engine()
    found.points = [
        (minute(30), A, "id-old", 3, minute(20)),
        (minute(60), A, "id-a", 4, minute(50)),
    ]
    assert stored(found, minute(25)) is None and stored(found, minute(40)) is None
    assert stored(found, minute(55)) == 4


def test_without_track_points_nothing_is_asked() -> None:
    found = engine(used=False)
    assert stored(found, minute(25)) is None
    assert "read_trackpoints" not in found.steps


# Status


def test_status() -> None:
    found = engine()
    found.status = [3, NOW - HOUR, NOW, 17, 2]
    found.infos = {
        A: ["id-a", NOW, None, None, None],
        B: ["id-b", None, "it is too old", None, None],
    }
    printed = new(found).operation("mview_flashback_status")
    assert [line.split() for line in printed[1:10]] == [
        ["enabled", "true"],
        ["history_views", "3"],
        ["up_time", "2024-03-01", "11:00:00.000Z"],
        ["low_time", "2024-03-01", "12:00:00.000Z"],
        ["history_length", "17"],
        ["history_limit", "8000000"],
        ["readers", "2"],
        ["registered", "2"],
        ["not_guaranteed", "1"],
    ]
    assert printed[11].split(maxsplit=1) == ["shop.b", "it is too old"]


def test_status_where_nothing_was_made() -> None:
    printed = Dbt(engine(used=False)).operation("mview_flashback_status")
    assert [line.split()[1] for line in printed[1:5]] == ["false", "0", "-", "-"]


def test_a_dry_run_of_status() -> None:
    found = engine()
    (printed,) = Dbt(found, variables=ON).operation("mview_flashback_status", dry_run=True)
    assert printed.startswith("with low as (") and found.log == []
