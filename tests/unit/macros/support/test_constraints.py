"""Constraints that Delta enforces in the publishing commit."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Engine
from ...kit.harness import Dbt, Model

SPEC = {"mview_id": "spark_catalog.shop.totals", "definition": "select 1"}


def constraint(type_: str, **values: Any) -> dict[str, Any]:
    given = {"name": None, "expression": None, "columns": [], "warn_unenforced": True}
    return {**given, "type": type_, **values}


def constraints(*of_model: dict[str, Any], **of_columns: list[dict[str, Any]]) -> tuple[Any, Dbt]:
    columns = {name: {"constraints": given} for name, given in of_columns.items()}
    config = {"contract": {"enforced": True}}
    dbt = Dbt(Engine(), Model(config=config, constraints=list(of_model), columns=columns))
    return dbt("_constraints", SPEC), dbt


def test_not_null_and_check() -> None:
    found, dbt = constraints(
        constraint("check", name="Positive", expression="total > 0"),
        constraint("not_null", columns=["a", "b c"]),
        total=[constraint("not_null"), constraint("check", expression="total < 9")],
        other=[constraint("not_null", name="other_is_there")],
    )
    assert found == {
        "positive": "total > 0",
        "not_null_a": "`a` is not null",
        "not_null_b c": "`b c` is not null",
        "not_null_total": "`total` is not null",
        "check_" + dbt.context["local_md5"]("total < 9")[:8]: "total < 9",
        "other_is_there": "`other` is not null",
    }
    assert dbt.warned == []


def test_a_named_not_null_over_two_columns() -> None:
    found, _ = constraints(constraint("not_null", name="there", columns=["a", "b"]))
    assert found == {"there": "(`a` is not null) and (`b` is not null)"}


def test_conditions_of_one_name_all_hold() -> None:
    found, _ = constraints(
        constraint("check", name="fine", expression="a > 0 or b > 0"),
        constraint("check", name="FINE", expression="A > 0 or b > 0"),
        a=[constraint("not_null"), constraint("not_null")],
    )
    assert found == {
        "fine": "(a > 0 or b > 0) and (A > 0 or b > 0)",
        "not_null_a": "`a` is not null",
    }


@pytest.mark.parametrize("type_", ["primary_key", "foreign_key", "unique", "custom"])
def test_others_are_noted_only(type_: str) -> None:
    found, dbt = constraints(constraint(type_, columns=["a"]))
    assert found == {}
    assert len(dbt.warned) == 1 and f"Delta does not enforce {type_}" in dbt.warned[0]
    _, quiet = constraints(constraint(type_, columns=["a"], warn_unenforced=False))
    assert quiet.warned == []
