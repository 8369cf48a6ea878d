"""as_of: which version, how it is written, and every error by its text."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Delta, Engine, Foreign, View, delta, micros
from ..kit.harness import Dbt, DbtError, Model, Relation

NAME = "spark_catalog.shop.t"
V, W = "spark_catalog.shop.v", "spark_catalog.shop.w"
T = Relation(None, "shop", "t")
ON = {"dbt_mview:flashback_enable": True}
AT = "2024-03-01 00:%s"


def project(*minutes: float, **options: Any) -> Dbt:
    """A table with a commit at each of these minutes; it is noon."""
    engine = Engine()
    engine.built_state()
    engine.tables[NAME] = delta(*(minutes or (10, 20, 30)), columns="id int, n int")
    return Dbt(engine, **{"variables": ON, **options})


def table(dbt: Dbt) -> Delta:
    found: Delta = dbt.engine.tables[NAME]
    return found


def refused(dbt: Dbt, *args: Any, **kwargs: Any) -> str:
    """The error of a call, without its prefix."""
    with pytest.raises(DbtError) as error:
        dbt("as_of", *args, **kwargs)
    return str(error.value).removeprefix("dbt_mview: ")


# Where nothing is asked.


def test_parsing_gives_the_relation_so_that_lineage_stays() -> None:
    dbt = project()
    dbt.context["execute"] = False
    assert dbt("as_of", T, "garbage") is T
    assert dbt.engine.log == []


def test_a_unit_test_gives_the_relation() -> None:
    dbt = project(variables={})
    dbt.context["model"] = {"resource_type": "unit_test", "unique_id": "unit_test.shop.x"}
    rows = Relation(None, "", "__dbt__cte__t", "cte")
    assert dbt("as_of", rows, AT % "20") is rows
    assert dbt.engine.log == []


# Which version.


@pytest.mark.parametrize(
    ("at", "version"),
    [("10", 0), ("19:59.999", 0), ("20:00", 1), ("20:00.001", 1), ("30", 2), ("59", 2)],
)
def test_the_last_one_at_or_before(at: str, version: int) -> None:
    assert project()("as_of", T, AT % at) == f"shop.t version as of {version}"


def test_all_of_a_long_history_is_read_where_it_has_to_be() -> None:
    dbt = project(*range(10, 40))
    assert dbt("as_of", T, AT % "39:30") == "shop.t version as of 29"
    assert dbt.engine.steps.count("read_describe_history") == 1
    assert dbt("as_of", T, AT % "12") == "shop.t version as of 2"
    assert dbt.engine.steps.count("read_describe_history") == 2


def test_before_its_history_is_an_error() -> None:
    assert refused(project(), T, AT % "09:59") == (
        f"{NAME}: it did not exist at '2024-03-01 00:09:59': its history begins at v0 of 2024-03-01"
        " 00:10:00Z. Give a later time."
    )


def test_a_log_that_was_cleaned_is_an_error() -> None:
    dbt = project(*range(10, 30))
    del table(dbt).commits[:12]
    assert dbt("as_of", T, AT % "22") == "shop.t version as of 12"
    assert refused(dbt, T, AT % "21:59") == (
        f"{NAME}: what it was at '2024-03-01 00:21:59' is gone from its log, which begins at v12 of"
        " 2024-03-01 00:22:00Z. Give a later time."
    )


SAME = ["VACUUM START", "VACUUM END", "OPTIMIZE", "COMPUTE STATS"]
OTHER = ["WRITE", "MERGE", "DELETE", "UPDATE", "SET TBLPROPERTIES", "ADD COLUMNS",
         "CHANGE COLUMN", "RENAME COLUMN", "RESTORE", "REORG", "CREATE OR REPLACE TABLE",
         "TRUNCATE", ""]  # fmt: skip


@pytest.mark.parametrize("operation", SAME)
def test_a_commit_that_changes_nothing_is_a_way_to_read_what_was(operation: str) -> None:
    dbt = project(10, 20)
    for minute in (40, 41):
        table(dbt).commit(minute, operation)
    table(dbt).commit(50)
    table(dbt).commit(60, operation)
    assert dbt("as_of", T, AT % "20") == "shop.t version as of 3"
    assert dbt("as_of", T, AT % "10") == "shop.t version as of 0"
    assert dbt("as_of", T, AT % "50") == "shop.t version as of 5"
    assert dbt("as_of", T, version=1) == "shop.t version as of 3"


@pytest.mark.parametrize("operation", OTHER)
def test_no_step_over_one_that_may_change_something(operation: str) -> None:
    dbt = project(10, 20)
    table(dbt).commit(40, operation)
    table(dbt).commit(41, "VACUUM END")
    assert dbt("as_of", T, AT % "20") == "shop.t version as of 1"


def test_what_delta_does_not_read_is_an_error() -> None:
    dbt = project(-11 * 1440, 20, 30, variables={**ON, "dbt_mview:flashback_window": 2592000})
    dbt.engine.unreadable = [0]
    assert dbt("as_of", T, AT % "20") == "shop.t version as of 1"
    assert refused(dbt, T, "-10 days") == (
        f"{NAME}: v0 of 2024-02-19 00:00:00Z cannot be read: Delta keeps 168 hours, and its commit"
        " is older. Give a later time. So that older ones stay, its"
        " delta.deletedFileRetentionDuration and delta.logRetentionDuration have to be longer, or"
        " register it (docs/flashback.md)."
    )


def project_with(dbt: Dbt) -> Dbt:
    """The next invocation."""
    return Dbt(dbt.engine, variables=dbt.variables, invocation_id="next")


@pytest.mark.parametrize(
    ("minutes", "at", "probes"),
    [
        ((-10 * 1440, -9 * 1440), "-9 days", 0),  # the newest
        ((-10 * 1440, 20), "-8 days", 1),
        ((-6.6 * 1440, 20), "-6 days", 1),  # it may be too old before the run ends
        ((-6.3 * 1440, 20), "-6 days", 0),
    ],
)
def test_delta_is_asked_about_what_it_may_refuse(
    minutes: tuple[float, ...], at: str, probes: int
) -> None:
    dbt = project(*minutes, variables={**ON, "dbt_mview:flashback_window": 2592000})
    dbt("as_of", T, at)
    assert dbt.engine.steps.count("read_version") == probes


def test_a_run_asks_once_for_each_time() -> None:
    dbt = project()
    first = dbt("as_of", T, AT % "20")
    asked = len(dbt.engine.log)
    table(dbt).commit(20.0)
    assert dbt("as_of", T, AT % "20:00") == first
    assert len(dbt.engine.log) == asked
    assert project_with(dbt)("as_of", T, AT % "20") != first, (
        "what an earlier one knew is forgotten"
    )


def test_a_look_before_the_time_does_not_do() -> None:
    """A commit may have come between the look and the time."""
    dbt = project()
    dbt("_inspect_table", NAME)["at"] -= 60_000_000
    table(dbt).commit(719.5)
    assert dbt("as_of", T, "-30 seconds") == "shop.t version as of 3"


# A version.


def test_a_version() -> None:
    dbt = project()
    assert dbt("as_of", T, version=1) == dbt("as_of", T, version="1") == "shop.t version as of 1"
    assert dbt("as_of", T, version=0) == "shop.t version as of 0"


@pytest.mark.parametrize("version", ["x", -1, 1.5, True, "1; drop table t", ""])
def test_no_version(version: Any) -> None:
    assert refused(project(), T, version=version) == (
        f"{NAME}: '{version}' is no version. Give a whole number, such as 5."
    )


def test_a_version_that_is_not_there() -> None:
    dbt = project(*range(10, 30))
    assert refused(dbt, T, version=20) == (
        f"{NAME}: it has no v20: its newest version is v19. Give one that there is."
    )
    del table(dbt).commits[:12]
    assert refused(project_with(dbt), T, version=9) == (
        f"{NAME}: v9 is gone from its log, which begins at v12 of 2024-03-01 00:22:00Z. Give a"
        " later one."
    )


# What may be asked for.


def test_a_time_or_a_version() -> None:
    both = f"{NAME}: as_of takes a timestamp or a version. Give one."
    assert refused(project(), T) == refused(project(), T, "-1 day", 3) == both


def test_switched_off() -> None:
    text = f"{NAME}: flashback is disabled. Set the var dbt_mview:flashback_enable to true."
    assert refused(project(variables={}), T, AT % "20") == text
    assert refused(project(variables={}), T, version=1) == text


def test_the_window_begins_before_the_start_of_the_run() -> None:
    dbt = project(-1440, 20, variables={**ON, "dbt_mview:flashback_window": 3600})
    assert dbt("as_of", T, "-1 hour") == "shop.t version as of 1"
    assert refused(dbt, T, "2024-03-01 10:59:59") == (
        f"{NAME}: '2024-03-01 10:59:59' is outside of the window, which begins at 2024-03-01"
        " 11:00:00Z. Give a later time, or make the var dbt_mview:flashback_window longer than 3600"
        " seconds."
    )


def test_the_future() -> None:
    assert project()("as_of", T, "2024-03-01 12:00") == "shop.t version as of 2"
    assert refused(project(), T, "2024-03-01 12:00:00.001") == (
        f"{NAME}: '2024-03-01 12:00:00.001' is in the future: it is 2024-03-01 12:00:00Z. Give an"
        " earlier time."
    )


def test_now_is_no_future_however_long_the_first_answer_took() -> None:
    """The client knows the engine's clock later than it was read."""
    dbt = project()
    dbt("_clock")["now"] -= 1_000_000
    assert dbt("as_of", T, "2024-03-01 12:00") == "shop.t version as of 2"


