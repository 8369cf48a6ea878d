"""Macros changed on purpose, in a copy of the package. A change names the macro, not its file, so
that files can be moved; what it replaces is compared word by word, so that lines can be broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MACRO = re.compile(r"{%-?\s*macro\s+(\w+)\s*\(.*?{%-?\s*endmacro\s*-?%}", re.DOTALL)


@dataclass(frozen=True)
class Change:
    """One change of one macro.

    Args:
        macro: its name.
        right: a text of its definition; blanks and line breaks stand for any others.
        wrong: what stands there instead.
    """

    macro: str
    right: str
    wrong: str

    def changed(self, macros: Path) -> tuple[Path, str]:
        """The file that defines the macro, and its text with the change.

        Args:
            macros: the directory of all macros.

        Raises:
            AssertionError: no file defines the macro, several do, or the text is not in it exactly
                once.
        """
        found = [
            (file, text, one)
            for file in sorted(macros.rglob("*.sql"))
            if self.macro in (text := file.read_text(encoding="utf-8"))
            for one in MACRO.finditer(text)
            if one[1] == self.macro
        ]
        assert len(found) == 1, f"{self.macro} is defined {len(found)} times below {macros}"
        file, text, defined = found[0]
        pattern = r"\s+".join(re.escape(word) for word in re.split(r"\s+", self.right))
        places = list(re.finditer(pattern, defined[0]))
        assert len(places) == 1, f"in {self.macro} {len(places)} times: {self.right}"
        start, end = (defined.start() + place for place in places[0].span())
        return file, text[:start] + self.wrong + text[end:]

    def apply(self, macros: Path) -> None:
        """Changes the file for good."""
        file, text = self.changed(macros)
        file.write_text(text, encoding="utf-8")

    @contextmanager
    def applied(self, macros: Path) -> Iterator[None]:
        """Changes the file for a while."""
        file, text = self.changed(macros)
        before = file.read_text(encoding="utf-8")
        file.write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(before, encoding="utf-8")
