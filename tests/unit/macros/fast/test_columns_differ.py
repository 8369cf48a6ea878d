"""Whether the query reads other columns now than when the view was refreshed last."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import delta
from ...kit.harness import Dbt
from ...kit.plans import DIMS, GROUPED, chain, node, question, tables

NAME = "spark_catalog.shop.facts"
FACTS = "Relation spark_catalog.shop.facts[id#1L,k#2,amt#3,s#4] parquet"
NOW = [("id", "bigint"), ("k", "int"), ("amt", "int"), ("s", "string")]
TYPES = {"k": "int", "amt": "int", "s": "string"}
READS = {
    "plan": question("k#2, n#10L, total#11", GROUPED, FACTS),
    "cut": False,
    "columns": {
        NAME: [dict(one, expression=f"`{one['name']}`") for one in tables(FACTS, **TYPES)[NAME]]
    },
}
BY_PLACE = chain("Project [k#2, amt#3]", node("Union false, false", FACTS, DIMS))


def differ(before: list[tuple[str, str]], since: int | None = 2, **reads: Any) -> tuple[bool, Dbt]:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(columns=",".join(" ".join(pair) for pair in NOW))
    dbt.engine.tables[NAME].older_columns[2] = before
    change = {"relation": NAME, "end": 5, "columns_since": since}
    return dbt("_columns_differ", {**READS, **reads}, change), dbt


@pytest.mark.parametrize(
    ("before", "found"),
    [
        (NOW, False),
        (NOW[:3], False),
        ([*NOW, ("gone", "int")], False),
        ([NOW[1], NOW[0], *NOW[2:]], False),
        ([NOW[0], ("k", "tinyint"), *NOW[2:]], True),
        ([("id", "int"), *NOW[1:]], False),
        ([NOW[0], *NOW[2:]], True),
        ([NOW[0], ("K", "int"), *NOW[2:]], True),
        ([NOW[0], NOW[2], NOW[1], NOW[3]], True),
    ],
    ids=[
        "a comment", "one came", "one went", "unused ones moved", "type", "type of an unused one",
        "a used one came", "renamed", "used ones moved",
    ],
)  # fmt: skip
def test_used_columns_matter(before: list[tuple[str, str]], found: bool) -> None:
    assert differ(before)[0] is found


@pytest.mark.parametrize(
    "reads", [{"cut": True}, {"plan": question("k#2, amt#3", BY_PLACE)}], ids=["cut", "by place"]
)
def test_where_the_plan_does_not_tell_all_do(reads: Any) -> None:
    assert differ(NOW[:3], **reads)[0] is True
    assert differ(NOW, **reads)[0] is False


@pytest.mark.parametrize(
    ("was", "now", "found"),
    [
        ({"s": 5}, {"s": 5}, False),
        ({"s": 5}, {}, True),
        ({}, {"s": 5}, True),
        ({"s": 5}, {"s": 6}, True),
    ],
)
def test_a_char_that_is_a_text_now(was: Any, now: Any, found: bool) -> None:
    """DESCRIBE calls both string; the plan pads one where it is read."""
    _, dbt = differ(NOW)
    assert "read_chars" not in dbt.engine.steps, "and is asked where a commit may have changed it"
    dbt.engine.chars = {2: was, 5: now}
    change = {"relation": NAME, "end": 5, "columns_since": 2, "may_be_char": True}
    assert dbt("_columns_differ", {**READS, "cut": True}, change) is found
    assert "select `s` from" in dbt.engine.sql("read_chars")


def test_many_texts_are_asked_for_in_parts() -> None:
    """A plan prints no more than 25 columns."""
    dbt = Dbt()
    columns = [{"name": f"c{number}", "type": "string"} for number in range(45)]
    dbt.engine.chars = {3: {"c1": 5}}
    assert dbt("_chars_at", NAME, 3, columns) == ["readSidePadding(c1, 5)"]
    assert dbt.engine.steps == ["read_chars"] * 3


def test_history_tells_that_there_is_nothing_to_look_at() -> None:
    found, dbt = differ(NOW[:1], since=None)
    assert (found, dbt.engine.steps) == (False, [])


def test_a_text_with_a_name_that_no_plan_tells() -> None:
    """Whether it was a CHAR is not known, so it is taken for another one."""
    named = [*READS["columns"][NAME][:3], {**READS["columns"][NAME][3], "name": "a, b"}]
    _, dbt = differ(NOW)
    dbt.engine.tables[NAME].older_columns[2] = [*NOW[:3], ("a, b", "string")]
    change = {"relation": NAME, "end": 5, "columns_since": 2, "may_be_char": True}
    reads = {**READS, "cut": True, "columns": {NAME: named}}
    named[3]["expression"] = "`a, b`"
    assert dbt("_columns_differ", reads, change) is True


def test_columns_are_those_that_were_asked_for() -> None:
    dbt = Dbt()
    change: dict[str, Any] = {"relation": NAME, "end": 5}
    dbt("_note_columns", READS, change)
    assert dbt.engine.steps == []
    assert [column["name"] for column in change["columns"]] == ["id", "k", "amt", "s"]
    assert change["used"] == ["k", "amt"]
