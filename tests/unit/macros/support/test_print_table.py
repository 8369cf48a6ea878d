"""Tables for people."""

from __future__ import annotations

from ...kit.harness import Dbt


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    dbt = Dbt()
    dbt("_print_table", ["view", "n"], [["orders", 1], ["x", 1000]])
    assert dbt.printed == ["view    n", "orders  1", "x       1000"]


def test_without_rows() -> None:
    dbt = Dbt()
    dbt("_print_table", ["view", "n"], [])
    assert dbt.printed == ["view  n"]
