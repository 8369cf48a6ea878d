"""Vars that count something."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError

NAME = "dbt_mview:some_days"


@pytest.mark.parametrize(("given", "count"), [(7, 7), ("9", 9), (" 12 ", 12), ("007", 7)])
def test_numbers(given: Any, count: int) -> None:
    assert Dbt(variables={NAME: given})("_count_from_var", NAME, 30) == count


def test_default() -> None:
    assert Dbt()("_count_from_var", NAME, 30) == 30


@pytest.mark.parametrize(
    "given",
    ["a month", "", 0, "0", -1, "1.5", 1.5, True, None, "1); drop table x; --", "1\n2", "\u0661"],
)
def test_what_is_refused(given: Any) -> None:
    with pytest.raises(DbtError) as error:
        Dbt(variables={NAME: given})("_count_from_var", NAME, 30)
    assert str(error.value) == (
        f"dbt_mview: the var {NAME}: '{str(given).strip()}' is no whole number above 0."
        " Correct it in dbt_project.yml or in --vars; the default is 30."
    )
