"""Where tables are named in a query."""

from __future__ import annotations

import pytest

from ...kit.cases import CORNERS, GOOD, NOT_FOUND, plain, tables
from ...kit.harness import Dbt

DBT = Dbt()


def found(marked: str) -> list[str]:
    """The tokens that the macro takes for tables."""
    tokens = DBT("_tokens", plain(marked))
    return [tokens[place["at"]] for place in DBT("_table_names", tokens)]


@pytest.mark.parametrize("marked", GOOD)
def test_table_names(marked: str) -> None:
    assert found(marked) == tables(marked)


@pytest.mark.parametrize("marked", CORNERS.values(), ids=CORNERS.keys())
def test_table_names_in_corners(marked: str) -> None:
    assert found(marked) == tables(marked)


@pytest.mark.parametrize("marked", NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_what_is_not_found(marked: str) -> None:
    assert "src" not in found(marked)


def test_what_is_told_of_a_place() -> None:
    tokens = DBT("_tokens", "table Db . `T` union all select * from x Y")
    assert DBT("_table_names", tokens) == [
        {"at": 7, "parts": ["db", "t"], "after": "union", "table_at": 4},
        {"at": 25, "parts": ["x"], "after": "y", "table_at": None},
    ]
