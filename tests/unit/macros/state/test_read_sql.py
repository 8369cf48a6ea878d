"""The query for rows of mview_refresh_info."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.harness import Dbt
from ...kit.lexer import skeleton, strings
from ...kit.nasty import NASTY
from ...kit.parsing import parse


def test_read_states(golden: Callable[[str, str], None]) -> None:
    sql = Dbt()("_read_states_sql", ["a", "b"]).strip()
    golden("read_states", sql)
    assert parse(sql)
    assert "where" not in Dbt()("_read_states_sql", None)


@pytest.mark.parametrize("text", NASTY)
def test_no_id_changes_the_query(text: str) -> None:
    sql = Dbt()("_read_states_sql", [text])
    assert skeleton(sql) == skeleton(Dbt()("_read_states_sql", ["a"]))
    assert strings(sql)[-1] == text


def test_sources_to_json() -> None:
    assert parse("select " + Dbt()("_sources_to_json_sql", "sources"))
