"""Every query and change in the golden files is SQL that sqlglot can read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlglot import exp

from tests.support.golden import Golden, step_of

from .kit.parsing import NOT_PARSED, parse, split, statements

GOLDEN = Golden()
STATEMENTS, TEXTS = GOLDEN.names("statements"), GOLDEN.names("texts")
BY_DBT = ("hook", "grants")  # what is no statement of the package
COMMANDS = ("create_state", "fence")  # texts without a query


def parsed(name: str, *texts: str) -> int:
    """How many queries and changes are in these statements; each is SQL that sqlglot can read."""
    found = [one for text in texts for one in statements(text)]
    for one in found:
        assert parse(one), name
    return len(found)


@pytest.mark.parametrize("name", STATEMENTS)
def test_golden_statements_are_sql(name: str) -> None:
    text = GOLDEN.statement(name)
    header, _, body = text.partition("*/\n")
    if step_of(name) in BY_DBT:
        assert not body
    else:
        assert header.startswith(f"/* dbt_mview step={step_of(name).removeprefix('read_')} ")
        assert parsed(name, text) or not body.startswith("begin")


@pytest.mark.parametrize("name", TEXTS)
def test_golden_texts_are_sql(name: str) -> None:
    text = (GOLDEN.folder / "texts" / f"{name}.sql").read_text(encoding="utf-8")
    found = parsed(name, *re.split(r"\n;(?:\n|$)", text))
    assert found or name in COMMANDS, "nothing in this file was read"


def test_every_golden_file_is_written_by_a_test() -> None:
    tests = "\n".join(file.read_text() for file in Path(__file__).parent.rglob("test_*.py"))
    for name in [*GOLDEN.names("transcripts"), *TEXTS]:
        assert f'"{name}"' in tests or f'golden(f"{name.split("_")[0]}_' in tests, name


def test_every_golden_statement_is_listed_and_is_there_once() -> None:
    listed = {one for name in GOLDEN.names("transcripts") for one in GOLDEN.listed(name)[1]}
    assert listed == set(STATEMENTS)
    texts = [(step_of(name), GOLDEN.statement(name)) for name in STATEMENTS]
    assert len(set(texts)) == len(texts)


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
