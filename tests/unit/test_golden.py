"""Every query and change in the golden files is SQL that sqlglot can read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlglot import exp

from .kit.parsing import NOT_PARSED, parse, split, statements

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*.sql"))
NUMBERED = re.compile(r"^-- \d+\. (\w+)\n(.*?)\n;$", re.DOTALL | re.MULTILINE)


def texts(file: Path) -> list[tuple[str, str]]:
    """(step, statement) of a transcript, or the statements of a file."""
    text = file.read_text(encoding="utf-8")
    found = NUMBERED.findall(text)
    return found or [(file.stem, sql) for sql in re.split(r"\n;(?:\n|$)", text) if sql.strip()]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden_files_are_sql(file: Path) -> None:
    count = 0
    for step, sql in texts(file):
        for statement in statements(sql):
            assert parse(statement), step
            count += 1
    assert count or file.stem in ("create_state", "fence"), "nothing in this file was read"


def test_every_golden_file_is_written_by_a_test() -> None:
    tests = "\n".join(file.read_text() for file in Path(__file__).parent.rglob("test_*.py"))
    for file in FILES:
        name = file.stem
        assert f'"{name}"' in tests or f'golden(f"{name.split("_")[0]}_' in tests, name


def test_what_is_not_parsed_is_still_not_parsed() -> None:
    """Else the detour can go."""
    for sql in ("begin select 1; end", "insert into t with ('a' = 'b') select 1"):
        with pytest.raises(Exception):  # noqa: B017
            parse(sql)
    assert len(NOT_PARSED) == 5


def test_split() -> None:
    script = "begin\n declare x int default 0;\n while x < 1 do\n select ';' ;\n end while;\nend"
    assert split(script) == [
        "begin\n declare x int default 0", "while x < 1", "select ';'", "end while", "end"
    ]  # fmt: skip


def test_statements_of_a_script() -> None:
    script = "/* h */\nbegin\n declare exit handler for sqlstate 'P0001' set x = 1;\n merge into t"
    script += (
        "\n using s on a = b\n when matched then delete;\n if x < 1 then\n select 1;\n end if;\nend"
    )
    kinds = [type(parse(statement)) for statement in statements(script)]
    assert kinds == [exp.Merge, exp.Select]
