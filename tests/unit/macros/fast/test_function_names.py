"""Lists of functions and words."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt

DBT = Dbt()


@pytest.mark.parametrize("name", ["_unordered_functions", "_words_before_brackets"])
def test_words(name: str) -> None:
    words = DBT(name)
    assert len(set(words)) == len(words) > 10
    assert all(word == word.lower() and word.isidentifier() for word in words)


def test_what_depends_on_the_order_of_rows_is_not_fine() -> None:
    assert not set(DBT("_unordered_functions")) & set(DBT("_words_before_brackets"))
