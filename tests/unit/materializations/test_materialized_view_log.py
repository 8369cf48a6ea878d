"""Logs, statement by statement: one golden transcript per scene."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import EPOCH, FEED, Foreign, View, delta
from ..kit.harness import Dbt, Model
from ..kit.log_scenes import (
    BODY,
    LOG,
    base,
    beside,
    change,
    held,
    later,
    log_model,
    run_log,
    started,
    told,
    truth,
    unlogged,
    vacuum,
    writes,
)
from ..kit.scenes import SOURCE, transcript

ANEW = "dbt_mview: spark_catalog.shop.orders_log was rebuilt, and begins at v"


def test_first_capture(golden: Golden) -> None:
    """In a project without state, of a table without a feed."""
    dbt = unlogged(feed=False)
    dbt.engine.state_tables.clear()
    dbt.engine.schemas.clear()
    assert told(dbt) == "START v3: first capture"
    golden("log_first", transcript(dbt, "First capture: feed on, an empty log, registered"))
    assert writes(dbt) == [
        "ensure_state", "ensure_state", "ensure_state", "ensure_state", "ensure_state",
        "switch_feed_on", "start_log", "register_log", "grants",
    ]  # fmt: skip
    assert base(dbt).properties == FEED and dbt.warned == []
    assert held(dbt) == [] and dbt.engine.logs == {LOG: SOURCE}
    assert dbt.logged[0].startswith("dbt_mview: makes its schema shop_mview")
    assert dbt.logged[1:] == [
        "dbt_mview: switched the change data feed of spark_catalog.shop.orders on, for the"
        " materialized view log spark_catalog.shop.orders_log"
    ]


def test_capture(golden: Golden) -> None:
    dbt = started()
    change(dbt)
    assert told(dbt) == "CAPTURE v5, 6 rows: v2 -> v5"
    golden("log_capture", transcript(dbt, "A capture: one INSERT of the changes since the last"))
    assert writes(dbt) == ["capture", "grants"]
    assert held(dbt) == truth(dbt, 2, 5) and len(held(dbt)) == 6


def test_skip(golden: Golden) -> None:
    dbt = started()
    assert told(dbt) == "SKIP nothing changed since v2"
    golden("log_skip", transcript(dbt, "Nothing was committed: nothing is written"))
    assert writes(dbt) == ["grants"]


def test_no_row_came(golden: Golden) -> None:
    """Commits that change no row, and one that could have."""
    dbt = started()
    base(dbt).commit(40, "OPTIMIZE")
    assert told(dbt) == "CAPTURE v3, 0 rows: v2 -> v3"
    assert writes(dbt) == ["note_capture", "grants"]
    dbt = later(dbt)
    base(dbt).commit(41, "UPDATE", numUpdatedRows=0)
    assert told(dbt) == "CAPTURE v4, 0 rows: v3 -> v4"
    golden("log_no_row", transcript(dbt, "No row came: noted as a property of the log"))
    assert writes(dbt) == ["capture", "note_capture", "grants"]
    dbt = later(dbt)
    assert told(dbt) == "SKIP nothing changed since v4"
    change(dbt)
    dbt = later(dbt)
    assert told(dbt) == "CAPTURE v7, 6 rows: v4 -> v7"
    assert held(dbt) == truth(dbt, 2, 7)


def test_gap(golden: Golden) -> None:
    dbt = started()
    change(dbt)
    vacuum(base(dbt), 60)
    assert told(dbt) == "START v6: CHANGE_DATA_UNAVAILABLE: removed by VACUUM"
    golden("log_gap", transcript(dbt, "Changes are gone: the log is rebuilt, and says so"))
    assert writes(dbt) == ["start_log", "grants"]
    assert dbt.warned == [
        ANEW + "6 of its base: CHANGE_DATA_UNAVAILABLE: removed by VACUUM. Views that had not"
        " read up to there refresh COMPLETE."
    ]
    assert held(dbt) == []
    change(dbt, 70)
    assert told(later(dbt)) == "CAPTURE v9, 6 rows: v6 -> v9"
    assert held(dbt) == truth(dbt, 6, 9)


def test_full_refresh() -> None:
    dbt = started()
    change(dbt)
    run_log(dbt)
    assert len(held(dbt)) == 6
    dbt = later(dbt, full_refresh=True)
    assert told(dbt) == "START v5: full refresh"
    assert held(dbt) == [] and ANEW + "5" in dbt.warned[0]


def recreate(dbt: Dbt, *minutes: float) -> None:
    """The base dropped and created."""
    dbt.engine.tables[SOURCE] = delta(*minutes, columns="customer string, amount bigint", id="t-2")
    base(dbt).properties.update(FEED)


def test_a_base_whose_versions_began_anew() -> None:
    """A transaction identifier made of them would be dropped: Delta keeps those of the log."""
    dbt = started()
    for minute in (40, 50, 60):
        change(dbt, minute)
    assert told(dbt) == "CAPTURE v11, 18 rows: v2 -> v11"
    recreate(dbt, 100)
    dbt = later(dbt)
    assert told(dbt) == "START v0: SOURCE_REPLACED"
    change(dbt, 110)
    dbt = later(dbt)
    assert told(dbt) == "CAPTURE v3, 6 rows: v0 -> v3"
    assert held(dbt) == truth(dbt, 0, 3) and len(held(dbt)) == 6


def test_another_base() -> None:
    """The model names another table, with fewer versions."""
    dbt = started()
    change(dbt)
    run_log(dbt)
    other = "spark_catalog.shop.invoices"
    dbt.engine.tables[other] = delta(50, columns="customer string, amount bigint", id="t-9")
    dbt.engine.tables[other].properties.update(FEED)
    body = "select customer, amount from shop.invoices"
    dbt.engine.described[body] = dbt.engine.described[BODY]
    dbt.engine.reads(other)
    dbt = later(dbt, log_model(body))
    assert told(dbt) == "START v0: SOURCE_REPLACED: the log was one of spark_catalog.shop.orders"
    assert dbt.engine.logs == {LOG: other}
    dbt.engine.tables[other].commit(60, "WRITE", 4, parameters={"mode": "Append"})
    assert told(later(dbt)) == "CAPTURE v1, 4 rows: v0 -> v1"
    assert len(held(dbt)) == 4


def test_empty() -> None:
    """--empty captures nothing, and forgets nothing."""
    dbt = started(empty=True)
    change(dbt)
    assert told(dbt) == "SKIP --empty captures nothing"
    assert writes(dbt) == ["grants"] and held(dbt) == []
    dbt = later(dbt)
    assert told(dbt) == "CAPTURE v5, 6 rows: v2 -> v5"


def test_hooks_grants_docs(golden: Golden) -> None:
    model = Model(
        "orders_log",
        BODY,
        description="All changes",
        config={
            "pre_hook": ["select 'before'"],
            "post_hook": ["select 'after'"],
            "grants": {"select": ["ann"]},
            "persist_docs": {"relation": True},
            "tblproperties": {"owner": "me"},
            "location_root": "/data",
        },
        materialized="materialized_view_log",
    )
    dbt = unlogged(model)
    assert told(dbt) == "START v2: first capture"
    golden("log_configs", transcript(dbt, "Hooks, grants, comment, properties and location"))
    assert writes(dbt) == ["hook", "start_log", "register_log", "grants", "hook"]
    assert dbt.engine.tables[LOG].comment == "All changes"
    model.description = "Other words"
    dbt = later(dbt)
    run_log(dbt)
    assert writes(dbt) == ["hook", "grants", "docs", "hook"]
    assert "comment on table `shop`.`orders_log` is 'Other words'" in dbt.engine.sql("docs")


@pytest.mark.parametrize(
    ("there", "kind"), [(View("select 1", []), "view"), (Foreign(), "parquet table"),
                        (delta(1), "delta table")],
)  # fmt: skip
def test_a_name_that_is_taken(there: Any, kind: str) -> None:
    dbt = unlogged()
    dbt.engine.tables[LOG] = there
    (result,) = dbt.run()
    assert result.message == (
        f"dbt_mview: {LOG}: a {kind} of this name exists and is no materialized view log."
        " Drop or rename it, or give the log another alias."
    )
    assert writes(dbt) == []


def test_two_captures_at_the_same_moment() -> None:
    """The second one's statement comes after the first one's commit: it adds nothing."""
    slow = started()
    change(slow)
    once: list[str] = []

    def overtake(sql: str) -> None:
        if not once:
            once.append(sql)
            change(slow, 50)
            assert told(beside(slow)) == "CAPTURE v8, 12 rows: v2 -> v8"

    slow.engine.on["capture"] = overtake
    assert told(slow) == "CAPTURE v8, 0 rows: v2 -> v8"
    assert held(slow) == truth(slow, 2, 8)
    assert told(later(slow)) == "SKIP nothing changed since v8"


def test_a_slow_note_is_no_start() -> None:
    """A run that stood still before it noted a capture, while the log was rebuilt after a gap."""
    slow = started()
    base(slow).commit(40, "OPTIMIZE")

    def begin_anew(sql: str) -> None:
        slow.engine.on.clear()
        change(slow, 50)
        vacuum(base(slow), 60)
        assert told(beside(slow)).startswith("START v7")

    slow.engine.on["note_capture"] = begin_anew
    run_log(slow)
    coverage = slow("_coverage", "`shop`.`orders_log`")
    assert (coverage["start"]["version"], coverage["captured"]["version"]) == (7, 7)


def test_the_log_began_anew_while_its_rows_were_captured() -> None:
    """A full refresh that looked earlier: what this run captured is away, and is not noted."""
    slow = started()
    change(slow)
    run = beside(slow, full_refresh=True, invocation_id="the-other")
    run.use(run.models[0])
    spec = run("_log_spec_from_model")
    job = run("_log_job", spec)
    spec["base"] = SOURCE
    job.update(
        base="`spark_catalog`.`shop`.`orders`", gap="full refresh", coverage={},
        now={"version": 2, "commit_time": round((EPOCH.timestamp() + 30 * 60) * 1_000_000)},
        columns=slow("_describe_query", BODY),
    )  # fmt: skip
    count: list[str] = []

    def replaced(sql: str) -> None:
        """Right after the capture's commit, before it is looked for."""
        if "capture" in slow.engine.steps and not count:
            count.append(sql)
            run("_start_log", spec, job)

    slow.engine.on["read_describe_history"] = replaced
    run_log(slow)
    assert count and "note_capture" not in slow.engine.steps and held(slow) == []
    assert told(later(slow)) == "CAPTURE v5, 6 rows: v2 -> v5"
    assert held(slow) == truth(slow, 2, 5)


