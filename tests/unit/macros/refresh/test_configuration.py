"""on_configuration_change."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError, FailFastError

OLD = {"partition_by": [], "tblproperties": {}}
NEW = {"partition_by": ["a"], "tblproperties": {}}


def configuration(choice: str, spec: Any = None, **job: Any) -> tuple[Dbt, dict[str, Any]]:
    dbt = Dbt()
    given = {
        "layout": NEW, "full_refresh": False, "rendered": "s.v", "on_configuration_change": choice
    }  # fmt: skip
    state = {"spec": {"layout": OLD}}
    the_job = {"state": state, "target": {"kind": "delta"}, "skip": None, **job}
    dbt("_look_at_configuration", {**given, **(spec or {})}, the_job)
    return dbt, the_job


def test_apply() -> None:
    dbt, job = configuration("apply")
    assert job["skip"] is None and dbt.warned == []


def test_continue() -> None:
    dbt, job = configuration("continue")
    assert job["skip"] == "configuration changed (partition_by), left alone: continue"
    assert dbt.warned == [
        "Configuration changes were identified and `on_configuration_change` was set to"
        " `continue` for `s.v`"
    ]


def test_fail() -> None:
    with pytest.raises(FailFastError, match=r"was set to `fail` for `s\.v`"):
        configuration("fail")


@pytest.mark.parametrize(
    ("spec", "job"),
    [
        ({"layout": OLD}, {}),
        ({"full_refresh": True}, {}),
        ({}, {"state": None}),
        ({}, {"state": {"spec": None}}),
        ({}, {"target": {"kind": "view"}}),
    ],
)
def test_nothing_to_compare(spec: Any, job: Any) -> None:
    dbt, the_job = configuration("fail", spec, **job)
    assert the_job["skip"] is None and dbt.warned == []


@pytest.mark.parametrize("full_refresh", [True, False])
@pytest.mark.parametrize(("was", "wanted"), [("/a/v", None), (None, "/b/v"), ("/a/v", "/b/v")])
def test_delta_moves_no_table(was: Any, wanted: Any, full_refresh: bool) -> None:
    state = {"spec": {"layout": {**OLD, "location": was}}}
    spec = {"mview_id": "c.s.v", "layout": {**OLD, "location": wanted}}
    spec["full_refresh"] = full_refresh
    told = f"is in {was or 'the warehouse'}, and location_root wants it in {wanted or 'the ware'}"
    with pytest.raises(DbtError, match=told):
        configuration("apply", spec, state=state)
    configuration("apply", spec, state=state, target={"kind": "missing"})
    configuration("continue", spec, state=state)
