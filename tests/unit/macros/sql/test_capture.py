"""The statement of a capture."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.lexer import skeleton, strings
from ...kit.nasty import NASTY
from ...kit.parsing import parse, statements

AT = {"version": 9, "commit_time": 12}
BEGAN = {"version": 1, "commit_time": 3}


def job(text: str = "a") -> dict[str, Any]:
    return {
        "id": "job1",
        "columns": [{"name": text}, {"name": "b"}],
        "change": {"relation": "spark_catalog.shop." + text, "start": 4, "first": 5, "end": 9},
        "coverage": {"began": BEGAN, "captured": {"version": 4}},
    }


def capture(text: str = "a") -> str:
    spec = {"mlog_id": "spark_catalog.shop." + text, "name": "`shop`.`log`"}
    sql: str = Dbt()("_capture_sql", spec, job(text), AT)
    (statement,) = statements(sql)
    assert parse(statement)
    return sql


def test_capture(golden: Callable[[str, str], None]) -> None:
    golden("capture", capture())


def test_what_its_commit_says() -> None:
    texts = strings(capture())
    said = json.loads(texts[texts.index("userMetadata") + 1])
    mlog_id = "spark_catalog.shop.a"
    captured = {"mlog_id": mlog_id, "capture_job_id": "job1", "began": BEGAN, "captured": AT}
    assert said == {"dbt_mview": captured}


def test_it_has_no_identifier() -> None:
    """Versions of a base may go back, and Delta would drop what has an older one."""
    assert "txn" not in capture()


def test_rows_that_are_there_already_are_not_added() -> None:
    sql = capture()
    guard = "select 1 from `shop`.`log` as logged\n        where logged._commit_version > 4\n"
    assert "where\n    not exists (\n        " + guard + "    )" in sql
    assert "table_changes('`spark_catalog`.`shop`.`a`', 5, 9)" in sql


@pytest.mark.parametrize("text", [text for text in NASTY if "." not in text and text])
def test_no_text_changes_the_statement(text: str) -> None:
    assert skeleton(capture(text)) == skeleton(capture("plain"))
    assert any(text in json.loads(value)["dbt_mview"]["mlog_id"]
               for value in strings(capture(text)) if value.startswith('{"dbt_mview"'))  # fmt: skip


def test_add_columns() -> None:
    columns = [{"name": "a`b", "type": "int"}, {"name": "c", "type": "map<string,int>"}]
    assert Dbt()("_add_columns_sql", {"name": "`s`.`log`"}, columns) == (
        "alter table `s`.`log` add columns (`a``b` int, `c` map<string,int>)"
    )
