"""Which line of an error is told."""

from __future__ import annotations

import pytest

from dbt_mview.serve.words import first_line

MODEL = "Runtime Error in model x (models/x.sql)"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("\n one \n two", "one"),
        (f"{MODEL}\n  no such table\n  1, 2", "no such table"),
        (f"{MODEL}\n        dbt_mview: its message is indented\n  1", "dbt_mview: its message is "),
        (f"{MODEL}\n  \n  Database Error\n    no such\n    1, 2", "no such"),
        (MODEL, MODEL),
        (f"published, but failed: {MODEL}\n  no\n  1, 2", "published, but failed: no"),
        ("p.hook.0 failed, error:\n Database Error\n  down", "p.hook.0 failed, error: down"),
        ("Parsing Error\n  in p: m.yml - Runtime Error\n    line 3", "in p: m.yml - line 3"),
        ("FailFast Error\n  stops", "stops"),
        # An engine's own words are no heading: what follows may be a row.
        ("Error:\n        1, 2", "Error:"),
        ("Runtime Error in model x (x.sql): no\n  1, 2", "Runtime Error in model x (x.sql): no"),
        ("org.apache.Error in line 3\n  1, 2", "org.apache.Error in line 3"),
    ],
)  # fmt: skip
def test_it_is_the_first_that_says_something(text: str, line: str) -> None:
    assert first_line(text).startswith(line)
    assert len(first_line(text).splitlines()) <= 1 and "1, 2" not in first_line(text)


def test_headings_say_of_what_it_is() -> None:
    text = f"{MODEL}\n  Compilation Error in macro m (m.sql)\n    no such\n    1, 2"
    told = f"{MODEL}: Compilation Error in macro m (m.sql): no such"
    assert first_line(text, with_headings=True) == told
    assert first_line(told) == told, "nothing is lost of a line"


def test_an_exception_says_at_least_what_it_is() -> None:
    assert first_line(OSError()) == "OSError"
    assert first_line(OSError("a\nb")) == "a"
