"""Where tables are named in a query."""

from __future__ import annotations

import pytest

from ..harness import Dbt
from .cases import DEFECTS, GOOD, plain, tables

DBT = Dbt()


def found(marked: str) -> list[str]:
    """The tokens that the macro takes for tables, names of WITH aside."""
    tokens = DBT("_tokens", plain(marked))
    hidden = DBT("_cte_names", tokens)
    names = DBT("_table_names", tokens)
    return [
        tokens[index]
        for index, table in names.items()
        if table["parts"] not in [[c] for c in hidden]
    ]


@pytest.mark.parametrize("marked", GOOD)
def test_table_names(marked: str) -> None:
    assert found(marked) == tables(marked)


@pytest.mark.xfail(reason="macros/definition does not know these corners yet")
@pytest.mark.parametrize("marked", DEFECTS.values(), ids=DEFECTS.keys())
def test_table_names_in_corners(marked: str) -> None:
    assert found(marked) == tables(marked)