def test_text_is_by_the_clock_of_the_session() -> None:
    dbt = project(10, 20, 90)
    dbt.engine.zone = "Europe/Berlin"
    assert dbt("as_of", T, "2024-03-01 02:00") == "shop.t version as of 1"
    assert dbt("as_of", T, "2024-03-01 02:00Z") == "shop.t version as of 2"


def test_what_has_no_versions() -> None:
    assert refused(project(), Relation(None, "", "__dbt__cte__t", "cte"), "-1 day") == (
        "__dbt__cte__t: it is ephemeral, and has no versions. Call as_of on what it reads, in its"
        " own text."
    )
    dbt = project()
    dbt.engine.tables[NAME] = Foreign()
    text = (
        f"{NAME}: it is no Delta table, and has no versions. CONVERT TO DELTA, or build it as one."
    )
    assert refused(dbt, T, AT % "20") == refused(project_with(dbt), T, version=3) == text


# How it is written.


def test_a_limit_of_dbt_stays_around_it() -> None:
    empty = Relation(None, "shop", "t", limit=0)
    assert project()("as_of", empty, AT % "20") == (
        "(select * from shop.t version as of 1 where false limit 0)"
    )


def view(dbt: Dbt, text: str, *reads: str, name: str = V) -> None:
    dbt.engine.tables[name] = View(text, [("id", "int")])
    dbt.engine.reads(*reads, views=(V,) if name == V else (V, W))


