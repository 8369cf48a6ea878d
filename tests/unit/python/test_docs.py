"""The parts of the documentation that are written by programs."""

from __future__ import annotations

from tests.functional import shapes


def test_tables_of_shapes_are_those_of_the_tests() -> None:
    """Else: python -m tests.functional.shapes"""
    text = shapes.DOCS.read_text(encoding="utf-8")
    assert shapes.BEGIN in text and shapes.END in text
    assert shapes.documented(text) == text


def test_every_shape_is_described() -> None:
    assert list(shapes.FOLLOWED) and set(shapes.FOLLOWED) == set(shapes.SHAPES)
    assert list(shapes.NOT_FOLLOWED) and set(shapes.NOT_FOLLOWED) == set(shapes.REFUSED)
