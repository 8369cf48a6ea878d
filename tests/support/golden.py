"""Golden statements: each distinct one is a file, and a transcript is the list of those it sends.

In `tests/golden`, `statements/<step>.sql` is what a step sends as a rule, `<step>.<transcript>.sql`
what it sends otherwise, named by the first transcript in which it does. `transcripts` have a title,
what people are told, and the steps; `texts` are what single macros make of given arguments.

`pytest tests/unit --update-golden` writes them. Transcripts are collected, and written at the end:
a statement that changed wherever it is sent changes its file; one that changed in some transcripts
becomes a file of its own; what no transcript lists is removed.
"""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
TOLD = "told: "
WRITE = "run pytest tests/unit --update-golden, then read the difference"


@dataclass(frozen=True)
class Transcript:
    """All statements of an invocation in order, and what it told people.

    Args:
        title: what happens, in a line.
        told: lines.
        sent: the step and the text of each statement.
    """

    title: str
    told: list[str] = field(default_factory=list)
    sent: list[tuple[str, str]] = field(default_factory=list)

    @property
    def head(self) -> list[str]:
        """The lines before the steps."""
        return [self.title, *(TOLD + line for line in self.told)]


def step_of(name: str) -> str:
    """The step of a statement, by the name of its file."""
    return name.partition(".")[0]


class Golden:
    """Compares with a folder of golden files, or collects what it has to hold.

    Args:
        update: whether files are written.
        folder: where they are.
    """

    def __init__(self, update: bool = False, folder: Path = GOLDEN) -> None:
        self.update = update
        self.folder = folder
        self.collected: dict[str, Transcript] = {}

    def __call__(self, name: str, given: str | Transcript) -> None:
        """Compares a text or a transcript with its golden file, or takes it for the new one.

        Raises:
            AssertionError: they differ.
        """
        if isinstance(given, Transcript):
            if self.update:
                self.collected[name] = given
            else:
                self._compare(name, given)
        elif self.update:
            self._write("texts", name, given)
        else:
            assert given.rstrip("\n") == self._text("texts", name), f"text {name}: {WRITE}"

    def _compare(self, name: str, given: Transcript) -> None:
        head, names = self.listed(name)
        assert given.head == head, f"transcript {name}: {WRITE}"
        steps = [step for step, _ in given.sent]
        assert steps == [step_of(one) for one in names], f"transcript {name}: {WRITE}"
        for number, (one, (_, sql)) in enumerate(zip(names, given.sent, strict=True), 1):
            wanted = self.statement(one)
            assert sql == wanted, f"{one}.sql, statement {number} of transcript {name}: {WRITE}"

    def names(self, kind: str) -> list[str]:
        """The names of all files of a kind: statements, transcripts or texts."""
        return sorted(file.stem for file in (self.folder / kind).glob("*"))

    def statement(self, name: str) -> str:
        """The text of a statement."""
        return self._text("statements", name)

    def listed(self, name: str) -> tuple[list[str], list[str]]:
        """The head of a transcript, and the names of its statements."""
        head, _, steps = self._text("transcripts", name).partition("\n\n")
        return head.split("\n"), steps.split("\n") if steps else []

    def finish(self) -> None:
        """Writes the transcripts that were collected, and the statements that all of them list."""
        if not self.collected:
            return
        known = self.names("transcripts")
        final = {one: self.statement(one) for one in self.names("statements")}
        before = {name: self.listed(name)[1] for name in known}
        after = {name: _aligned(before.get(name, []), one) for name, one in self.collected.items()}
        votes: dict[str, Counter[str]] = {}
        for name, one in self.collected.items():
            for was, (_, sql) in zip(after[name], one.sent, strict=True):
                votes.setdefault(was, Counter())[sql] += 1
        kept = {one for name in set(known) - set(after) for one in before[name]}
        for was in set(final) & set(votes) - kept:
            if final[was] not in votes[was]:
                final[was] = min(votes[was], key=lambda sql: (-votes[was][sql], sql))
        self._name_new(after, final)
        listed = {name: after.get(name, before.get(name, [])) for name in {*known, *after}}
        for name, one in self.collected.items():
            self._write("transcripts", name, "\n".join([*one.head, "", *listed[name]]))
        used = {one for names in listed.values() for one in names}
        for one, sql in final.items():
            if one in used:
                self._write("statements", one, sql)
            else:
                self._file("statements", one).unlink(missing_ok=True)

    def _name_new(self, after: dict[str, list[str]], final: dict[str, str]) -> None:
        """Names the statements that are in no file; those that are sent most often come first."""
        sent = {name: one.sent for name, one in sorted(self.collected.items())}
        often = Counter(pair for pairs in sent.values() for pair in pairs)
        named = {(step_of(one), sql): one for one, sql in sorted(final.items(), reverse=True)}
        where: dict[tuple[str, str], str] = {}
        for name, pairs in sent.items():
            for pair in pairs:
                where.setdefault(pair, name)
        for pair in sorted(set(often) - set(named), key=lambda one: (-often[one], where[one], one)):
            step, sql = pair
            names = [step, f"{step}.{where[pair]}"]
            names += [f"{step}.{where[pair]}.{number}" for number in range(2, len(often) + 2)]
            named[pair] = next(one for one in names if one not in final)
            final[named[pair]] = sql
        for name, pairs in sent.items():
            after[name] = [named[pair] for pair in pairs]

    def _file(self, kind: str, name: str) -> Path:
        return self.folder / kind / (name + (".txt" if kind == "transcripts" else ".sql"))

    def _text(self, kind: str, name: str) -> str:
        file = self._file(kind, name)
        assert file.exists(), f"{kind}: no {file.name}: {WRITE}"
        return file.read_text(encoding="utf-8").rstrip("\n")

    def _write(self, kind: str, name: str, text: str) -> None:
        file = self._file(kind, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def _aligned(names: list[str], one: Transcript) -> list[str]:
    """The statement that stood in each place of a transcript before; nothing where it is new."""
    steps = [step for step, _ in one.sent]
    found = [""] * len(steps)
    matcher = difflib.SequenceMatcher(None, [step_of(name) for name in names], steps, False)
    for block in matcher.get_matching_blocks():
        found[block.b : block.b + block.size] = names[block.a : block.a + block.size]
    return found
