"""The decision on a group."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.lexer import has_variable
from ...kit.nasty import NASTY
from ...kit.parsing import parse


def job(name: str) -> dict[str, Any]:
    """A staged member."""
    spec = {"mview_id": name, "definition": "select 1", "stored": {"a": name}}
    target = {"kind": "delta", "history": [{"version": 1}]}
    return {
        "spec": spec,
        "id": "j" + name,
        "token": 3,
        "target": target,
        "holder": None,
        "fast": None,
    }


def test_one_row_for_each() -> None:
    sql = Dbt()("_decide_sql", [job("a"), job("b")])
    assert parse(sql)
    assert "('a', 3, 'ja', '{" in sql and "('b', 3, 'jb', '{" in sql
    assert "t.mview_id in ('a', 'b')" in sql


@pytest.mark.parametrize("text", NASTY)
def test_names(text: str) -> None:
    dbt = Dbt()
    sql = dbt("_decide_sql", [job(text)])
    assert sql.count(dbt("_literal", text)) == 2 and not has_variable(sql)
