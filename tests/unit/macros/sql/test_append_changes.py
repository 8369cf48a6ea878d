"""The INSERT that publishes rows that only came."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from ...kit.harness import Dbt
from ...kit.jobs import SPEC, TERMS, append
from ...kit.parsing import parse, statements


def test_insert(golden: Callable[[str, str], None]) -> None:
    job = append(staged=False)
    job["fast"] = {**job["fast"], "terms": TERMS[:1]}
    sql = Dbt()("_append_changes_sql", SPEC, job)
    golden("append_changes", sql)
    (insert,) = statements(sql)
    assert isinstance(parse(insert), exp.Insert)
    assert "replace where" not in sql and "'txnVersion' = '3'" in sql
    assert "_mview_sign" not in sql.split("from (")[0], "not a column of the view"
