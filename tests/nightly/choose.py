"""What is to be played, in which order, and how long it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from tests.nightly.parts import Part
from tests.nightly.results import Result

Results = Mapping[str, Result]


def is_due(part: Part, results: Results, tree: str) -> bool:
    """Whether a part has not been played with this code."""
    last = results.get(part.name)
    return last is None or last.tree != tree or not last.is_played


def due(parts: list[Part], results: Results, tree: str, again: bool = False) -> list[Part]:
    """The parts to play: first those that were never played, then those that were so long ago.

    Args:
        parts: all of them.
        results: their last results.
        tree: the code as it is.
        again: also those that were played with this code.
    """
    chosen = [part for part in parts if again or is_due(part, results, tree)]
    return sorted(chosen, key=lambda part: _date(part, results))


def _date(part: Part, results: Results) -> str:
    last = results.get(part.name)
    return last.date if last and last.is_played else ""


def named(parts: list[Part], patterns: list[str]) -> list[Part]:
    """The parts of these names.

    Args:
        parts: all of them.
        patterns: names, or patterns such as `crash-*`.

    Raises:
        ValueError: a pattern fits no part.
    """
    for pattern in patterns:
        if not any(fnmatchcase(part.name, pattern) for part in parts):
            raise ValueError(f"no part is named {pattern}: --list shows them")
    return [part for part in parts if any(fnmatchcase(part.name, one) for one in patterns)]


def seconds(part: Part, results: Results) -> float:
    """How long a part takes: as long as the last time, or a guess."""
    last = results.get(part.name)
    return float(last.seconds) if last and last.is_played else part.guess


def fits(part: Part, results: Results, left: float | None) -> bool:
    """Whether a part can be played in these seconds; None: there is no end."""
    return left is None or seconds(part, results) <= left


def plan(parts: list[Part], results: Results, left: float | None) -> Iterator[Part]:
    """Those parts that fit, in their order: what is too long leaves room for what comes later."""
    for part in parts:
        if fits(part, results, left):
            yield part
            if left is not None:
                left -= seconds(part, results)