def test_a_view_goes_on_from_the_log(golden: Golden) -> None:
    """After a VACUUM that took the base's own change files; what came since is in its feed."""
    dbt = unlogged(log_model(), Model())
    assert [result.status for result in dbt.run()] == ["success", "success"]
    change(dbt)
    run_log(later(dbt, log_model()))
    base(dbt).commit(61, "WRITE", 4, parameters={"mode": "Append"})
    vacuum(base(dbt), 62, kept=1.5)
    dbt = later(dbt, Model())
    assert told(dbt) == "FAST v1, 6 rows: shop.orders v2 -> v7 (aggregate, 10 changed rows)"
    golden("refresh_from_log", transcript(dbt, "FAST from a log, and from the feed after it"))
    staged = dbt.engine.sql("stage")
    assert "_commit_version > 2 and _commit_version <= 5" in staged
    assert "table_changes('`spark_catalog`.`shop`.`orders`', 6, 7)" in staged


def test_a_view_whose_log_is_gone_too() -> None:
    dbt = unlogged(log_model(), Model())
    dbt.run()
    change(dbt)
    vacuum(base(dbt), 60)
    run_log(later(dbt, log_model()))
    message = told(later(dbt, Model()))
    assert message.startswith("COMPLETE v1") and message.endswith(
        "not FAST: CHANGE_DATA_UNAVAILABLE: shop.orders_log begins at v6, CHANGE_DATA_UNAVAILABLE:"
        " removed by VACUUM: shop.orders"
    )
