"""The statement that replaces the view's rows."""

from __future__ import annotations

import json
from collections.abc import Callable

from ...kit.harness import Dbt
from ...kit.lexer import strings
from .test_create_table import JOB as CREATED

JOB = {**CREATED, "publish": "insert"}


def test_insert_replace(golden: Callable[[str, str], None]) -> None:
    dbt = Dbt()
    sql = dbt("_insert_replace_sql", dbt("_spec_from_model"), JOB)
    golden("insert_replace", sql)


def test_what_the_commit_says_of_itself() -> None:
    dbt = Dbt()
    sql = dbt("_insert_replace_sql", dbt("_spec_from_model"), {**JOB, "reason": "it's \\ ${x}"})
    meta = json.loads(strings(sql)[1])
    assert list(meta) == ["dbt_mview"], "the key by which the package knows its own commits"
    assert dbt("_commit_meta", strings(sql)[1]) == meta["dbt_mview"]
    assert meta["dbt_mview"] == {
        "mview_id": "spark_catalog.shop.totals",
        "refresh_job_id": "job1",
        "lock_token": 3,
        "method": "complete",
        "reason": "it's \\ ${x}",
        "started": 1,
        "read_time": 2,
        "sources": [],
        "definition_hash": "h",
        "invocation_id": "run1",
    }


def test_both_guards_against_dynamic_overwrite() -> None:
    dbt = Dbt()
    sql = dbt("_insert_replace_sql", dbt("_spec_from_model"), JOB)
    assert "'partitionOverwriteMode' = 'static'" in sql and "\nreplace where 1 = 1\n" in sql
