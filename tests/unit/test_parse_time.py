"""Hooks are rendered when dbt parses a project, too: then nothing can be asked."""

from __future__ import annotations

import pytest

from .kit.harness import Dbt
from .test_layout import OPERATIONS


@pytest.mark.parametrize("name", sorted(macro.name for macro in OPERATIONS))
def test_an_operation_in_a_hook_does_nothing_when_it_is_parsed(name: str) -> None:
    dbt = Dbt()
    dbt.context["execute"] = False
    given = {"mview_plan": {"times": {}}}.get(name, {})
    if name in ("mview_explain", "mview_drop"):
        given = {"view": "totals"}
    assert dbt(name, **given).strip() == ""
    assert dbt.engine.steps == [] and dbt.printed == []
