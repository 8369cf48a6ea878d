"""Keys that a view would hold twice after FAST."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.harness import Dbt
from ...kit.jobs import BOUNDS, SPEC, aggregate, append, keyed
from ...kit.parsing import parse

DBT = Dbt()
UNIQUE = {**SPEC, "unique_key": ["s"]}


def test_rows_that_come(golden: Callable[[str, str], None]) -> None:
    golden("audit_changes", DBT("_audit_changes_sql", UNIQUE, append()))


@pytest.mark.parametrize("job", [aggregate, keyed])
def test_groups_by_their_own_key(job: Callable[[], object]) -> None:
    assert DBT("_audit_changes_sql", UNIQUE, job()) == "select 0 as unique_key"


def test_rows_that_are_computed_again(golden: Callable[[str, str], None]) -> None:
    """Several rows for a key: only what comes tells whether unique_key holds."""
    job = keyed(bounds=BOUNDS[:1])
    job["fast"]["one_row"] = False
    sql = DBT("_audit_changes_sql", {**SPEC, "unique_key": ["k", "total"]}, job)
    golden("audit_again", sql)
    assert parse(sql)


def test_groups_that_share_a_key(golden: Callable[[str, str], None]) -> None:
    sql = DBT("_shared_keys_sql", UNIQUE, aggregate())
    golden("shared_keys", sql)
    assert parse(sql)
