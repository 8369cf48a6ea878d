"""A lock that is held."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt, DbtError

SPEC = {"mview_id": "c.s.v"}
HELD = {
    "lock_owner": "run0",
    "lock_time": micros(1),
    "lease_until": micros(61),
    "lease_over": False,
    "refresh_job_id": "job0",
    "intent": {"definition": "select 1"},
}
PUBLISHED = {"version": 4, "meta": {"refresh_job_id": "job0"}}


def check(state: Any, history: Any = (), force: bool = False) -> dict[str, Any]:
    job = {"state": state, "target": {"history": list(history)}, "force": force, "holder": None}
    Dbt()("_check_lock", SPEC, job)
    return job


@pytest.mark.parametrize("state", [None, {**HELD, "lock_owner": None}])
def test_free(state: Any) -> None:
    assert check(state)["holder"] is None


def test_held() -> None:
    message = (
        r"^dbt_mview: another run \(run0, since 2024-03-01 00:01:00Z\) is refreshing c\.s\.v\. Its"
        r" lease ends 2024-03-01 01:01:00Z; if that run is dead, free the view now with `dbt"
        r" run-operation mview_recover --args '\{view: c\.s\.v\}'`\.$"
    )
    with pytest.raises(DbtError, match=message):
        check(HELD)


@pytest.mark.parametrize(
    ("state", "history", "force", "published"),
    [
        ({**HELD, "lease_over": True}, [], False, None),
        (HELD, [PUBLISHED], False, PUBLISHED),
        (HELD, [], True, None),
    ],
)
def test_to_be_recovered(state: Any, history: Any, force: bool, published: Any) -> None:
    assert check(state, history, force)["holder"] == {
        "job_id": "job0",
        "owner": "run0",
        "intent": {"definition": "select 1"},
        "lock_time": micros(1),
        "lease_until": micros(61),
        "published": published,
    }
