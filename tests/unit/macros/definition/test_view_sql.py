"""A view's text as a subquery."""

from __future__ import annotations

from ...kit.harness import Dbt


def test_own_names_and_types() -> None:
    columns = [
        {"name": "i`d", "type": "int", "source": "ID"},
        {"name": "n", "type": "decimal(10,2)", "source": "`n"},
    ]
    assert Dbt()("_view_sql", "select 1 -- x", columns) == (
        "(select cast(`ID` as int) as `i``d`, cast(```n` as decimal(10,2)) as `n` from (\n"
        "select 1 -- x\n))"
    )


def test_nested_types_are_not_cast() -> None:
    """DESCRIBE shows them without quotes, and cut after 25 fields."""
    columns = [
        {"name": "s", "type": "struct<a b:int,c:int,... 4 more fields>", "source": "s"},
        {"name": "a", "type": "array<int>", "source": "b"},
    ]
    bound = Dbt()("_view_sql", "select 1", columns)
    assert bound == "(select `s` as `s`, `b` as `a` from (\nselect 1\n))"


def test_a_char_keeps_what_pads_it() -> None:
    columns = [{"name": "c", "type": "char(5)", "source": "c"}]
    assert Dbt()("_view_sql", "select 1", columns).startswith("(select `c` as `c` from")
