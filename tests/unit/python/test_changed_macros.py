"""What changes macros on purpose finds the one place it names, or fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.macros import Change

FILE = """{# what it is #}
{% macro _one(a) -%}
    {{ return(a
        + 1) }}
{%- endmacro %}

{% macro _two(a) %}
    {{ return(a + 1) }} or a + 1
{% endmacro %}
"""


@pytest.fixture
def macros(tmp_path: Path) -> Path:
    """A folder of macros, the file not at its top."""
    place = tmp_path / "macros" / "deep"
    place.mkdir(parents=True)
    (place / "file.sql").write_text(FILE)
    return tmp_path / "macros"


def test_a_change_is_made_in_its_macro_only_whatever_its_line_breaks(macros: Path) -> None:
    file, text = Change("_one", "return(a + 1)", "return(a)").changed(macros)
    assert file.name == "file.sql" and file.read_text() == FILE
    assert text == FILE.replace("a\n        + 1)", "a)")


def test_a_change_for_a_while_and_for_good(macros: Path) -> None:
    change = Change("_two", "return(a + 1)", "none")
    file = macros / "deep" / "file.sql"
    with pytest.raises(KeyError), change.applied(macros):
        assert "{{ none }} or a + 1" in file.read_text()
        raise KeyError
    assert file.read_text() == FILE
    change.apply(macros)
    assert "{{ none }} or a + 1" in file.read_text()


@pytest.mark.parametrize(
    ("macro", "right", "says"),
    [
        ("_three", "a", "_three is defined 0 times"),
        ("_one", "a + 2", "in _one 0 times"),
        ("_two", "a + 1", "in _two 2 times"),
    ],
)
def test_what_is_not_there_once_is_an_error(
    macros: Path, macro: str, right: str, says: str
) -> None:
    with pytest.raises(AssertionError, match=says):
        Change(macro, right, "").changed(macros)


def test_a_macro_that_is_defined_twice_is_an_error(macros: Path) -> None:
    (macros / "copy.sql").write_text(FILE)
    with pytest.raises(AssertionError, match="_one is defined 2 times"):
        Change("_one", "return(a + 1)", "").changed(macros)
