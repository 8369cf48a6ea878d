"""Whether dbt lets a model read no more than a part."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt


@pytest.mark.parametrize(("argument", "cut"), [("empty", True), ("sample", True), ("quiet", False)])
def test_arguments(argument: str, cut: bool) -> None:
    """dbt makes a flag of some of them only."""
    dbt = Dbt()
    assert dbt("_is_cut_short") is False
    dbt.context["invocation_args_dict"].update({"empty": False, argument: True})
    dbt.context["flags"].EMPTY = argument == "empty"
    assert dbt("_is_cut_short") is cut
