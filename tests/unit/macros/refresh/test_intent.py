"""What a recovery needs to know."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt

SPEC = {"definition": "select 1", "stored": {"a": 1}, "schema": "s", "identifier": "v"}


def test_plain() -> None:
    job = {"id": "j1", "holder": None, "target": {"kind": "delta"}}
    assert Dbt()("_intent", SPEC, job) == {"definition": "select 1", "spec": {"a": 1}}


def test_what_an_earlier_holder_left_is_handed_on() -> None:
    holder = {"job_id": "j0", "intent": {"holder": {"job_id": "j-1"}}, "published": {"x": 1}}
    job = {"id": "j1", "holder": holder, "target": {"kind": "missing"}}
    intent = Dbt()("_intent", SPEC, job)
    assert intent["holder"] == {"job_id": "j0", "intent": {"holder": {"job_id": "j-1"}}}
    assert "published" in holder


@pytest.mark.parametrize("kind", ["view", "parquet"])
def test_names_of_a_rename_chain(kind: str) -> None:
    job = {"id": "j1", "holder": None, "target": {"kind": kind}}
    assert Dbt()("_intent", SPEC, job)["swap"] == {
        "schema": "s",
        "identifier": "v",
        "kind": kind,
        "new": "dbt_mview_new_j1",
        "backup": "dbt_mview_backup_j1",
    }
