"""The statement that begins a log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.lexer import skeleton, strings
from ...kit.nasty import NASTY
from ...kit.parsing import parse

AT = {"version": 9, "commit_time": 12}


def create(text: str = "it's", **layout: Any) -> str:
    given = {"tblproperties": {"key " + text: text}, "location": "/data/" + text, **layout}
    spec = {
        "mlog_id": "c.s." + text,
        "name": "`shop`.`log`",
        "layout": given,
        "description": "About " + text if layout == {} else None,
    }
    types = {text: "string", "b": "int"}
    columns = [
        {"name": name, "type": type_, "expression": f"`{name.replace('`', '``')}`"}
        for name, type_ in types.items()
    ]
    job = {"id": "job1", "columns": columns, "base": "`shop`.`orders`"}
    coverage = {"base": "c.s." + text, "began": AT, "start": AT, "captured": AT, "gap": text}
    sql: str = Dbt()("_create_log_sql", spec, job, coverage)
    assert parse(sql)
    return sql


def test_create_log(golden: Callable[[str, str], None]) -> None:
    golden("create_log", create())


def test_plain(golden: Callable[[str, str], None]) -> None:
    sql = create(tblproperties={}, location=None)
    golden("create_log_plain", sql)
    assert "location" not in sql and "comment" not in sql


def test_it_is_empty_and_can_be_purged_by_partitions() -> None:
    sql = create()
    assert sql.endswith("from `shop`.`orders`\nwhere false")
    assert "\npartitioned by (_commit_version)\n" in sql


def test_what_the_table_and_the_commit_say() -> None:
    texts = strings(create())
    kind = texts[texts.index("dbt_mview.kind") + 1]
    assert kind == "materialized_view_log"
    assert '"start": {"version": 9, "commit_time": 12}' in texts[texts.index("dbt_mview.mlog") + 1]
    assert (
        '"captured": {"version": 9, "commit_time": 12}' in (texts[texts.index("userMetadata") + 1])
    )


@pytest.mark.parametrize("text", NASTY)
def test_no_text_changes_the_statement(text: str) -> None:
    sql = create(text)
    assert skeleton(sql) == skeleton(create("plain"))
    assert {"About " + text, "key " + text, text, "/data/" + text} <= set(strings(sql))
