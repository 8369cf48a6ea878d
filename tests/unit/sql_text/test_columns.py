"""Columns in the text of statements."""

from __future__ import annotations

import pytest

from ..kit.harness import Dbt
from ..kit.parsing import parse

DBT = Dbt()


def test_select_list() -> None:
    columns = [{"name": "a", "expression": "`a`"}, {"name": "b", "expression": "null"}]
    assert DBT("_select_list", columns) == "`a`, null as `b`"
    assert parse("select " + DBT("_select_list", [{"name": "x`y", "expression": "`x``y`"}]))


def test_type_of() -> None:
    columns = [{"name": "a", "type": "int"}, {"name": "b", "type": "decimal(14,6)"}]
    assert DBT("_type_of", columns, "b") == "decimal(14,6)"


def test_a_written_type_means_the_same_in_every_session() -> None:
    types = ["timestamp", "timestamp_ntz", "decimal(14,6)"]
    written = [DBT("_written_type", type_) for type_ in types]
    assert written == ["timestamp_ltz", "timestamp_ntz", "decimal(14,6)"]
    assert parse("select cast(a as timestamp_ltz) from t")


def test_prefixed() -> None:
    assert DBT("_prefixed", "s", ["a", "b`c"]) == "s.`a`, s.`b``c`"
    assert DBT("_prefixed", "s", []) == ""


def test_assigned() -> None:
    assert DBT("_assigned", "s", ["a", "b c"]) == "`a` = s.`a`, `b c` = s.`b c`"


def test_same_keys() -> None:
    """NULL equals NULL; a column that is always NULL is not compared."""
    columns = [{"name": name, "type": "int"} for name in ("x", "y`z")]
    both = "a.`x` <=> b.`x` and a.`y``z` <=> b.`y``z`"
    assert DBT("_same_keys", "a", "b", ["x", "y`z"], columns) == both
    assert DBT("_same_keys", "a", "b", [], columns) == "true", "all in one group"
    columns[0]["type"] = "void"
    assert DBT("_same_keys", "a", "b", ["X", "y`z"], columns) == "a.`y``z` <=> b.`y``z`"
    assert DBT("_same_keys", "a", "b", ["x"], columns) == "true"


@pytest.mark.parametrize(
    ("type_", "cast"),
    [
        ("string", True),
        ("array<string>", True),
        ("struct<a:string,b:int>", True),
        ("struct<a b:string>", False),
        ("string collate UNICODE", False),
        ("int", False),
    ],
)
def test_texts_of_a_new_table_have_no_length(type_: str, cast: bool) -> None:
    """What SQL cannot say as it is printed stays as it is."""
    column = {"name": "a", "type": type_, "expression": "`a`"}
    (found,) = Dbt()("_without_lengths", [column])
    assert found == {**column, "expression": f"cast(`a` as {type_})" if cast else "`a`"}
