"""Whether a capture can go on."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Foreign, View, delta
from ...kit.harness import Dbt, DbtError
from ...kit.log_scenes import COLUMNS, LOG, base, change, started, unlogged
from ...kit.scenes import SOURCE


def look(dbt: Dbt, meanwhile: Any = None, **given: Any) -> dict[str, Any]:
    spec = {**dbt("_log_spec_from_model"), "base": SOURCE, **given}
    job = {
        "now": dbt("_pin_table", SOURCE, None),
        "feed_is_on": True,
        "columns": [{"name": name, "type": type_} for name, type_ in COLUMNS],
        "base": "`shop`.`orders`",
        "state": {"spec": {"description": None}},
    }
    if meanwhile:
        base(dbt).commits = meanwhile
    dbt("_look_at_log", spec, job)
    return job


def test_no_log_yet() -> None:
    dbt = unlogged()
    job = look(dbt)
    assert (job["gap"], job["coverage"]) == ("first capture", None)
    assert dbt.engine.steps[-1] == "read_catalog"


def test_a_log() -> None:
    dbt = started()
    dbt.engine.tables[LOG].comment = "about"
    change(dbt)
    job = look(dbt)
    assert job["gap"] is None and job["added"] == []
    assert job["coverage"]["captured"]["version"] == 2 and job["change"]["end"] == 5
    assert job["state"]["spec"]["description"] is None
    assert "read_describe_detail" not in dbt.engine.steps


def test_a_comment_that_the_model_sets_is_compared() -> None:
    dbt = started()
    dbt.engine.tables[LOG].comment = "about"
    assert look(dbt, description="other")["state"]["spec"]["description"] == "about"


def test_a_capture_that_was_quicker_knows_more_of_the_base() -> None:
    """The log does not begin anew for that."""
    dbt = started()
    dbt.engine.tables[SOURCE].commits, held = base(dbt).commits[:2], base(dbt).commits
    job = look(dbt, held)
    assert (job["gap"], job["now"]["version"]) == (None, 2)
    assert dbt.engine.steps.count("read_describe_history") >= 2


def test_a_gap() -> None:
    dbt = started()
    base(dbt).commits.pop()
    assert look(dbt)["gap"] == "SOURCE_REPLACED"


@pytest.mark.parametrize(
    ("there", "text"),
    [
        (View("select 1", []), "a view of this name exists and is no materialized view log"),
        (Foreign("csv"), "a csv table of this name exists"),
        (delta(1), "a delta table of this name exists"),
    ],
)
def test_what_is_no_log(there: Any, text: str) -> None:
    dbt = unlogged()
    dbt.engine.tables[LOG] = there
    with pytest.raises(DbtError, match=text):
        look(dbt)
