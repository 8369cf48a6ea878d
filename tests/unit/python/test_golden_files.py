"""How golden files are compared and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.golden import Golden, Transcript

Sent = list[tuple[str, str]]
LOOK, TAKE, FREE = ("look", "select 1"), ("take", "update a"), ("free", "update b")


def write(folder: Path, **transcripts: Sent) -> Golden:
    """Writes transcripts, and returns what compares with them."""
    golden = Golden(update=True, folder=folder)
    for name, sent in transcripts.items():
        golden(name, Transcript(f"Of {name}", ["so"], sent))
    golden.finish()
    return Golden(folder=folder)


def listed(golden: Golden, name: str) -> list[str]:
    return golden.listed(name)[1]


def test_each_statement_is_a_file_and_a_transcript_lists_them(tmp_path: Path) -> None:
    golden = write(tmp_path, a=[LOOK, TAKE, LOOK], b=[LOOK, FREE])
    assert golden.names("statements") == ["free", "look", "take"]
    assert golden.listed("a") == (["Of a", "told: so"], ["look", "take", "look"])
    assert golden.statement("take") == "update a"
    golden("a", Transcript("Of a", ["so"], [LOOK, TAKE, LOOK]))


def test_the_most_frequent_text_is_the_steps_and_others_are_the_transcripts(tmp_path: Path) -> None:
    other, third = ("look", "select 2"), ("look", "select 3")
    golden = write(tmp_path, a=[other, third], b=[LOOK], c=[LOOK, other, LOOK])
    assert listed(golden, "a") == ["look.a", "look.a.2"]
    assert listed(golden, "c") == ["look", "look.a", "look"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (Transcript("Of a", ["so"], [LOOK, ("take", "update c")]), "take.sql, statement 2"),
        (Transcript("Of a", ["so"], [LOOK]), "transcript a"),
        (Transcript("Of a", ["so"], [LOOK, TAKE, LOOK]), "transcript a"),
        (Transcript("Of a", ["no"], [LOOK, TAKE]), "transcript a"),
        (Transcript("Of b", ["so"], [LOOK, TAKE]), "transcript a"),
    ],
)
def test_any_difference_is_seen(tmp_path: Path, given: Transcript, says: str) -> None:
    golden = write(tmp_path, a=[LOOK, TAKE])
    with pytest.raises(AssertionError, match=says):
        golden("a", given)
    with pytest.raises(AssertionError, match="no b"):
        golden("b", given)


def test_a_text(tmp_path: Path) -> None:
    Golden(update=True, folder=tmp_path)("a", "select 1\n\n")
    golden = Golden(folder=tmp_path)
    golden("a", "select 1\n")
    with pytest.raises(AssertionError, match="text a"):
        golden("a", "select 2")


def test_a_statement_that_changes_everywhere_changes_its_file(tmp_path: Path) -> None:
    other = ("look", "select 2")
    write(tmp_path, a=[LOOK, TAKE], b=[LOOK], c=[other])
    golden = write(tmp_path, a=[("look", "select 9"), TAKE], b=[("look", "select 9")], c=[other])
    assert golden.statement("look") == "select 9"
    assert (listed(golden, "a"), listed(golden, "c")) == (["look", "take"], ["look.c"])


def test_a_statement_that_changes_in_one_transcript_is_another_one(tmp_path: Path) -> None:
    write(tmp_path, a=[LOOK, TAKE], b=[LOOK], c=[LOOK])
    golden = write(tmp_path, a=[("look", "select 9"), TAKE], b=[LOOK], c=[LOOK])
    assert (golden.statement("look"), golden.statement("look.a")) == ("select 1", "select 9")
    assert listed(golden, "a") == ["look.a", "take"]


def test_what_is_not_played_keeps_its_statements(tmp_path: Path) -> None:
    write(tmp_path, a=[LOOK, TAKE], b=[LOOK])
    golden = write(tmp_path, a=[("look", "select 9"), ("take", "update z")])
    assert (listed(golden, "b"), golden.statement("look")) == (["look"], "select 1")
    assert (listed(golden, "a"), golden.statement("take")) == (["look.a", "take"], "update z")


def test_what_no_transcript_lists_is_removed(tmp_path: Path) -> None:
    write(tmp_path, a=[LOOK, TAKE, FREE], b=[LOOK])
    golden = write(tmp_path, a=[LOOK, FREE])
    assert golden.names("statements") == ["free", "look"]


def test_two_that_become_the_same_are_one(tmp_path: Path) -> None:
    write(tmp_path, a=[LOOK], b=[("look", "select 2")])
    golden = write(tmp_path, a=[LOOK], b=[LOOK])
    assert golden.names("statements") == ["look"] == listed(golden, "b")


def test_nothing_is_written_where_nothing_was_collected(tmp_path: Path) -> None:
    write(tmp_path, a=[LOOK])
    Golden(update=True, folder=tmp_path).finish()
    assert Golden(folder=tmp_path).names("statements") == ["look"]
