"""mview_doctor: what an engine can do of what the package needs."""

from __future__ import annotations

import hashlib

import pytest

from ..kit.engine import Table, delta
from ..kit.harness import Dbt, DbtError
from ..kit.scenes import SECOND, built

# mview_doctor: what an engine can do of what the package needs.


ID = hashlib.md5(SECOND.encode()).hexdigest()
SCRATCH = f"spark_catalog.shop_mview.mview_stage_{ID}"
META = f'{{"dbt_mview": {{"refresh_job_id": "{ID}"}}}}'


def patient(fails: str = "", nothing: str = "") -> Dbt:
    """An engine on which statements with a word fail, and others do nothing."""
    dbt = built()
    dbt.engine.reads(SCRATCH if fails != "explain" else "spark_catalog.shop.orders")
    tables = dbt.engine.tables

    def answer(sql: str) -> Table:
        if not sql.startswith("begin"):
            return Table([[0 if nothing and nothing in sql else 1]])
        missing = SCRATCH not in tables and "create or replace table" not in sql
        if (fails and fails in sql) or missing:
            return Table([["failed"]])
        if "create or replace table" in sql:
            tables[SCRATCH] = delta(1)
        if " view " not in sql:
            tables[SCRATCH].commit(2, meta=None if nothing and nothing in sql else META)
        return Table([["done"]])

    dbt.engine._read_doctor = answer  # type: ignore[attr-defined]
    dbt.engine._do_doctor = lambda sql: Table([])  # type: ignore[attr-defined]
    return dbt


def test_all_works() -> None:
    dbt = patient()
    head, *lines = dbt.operation("mview_doctor")
    assert head.split() == ["what", "works"] and len(lines) == 10
    assert all(line.endswith(" ok") for line in lines), lines
    assert dbt.engine.sql("doctor").endswith(
        f"drop table if exists `shop_mview`.`mview_stage_{ID}`"
    )
    assert dbt.engine.steps.count("doctor") == 1, "nothing else is written outside of a script"


@pytest.mark.parametrize(
    ("fails", "line"),
    [
        (
            "create or replace table",
            "CREATE OR REPLACE TABLE ... OPTIONS ('userMetadata') no: first",
        ),
        ("merge into", "MERGE, and its conditions in the history no: FAST refreshes of groups"),
        ("table_changes", "change data feed no: FAST refreshes, materialized view logs"),
        ("version as of", "time travel no: reading all sources of a run as of one moment"),
    ],
)
def test_what_fails_is_named_and_ends_with_the_error_of_the_engine(fails: str, line: str) -> None:
    """All is tried first; the scratch table is left to the next run."""
    dbt = patient(fails)
    dbt.engine.on["doctor"] = lambda sql: 1 / 0
    with pytest.raises(ZeroDivisionError):
        dbt.operation("mview_doctor")
    assert [one for one in dbt.printed if " ".join(one.split()).startswith(line)], dbt.printed
    assert len(dbt.printed) == 11
    assert fails in dbt.engine.sql("doctor") and "drop table" not in dbt.engine.sql("doctor")


@pytest.mark.parametrize(
    ("nothing", "what"),
    [
        ("merge into", "MERGE, and its conditions in the history"),
        ("where id = 2", "'txnVersion' of INSERT"),
        ("where id = 1", "time travel"),
    ],
)
def test_what_ends_without_an_error_and_without_its_effect(nothing: str, what: str) -> None:
    with pytest.raises(DbtError) as error:
        patient(nothing=nothing).operation("mview_doctor")
    assert f"this engine: {what}: no error, and not what is needed." in str(error.value)


def test_dry_run() -> None:
    dbt = patient()
    lines = dbt.operation("mview_doctor", dry_run=True)
    assert all(line.endswith(";") for line in lines) and len(lines) == 10
    assert "read_doctor" not in dbt.engine.steps and "doctor" not in dbt.engine.steps


# What mview_doctor tries.


def test_each_says_what_it_is_for_and_what_tells_that_it_works() -> None:
    probes = Dbt()("_probes", "`s`.`t`", "abc")
    assert len({probe["what"] for probe in probes}) == len(probes)
    for probe in probes:
        assert set(probe) == {"what", "without", "try", "shows"} and probe["without"]
        assert "`t`" in probe["try"] or "`abc_view`" in probe["try"] or "_view`" in probe["try"]
        shows = probe["shows"]
        assert shows in ("failure", "commit", "plan", None) or shows.startswith("select count(*)")
