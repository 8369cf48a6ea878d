"""``make nightly``: plays what was not played with the code as it is, part by part.

Each part's result is written down when it ends, so whatever ends this command, at most the part in
play is lost; the next call goes on. What a part prints is in .nightly/<part>.log.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from types import FrameType

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tests.nightly import choose, results, steps
from tests.nightly.parts import Part, parts
from tests.nightly.play import HOME, play
from tests.nightly.results import Result

console = Console(highlight=False)


def arguments(args: list[str] | None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="make nightly, or: python -m tests.nightly")
    say = parser.add_argument
    say("--list", action="store_true", help="say what would be played, and play nothing")
    say("--minutes", type=float, help="play as many parts as fit in these minutes")
    say(
        "--only", action="append", metavar="PART", help="this part, or these (crash-*), in any case"
    )
    say("--all", action="store_true", help="also what was played with the code as it is")
    return parser.parse_args(args)


def main(args: list[str] | None = None) -> int:
    """Plays. Returns 1 if a part failed."""
    asked = arguments(args)
    known = parts()
    try:
        some = choose.named(known, asked.only) if asked.only else known
    except ValueError as wrong:
        console.print(str(wrong), style="red")
        return 2
    again = asked.all or bool(asked.only)
    left = asked.minutes * 60 if asked.minutes else None
    last, tree = results.load(), results.tree()
    todo = choose.due(some, last, tree, again)
    tell(some, todo, list(choose.plan(todo, last, left)), last)
    if asked.list:
        return 0
    # Also where a shell that starts this with & lets it ignore Ctrl-C: pytest would inherit that.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, interrupted)
    try:
        played = sitting(todo, known, left)
    except KeyboardInterrupt:
        console.print("interrupted: the part in play is lost, the next call goes on with it")
        return 130
    console.print(table(known, results.load(), results.tree()))
    return int(any(result.failed for result in played))


def interrupted(number: int, frame: FrameType | None) -> None:
    """Whatever ends this lets the part in play stop its engines."""
    raise KeyboardInterrupt


def tell(some: list[Part], todo: list[Part], planned: list[Part], last: choose.Results) -> None:
    """Says beforehand what is played, and how long it takes."""
    whole = sum(choose.seconds(part, last) for part in todo)
    now = sum(choose.seconds(part, last) for part in planned)
    console.print(
        f"{len(some)} parts, {len(todo)} to play, {clock(whole)};"
        f" in this sitting {len(planned)}, {clock(now)}:"
    )
    for part in planned:
        known = part.name in last and last[part.name].is_played
        source = "" if known else ", a guess"
        console.print(f"  {part.name:28} {clock(choose.seconds(part, last))}{source}")


def sitting(todo: list[Part], known: list[Part], left: float | None) -> list[Result]:
    """Plays the parts that fit, one after the other; what one takes is not what was expected."""
    begun, played = time.monotonic(), []
    for part in todo:
        last = results.load()
        rest = None if left is None else left - (time.monotonic() - begun)
        if not choose.fits(part, last, rest):
            continue
        estimate = choose.seconds(part, last)
        console.print(f"{part.name}, {clock(estimate)} ...")
        result = play(part, estimate)
        results.save(result, known)
        if seen := steps.read(HOME / f"{part.name}.xml"):
            steps.save(part.name, seen, [one.name for one in known])
            steps.document()
        played.append(result)
        console.print(f"  {said(result)} ({clock(result.seconds)})", markup=False)
    return played


def said(result: Result) -> str:
    """A result in a few words."""
    if not result.is_played:
        return result.what
    counts = ((result.passed, "passed"), (result.failed, "failed"), (result.skipped, "skipped"))
    told = ", ".join(f"{count} {name}" for count, name in counts if count)
    return f"{told}: {result.what}" if result.what else told


def clock(seconds: float) -> str:
    """Seconds as hours and minutes."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def table(known: list[Part], last: choose.Results, tree: str) -> Table:
    """The last result of every part; what was played with other code is grey."""
    shown = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("part", "date", "commit"):
        shown.add_column(name, no_wrap=True)
    shown.add_column("seconds", no_wrap=True, justify="right")
    shown.add_column("tests", overflow="fold")
    for part in known:
        result = last.get(part.name)
        if result is None:
            shown.add_row(part.name, "never", style="yellow")
            continue
        style = "red" if result.failed else "green" if result.is_played else "yellow"
        when = result.date[5:].replace("T", " ").removesuffix("Z")
        shown.add_row(
            part.name,
            when,
            result.commit[:7],
            str(result.seconds),
            Text(said(result)),  # the brackets of a test's name are no markup
            style=style if result.tree == tree else f"dim {style}",
        )
    return shown


if __name__ == "__main__":
    sys.exit(main())
