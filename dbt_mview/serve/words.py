"""What of an error is told: the one line of it that says something."""

from __future__ import annotations

import re

# What dbt puts above an error: its kind, and where, "Runtime Error in model x (models/x.sql)". It
# may stand behind what somebody else has put before it, in the same line; hooks have one too.
_HEADING = re.compile(
    r"(?P<before>|.*(?:: | - ))(?:[A-Z]\w*(?: \w+)* )Error(?: in (?:(?!: ).)+)?"
    r"|(?P<hook>.* failed, error):"
)


def first_line(error: str | BaseException, with_headings: bool = False) -> str:
    """The first line of an error that says something; more of it could hold rows of a table.

    Args:
        error: it, or its text, as dbt, an engine or a library puts it.
        with_headings: with dbt's own lines above it, which say of what it is. Of a model's error
            they say what whoever reads knows already.

    Returns:
        One line. Of an exception without a text: its type.
    """
    text = str(error).strip()
    if not text and isinstance(error, BaseException):
        return type(error).__name__
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    told = ""
    for line in lines[:-1]:
        heading = _HEADING.fullmatch(line)
        if heading is None:
            return told + line
        is_kept = with_headings or heading["hook"]
        told += f"{line.rstrip(':')}: " if is_kept else heading["before"]
    return told + lines[-1]
