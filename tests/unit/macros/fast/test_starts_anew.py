"""Where there is no result that FAST could go on from."""

from __future__ import annotations

import pytest

from ...kit.scenes import VIEW, built, changed, new
from .test_choose import chosen


@pytest.mark.parametrize("what", ["dropped", "restored", "cut short before"])
def test_fast_is_a_first_build(what: str) -> None:
    """As a first build, which is COMPLETE under refresh: fast as well."""
    dbt = changed(refresh="fast")
    state = dbt.engine.states[VIEW]
    if what == "dropped":
        del dbt.engine.tables[VIEW]
    elif what == "restored":
        dbt.engine.state(VIEW, spec=None, definition=None)
    else:
        dbt.engine.state(VIEW, spec={**state["spec"], "cut_short": True}, definition_hash="cut")
    method, publish, _ = chosen(dbt)
    assert (method, publish) == (
        "complete",
        {"dropped": "create", "restored": "replace"}.get(what, "insert"),
    )
    assert "cut_short" not in dbt.engine.states[VIEW]["spec"]


def test_where_there_is_a_result() -> None:
    for dbt, anew in ((new(), True), (built(), False)):
        job = {"state": dbt("_read_state", VIEW), "target": {"kind": "delta"}}
        assert dbt("_starts_anew", job) is anew
