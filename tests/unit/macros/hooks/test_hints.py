"""What an error of the engine means that says nothing to users."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ...kit.harness import Dbt, NodeResult
from ...kit.scenes import built, change_source


@pytest.mark.parametrize("known", [True, False])
def test_deletion_vectors_that_delta_cannot_read(known: bool) -> None:
    dbt = built()
    change_source(dbt)
    message = "java.io.UTFDataFormatException: too long" if known else "disk full"

    def fail(_: str) -> None:
        raise RuntimeError(message)

    dbt.engine.on["publish"] = fail
    assert dbt.run()[0].message == message
    assert any("delta-io/delta#5662" in text for text in dbt.warned) is known


@pytest.mark.parametrize("kind", ["materialized_view_log", "table"])
def test_change_files_that_a_log_cannot_read(kind: str) -> None:
    node = SimpleNamespace(unique_id="model.p.x", config=SimpleNamespace(materialized=kind))
    dbt = Dbt()
    dbt("_hints", [NodeResult(node, "error", "[FAILED_READ_FILE.FILE_NOT_EXIST] part-1")])
    assert len(dbt.warned) == (kind != "table")
    assert all("--full-refresh" in text for text in dbt.warned)


def test_a_column_with_a_length() -> None:
    dbt = built()
    change_source(dbt)

    def fail(_: str) -> None:
        raise RuntimeError("[DELTA_EXCEED_CHAR_VARCHAR_LIMIT] Value x exceeds")

    dbt.engine.on["publish"] = fail
    dbt.run()
    assert any("Build it anew with --full-refresh" in text for text in dbt.warned)


@pytest.mark.parametrize("known", [True, False])
def test_an_engine_without_grants(known: bool) -> None:
    node = SimpleNamespace(unique_id="model.p.x", config=SimpleNamespace(materialized="mview"))
    statement = "show grants on" if known else "grant select on"
    dbt = Dbt()
    dbt("_hints", [NodeResult(node, "error", f"[PARSE_SYNTAX_ERROR] near 'on' {statement} x")])
    assert any("this engine has no grants" in text for text in dbt.warned) is known
