"""Which refreshes and purges are in history."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.lexer import has_variable
from ...kit.nasty import NASTY
from ...kit.parsing import parse


def test_nothing_is_asked_of_no_views() -> None:
    dbt = Dbt()
    assert dbt("_noted_refreshes", [], {"c.s.l": "j"}) == {} and dbt.engine.log == []


def test_when_they_ended() -> None:
    dbt = Dbt()
    dbt.engine.noted = {"j1": 5, "j3": 6}
    assert dbt("_noted_refreshes", ["a", "b"], {"a": "j1", "b": "j2"}) == {"j1": 5}
    assert dbt("_noted_purges", ["a", "b"], {"a": "j1", "b": "j3"}) == ["j1", "j3"]


@pytest.mark.parametrize("text", NASTY)
def test_names(text: str) -> None:
    dbt = Dbt()
    literal = dbt("_literal", text)
    for sql in (
        dbt("_noted_sql", "t", "k", "j", "e", [text], {text: "x"}),
        dbt("_charge_log_sql", text),
    ):
        assert literal in sql and not has_variable(sql) and parse(sql.strip())
