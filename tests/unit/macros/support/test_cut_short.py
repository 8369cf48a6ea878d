"""Whether dbt lets a model read no more than a part."""

from __future__ import annotations

import pytest

from ..harness import Dbt


@pytest.mark.parametrize(("flag", "cut"), [("EMPTY", True), ("SAMPLE", True), ("QUIET", False)])
def test_flags(flag: str, cut: bool) -> None:
    dbt = Dbt()
    assert dbt("_is_cut_short") is False
    setattr(dbt.context["flags"], flag, True)
    assert dbt("_is_cut_short") is cut


def test_a_dbt_that_knows_no_samples() -> None:
    dbt = Dbt()
    vars(dbt.context["flags"]).pop("SAMPLE", None)
    assert dbt("_is_cut_short") is False
