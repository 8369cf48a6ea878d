"""The macro files that sqlfmt lays out: `sqlfmt $(python -m tests.support.formatted)`.

What renders whole statements is laid out by hand, as it is to be read in dbt's log and in Spark's
UI. sqlfmt would lay it out for the template instead, and would move the query of a model onto the
line of the bracket that closes it, so that a query that ends in a comment swallows the bracket.
"""

from __future__ import annotations

import re
from pathlib import Path

MACROS = Path(__file__).resolve().parents[2] / "macros"
# Tables of data and texts in several lines, beside all macros whose names end in `_sql`.
BY_HAND = (
    "_aggregates",
    "_check_layout",
    "_info_table",
    "_outcome",
    "_read_states",
    "_refuse_lost_commits",
    "_stage_name",
    "_state_layout",
    "_tables_like",
    "_write_outcomes",
)
NAMES = re.compile(r"{%-?\s*macro\s+(\w+)\s*\(")


def is_by_hand(text: str) -> bool:
    """Whether a macro file, by its text, is laid out by hand."""
    return any(name.endswith("_sql") or name in BY_HAND for name in NAMES.findall(text))


if __name__ == "__main__":
    for file in sorted(MACROS.rglob("*.sql")):
        if not is_by_hand(file.read_text(encoding="utf-8")):
            print(file.relative_to(MACROS.parent))  # noqa: T201
