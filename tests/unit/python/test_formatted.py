"""Which macro files sqlfmt lays out."""

from __future__ import annotations

import pytest

from tests.support.formatted import BY_HAND, is_by_hand
from tests.unit.test_layout import ALL

MACRO = "{%% macro %s(a) %%} {{ return(a) }} {%% endmacro %%}"


@pytest.mark.parametrize(
    ("names", "by_hand"),
    [(["_one"], False), (["_one_sql"], True), (["_one", "_two_sql"], True), (["_sql_of"], False)],
)
def test_texts_of_statements_are_laid_out_by_hand(names: list[str], by_hand: bool) -> None:
    assert is_by_hand("\n\n".join(MACRO % name for name in names)) is by_hand


def test_what_else_is_laid_out_by_hand_is_there() -> None:
    assert set(BY_HAND) <= {macro.name for macro in ALL}
    files = {macro.file for macro in ALL if macro.name in BY_HAND}
    assert all(is_by_hand(file.read_text()) for file in files)
