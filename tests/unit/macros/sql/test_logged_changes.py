"""The rows of a log that belong to a change."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.parsing import parse

CHANGE = {"start": 3, "end": 9, "log": {"name": "`s`.`log`", "version": 7, "end": 5}}


def test_after_what_was_read_up_to_what_is_captured() -> None:
    """At the version of the log that was looked at: purges since then take nothing away."""
    sql = Dbt()("_logged_sql", CHANGE)
    assert sql == (
        "from `s`.`log` version as of 7\n    where _commit_version > 3 and _commit_version <= 5"
    )
    assert parse("select * " + sql)


def test_count() -> None:
    sql = Dbt()("_count_logged_sql", CHANGE)
    assert parse(sql)
    assert sql == (
        "select\n"
        "    count_if(_change_type in ('insert', 'update_postimage')) as came,\n"
        "    count_if(_change_type in ('delete', 'update_preimage')) as went\n"
        + Dbt()("_logged_sql", CHANGE)
    )


def test_last() -> None:
    sql = Dbt()("_last_logged_sql", "`s`.`log`", 7)
    assert parse(sql)
    assert sql == (
        "select\n    max(_commit_version) as version,\n"
        "    unix_micros(max_by(_commit_timestamp, _commit_version)) as commit_time\n"
        "from `s`.`log` version as of 7"
    )
