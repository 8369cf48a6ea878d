"""The row of a view after a refresh."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from ...kit.harness import Dbt
from ...kit.parsing import parse
from ...kit.rows import outcome


def merge() -> str:
    dbt = Dbt()
    rows = [outcome(dbt), dbt("_outcome", "v2", "j2", "o", None, "success", "skip")]
    text: str = dbt("_merge_info_sql", rows)
    return text.strip()


def test_merge_info(golden: Callable[[str, str], None]) -> None:
    golden("merge_info", merge())


def test_each_view_has_its_own_partition_in_the_condition() -> None:
    """Literals in ON: MERGEs of different views do not conflict."""
    assert "\non t.mview_id = s.mview_id and t.mview_id in ('plain', 'v2')\n" in merge()


def test_clauses() -> None:
    tree = parse(merge())
    assert isinstance(tree, exp.Merge)
    whens = tree.args["whens"].expressions
    assert [bool(when.args["matched"]) for when in whens] == [True, True, True, False]
    skip, success, failed, _ = (when.sql(dialect="spark").lower() for when in whens)
    as_seen = "t.lock_owner is null and t.last_refresh_time is not distinct from s.seen"
    assert as_seen in skip and "target_version" not in skip
    assert f"s.token is null and {as_seen}" in failed, "and an older failure replaces no success"
    assert "t.lock_token = s.token" in success and "t.lock_owner = s.owner" in success
    assert "sources = coalesce(t.sources, s.sources)" in failed, "the last success stays"
    assert "target_version" not in failed