IN_VIEW = "(select cast(`id` as int) as `id` from (\n%s\n))"


def test_a_view_is_read_through() -> None:
    dbt = project()
    view(dbt, "select id from t", NAME)
    dbt.engine.tables[V].namespace = "spark_catalog.shop"
    inner = IN_VIEW % "select id from `spark_catalog`.`shop`.`t` version as of 1"
    assert dbt("as_of", Relation(None, "shop", "v"), AT % "20") == f"({inner} as `v`)"
    asked = len(dbt.engine.log)
    assert dbt("as_of", Relation(None, "shop", "v"), AT % "20:00") == f"({inner} as `v`)"
    assert len(dbt.engine.log) == asked, "a run asks once"
    empty = Relation(None, "shop", "v", limit=0)
    assert dbt("as_of", empty, AT % "20") == (
        f"(select * from ({inner} as `v`) where false limit 0)"
    )


def test_a_view_of_a_view_and_a_place_that_has_its_own_time() -> None:
    other = "spark_catalog.shop.u"
    dbt = project()
    dbt.engine.tables[other] = delta(5, 15, 25)
    view(dbt, "select id from w join u version as of 0", other, NAME)
    view(dbt, "select id from t join u", other, NAME, name=W)
    dbt.engine.explains(
        "id: int",
        "Project [id#1]\n+- Filter false\n   +- View (`spark_catalog`.`shop`.`v`, [id#1])\n"
        "      +- Join Inner\n         :- View (`spark_catalog`.`shop`.`w`, [id#1])\n"
        "         :  +- Join Inner\n"
        f"         :     :- Relation {NAME}[id#1] parquet\n"
        f"         :     +- Relation {other}[id#2] parquet\n"
        f"         +- Relation {other}[id#3] parquet",
    )
    found = dbt("as_of", Relation(None, "shop", "v"), AT % "20")
    assert "`t` version as of 1 join `spark_catalog`.`shop`.`u` version as of 1" in found
    assert "join `spark_catalog`.`shop`.`u` version as of 0" in found


