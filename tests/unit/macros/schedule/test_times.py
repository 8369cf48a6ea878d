"""What expressions are worth."""

from __future__ import annotations

from ...kit.engine import micros
from ...kit.harness import Dbt
from ...kit.parsing import parse


def test_times() -> None:
    dbt = Dbt()
    dbt.engine.times = {"next": 12}
    found = dbt("_times", {"next": "now() + interval 1 hour -- soon"})
    assert found == {"now": micros(dbt.engine.minute), "start": None, "next": 12}


def test_sql() -> None:
    """A comment in an expression ends with its line; what is not there is NULL."""
    sql = Dbt()("_times_sql", None, "now() + interval 1 hour -- soon").strip()
    assert "cast(null as bigint) as start" in sql
    assert sql.count("(\nnow() + interval 1 hour -- soon\n)") == 4
    assert parse(sql)
