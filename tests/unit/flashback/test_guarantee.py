"""What keeps a table readable: two properties, a commit that is not old, and both taken back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..kit.engine import Engine, delta, micros
from ..kit.harness import Dbt, DbtError
from .test_trackpoints import NOW, A, create, engine, new

FILES, LOG = "delta.deletedFileRetentionDuration", "delta.logRetentionDuration"
DAY = 1440
WEEK_OF_WINDOW = 7 * 86400


def alone(minute: float = 700) -> Engine:
    """One table, whose newest commit is of this minute."""
    found = engine()
    found.tables = {A: delta(minute - 1, minute, id="id-a")}
    found.registered = [A]
    return found


def noted(found: Engine, index: int = 0) -> str:
    return found.sql("guarantee", index)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("interval 1 week", 604800),
        ("interval 2 days 3 hours", 183600),
        ("INTERVAL 5 MINUTES 1 second", 301),
        ("168 hours", 604800),
        ("never", 0),
    ],
)
def test_intervals(text: str, seconds: int) -> None:
    assert Dbt()("_interval_micros", text) == seconds * 1_000_000


def test_by_default_a_table_is_guaranteed() -> None:
    found = alone()
    create(found)
    assert "vacuum" not in found.steps and "protect" not in found.steps
    assert f"timestamp_micros({NOW}), cast(null as string), cast(null as string)" in noted(found)


def test_it_is_noted_once() -> None:
    found = alone()
    found.infos = {A: ["id-a", micros(600), None, None, None]}
    create(found)
    assert "guarantee" not in found.steps


@pytest.mark.parametrize("protect", ["keep_alive", "none"])
def test_a_window_that_files_do_not_last_for_is_told(protect: str) -> None:
    found = alone()
    create(found, window=WEEK_OF_WINDOW, protect=protect)
    assert "protect" not in found.steps and "vacuum" not in found.steps
    assert "it keeps deleted files for 604800 s and its log for 2592000 s" in noted(found)
    assert "a window of 604800 s takes 694800 s of both" in noted(found)


def test_a_log_that_is_shorter_than_files_is_told() -> None:
    found = alone()
    found.tables[A].properties[LOG] = "interval 6 days"
    create(found)
    assert "for 604800 s and its log for 518400 s" in noted(found)


def test_set_changes_both_at_once_and_notes_what_they_were_first() -> None:
    found = alone()
    found.tables[A].properties[LOG] = "interval 8 days"
    create(found, window=WEEK_OF_WINDOW * 2, protect="set")
    steps = [step for step in found.steps if step in ("guarantee", "protect")]
    assert steps == ["guarantee", "protect", "guarantee"]
    hours = (WEEK_OF_WINDOW * 2 + 3600 + 86400) // 3600
    assert found.sql("protect").split("*/\n")[1] == (
        f"alter table `spark_catalog`.`shop`.`a` set tblproperties ('{FILES}' = 'interval {hours}"
        f" hours', '{LOG}' = 'interval {hours} hours')"
    )
    before = json.dumps({"before": {FILES: None, LOG: "interval 8 days"}})[:-1]
    assert before in noted(found)
    assert f"timestamp_micros({NOW}), cast(null as string)" in noted(found, 1)


@pytest.mark.parametrize(
    ("days", "window", "kept_alive"),
    [(3.4, 86400, True), (2.9, 86400, False), (3.4, 3600, False), (60, 3600, True)],
)
def test_a_quiet_table_is_kept_alive(days: float, window: int, kept_alive: bool) -> None:
    """When its newest commit is older than half of what is left: 7 d - window - lease."""
    found = alone(720 - days * DAY)
    create(found, window=window)
    assert ("vacuum" in found.steps) is kept_alive
    if kept_alive:
        assert found.sql("vacuum").endswith("vacuum `spark_catalog`.`shop`.`a` lite")
        assert found.tables[A].commits[-1].operation == "VACUUM END"
        assert f"timestamp_micros({NOW})" in noted(found).split("cast(null as string), ")[-1]


def test_where_the_log_was_cleaned_delta_refuses_lite() -> None:
    found = alone(720 - 6 * DAY)
    del found.tables[A].commits[0]
    create(found)
    assert found.sql("vacuum").endswith("vacuum `spark_catalog`.`shop`.`a`")


def test_none_does_nothing_and_says_so() -> None:
    found = alone(720 - 60 * DAY)
    create(found, protect="none")
    assert "vacuum" not in found.steps
    assert "its newest commit is older than Delta lets others be read" in noted(found)


def test_a_run_does_nothing_either() -> None:
    found = alone(720 - 60 * DAY)
    dbt = new(found)
    dbt("_inspect_table", A)
    dbt("_trackpoint_of_run")
    assert "vacuum" not in found.steps and "its newest commit is older" in noted(found)


def test_vacuum_that_writes_no_commit_is_told_and_not_sent_again_at_once() -> None:
    found = alone(720 - 60 * DAY)
    found.silent = True
    create(found)
    assert "spark.databricks.delta.vacuum.logging.enabled has to be true" in noted(found)
    found.infos = {A: ["id-a", None, "as before", None, NOW]}
    found.minute += 60
    create(found)
    assert found.steps.count("vacuum") == 1
    found.minute += DAY
    create(found)
    assert found.steps.count("vacuum") == 2


# Taken back.


OURS = {"before": {FILES: None, LOG: "interval 8 days"}, "set": {FILES: "x", LOG: "y"}}


def cleaned(found: Engine, readers: int = 0, **variables: Any) -> list[str]:
    found.plan_of_cleaning = [None, 0, 0, readers]
    new(found, **variables).operation("mview_trackpoint_clean")
    return [one.sql.split("*/\n")[1] for one in found.log if one.step == "protect"]


def test_off_takes_properties_back_that_are_still_ours() -> None:
    found = alone()
    found.infos = {A: ["id-a", NOW, None, json.dumps(OURS), None]}
    found.tables[A].properties = {FILES: "x", LOG: "y"}
    table = "alter table `spark_catalog`.`shop`.`a`"
    assert cleaned(found, enable=False) == [
        f"{table} unset tblproperties if exists ('{FILES}')",
        f"{table} set tblproperties ('{LOG}' = 'interval 8 days')",
    ]
    assert f"where relation in ('{A}')" in noted(found)
    found.forget()
    found.tables[A].properties = {FILES: "x", LOG: "somebody else's"}
    assert cleaned(found, enable=False) == [f"{table} unset tblproperties if exists ('{FILES}')"]


def test_not_while_somebody_reads_nor_while_it_is_on() -> None:
    found = alone()
    found.infos = {A: ["id-a", NOW, None, json.dumps(OURS), None]}
    found.tables[A].properties = {FILES: "x", LOG: "y"}
    assert cleaned(found, readers=1, enable=False) == []
    assert cleaned(found) == [] and "guarantee" not in found.steps


def test_what_is_no_longer_registered_gets_them_back() -> None:
    found = engine()
    found.registered = []
    found.infos = {A: ["id-a", NOW, None, json.dumps(OURS), None]}
    found.tables[A].properties = {FILES: "x"}
    create(found)
    assert "unset tblproperties" in found.sql("protect")


# mview_vacuum


def vacuumed(found: Engine, **args: Any) -> list[str]:
    return new(found, **args.pop("variables", {})).operation("mview_vacuum", **args)


def test_vacuum_of_all() -> None:
    found = engine()
    printed = vacuumed(found)
    assert [line.split() for line in printed[1:]] == [["shop.a", "done"], ["shop.b", "done"]]
    assert found.steps.count("vacuum") == 2


def test_vacuum_full_of_one() -> None:
    found = engine()
    vacuumed(found, table="shop.A", full=True)
    assert found.sql("vacuum").endswith("vacuum `spark_catalog`.`shop`.`a`")


def test_no_vacuum_where_files_do_not_last() -> None:
    found = engine()
    with pytest.raises(DbtError, match=r"mview_vacuum: .*shop\.a: it keeps deleted"):
        vacuumed(found, table="shop.a", variables={"window": WEEK_OF_WINDOW})
    assert "vacuum" not in found.steps
    assert "it keeps deleted" in vacuumed(found, variables={"window": WEEK_OF_WINDOW})[1]


def test_vacuum_without_a_commit() -> None:
    found = engine()
    found.silent = True
    with pytest.raises(DbtError) as error:
        vacuumed(found, table="shop.a")
    assert str(error.value) == (
        f"dbt_mview: mview_vacuum: {A}: VACUUM wrote no commit, as on s3a:"
        " spark.databricks.delta.vacuum.logging.enabled has to be true before Spark starts. Nothing"
        " else was done."
    )


def test_vacuum_of_what_is_not_registered() -> None:
    with pytest.raises(DbtError, match=r"shop.c: is no table that flashback keeps readable"):
        vacuumed(engine(), table="shop.c")


def test_a_dry_run_of_vacuum() -> None:
    found = engine()
    printed = vacuumed(found, dry_run=True)
    assert found.writes == [] and [line.endswith(" lite;") for line in printed] == [True, True]