def test_a_view_that_cannot_be_pinned() -> None:
    dbt = project()
    view(dbt, "select id from identifier('t')", NAME)
    assert refused(dbt, Relation(None, "shop", "v"), AT % "20") == (
        f"{V}: this view cannot be read as of a time: {NAME}, {V} cannot be pinned in it. Call"
        " as_of on the tables, in a query of your own."
    )


def test_a_table_below_a_view_says_why_itself() -> None:
    dbt = project()
    view(dbt, "select id from t", NAME)
    assert refused(dbt, Relation(None, "shop", "v"), AT % "05").startswith(
        f"{NAME}: it did not exist at '2024-03-01 00:05'"
    )


# A whole run.


def test_a_source_is_as_it_is_without_the_var() -> None:
    dbt = project()
    assert dbt("source_as_of", T) is T
    assert dbt.engine.log == []


def test_a_source_of_a_run_as_of_a_time() -> None:
    given = {**ON, "dbt_mview:as_of": AT % "20"}
    dbt = project(variables=given)
    assert dbt("source_as_of", T) is T, "a view pins what it reads"
    for kind in ("table", "view", "incremental", "materialized_view_log"):
        dbt.use(Model("x", materialized=kind))
        assert dbt("source_as_of", T) == "shop.t version as of 1"
    dbt.context["model"] = {"resource_type": "test", "unique_id": "test.shop.x", "config": {}}
    assert dbt("source_as_of", T) == "shop.t version as of 1"
    dbt.context["execute"] = False
    assert dbt("source_as_of", T) is T


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2023-01-01", "'2023-01-01' is outside of the window, which begins at 2024-02-29 12:00"),
        ("2025-01-01", "'2025-01-01' is in the future: it is 2024-03-01 12:00:00Z."),
        ("soon", "'soon' is no time."),
    ],
)
def test_a_run_as_of_no_such_time_does_not_begin(value: str, text: str) -> None:
    dbt = project(variables={**ON, "dbt_mview:as_of": value})
    with pytest.raises(DbtError) as error:
        dbt("_on_run_start")
    assert str(error.value).startswith(f"dbt_mview: the var dbt_mview:as_of: {text}")


def test_micros_are_those_of_the_day() -> None:
    """What the times in this file mean."""
    assert project()("_moment", AT % "20", "x") == micros(20)
