"""Literals that are doubles or floats."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt

DBT = Dbt()


@pytest.mark.parametrize(
    ("number", "is_double"),
    [("1e-1", True), ("0.7D", True), ("7f", True), (".5E2", True), ("2e1d", True),
     ("0.1", False), ("1L", False), ("1e3BD", False), ("0.7bd", False), ("e1", False)],
)  # fmt: skip
def test_doubles(number: str, is_double: bool) -> None:
    words = DBT("_words", f"select a + {number} from t")
    assert (DBT("_float_literal", words) is not None) is is_double
