"""Keeping state and logs small."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...kit.harness import Dbt
from ...kit.parsing import parse


def test_maintain(golden: Callable[[str, str], None]) -> None:
    statements = Dbt()("_maintain_sql", 30, ["c.s.log"])
    golden("maintain", "\n;\n".join(statements) + "\n;")
    deleted = [re.findall("delete from [^;]+", one) for one in statements]
    assert sum(len(found) for found in deleted) == 2 * 3
    assert all(parse(sql) for found in deleted for sql in found)


def test_without_tables_of_logs() -> None:
    statements = Dbt()("_maintain_sql", 30, None)
    assert len(statements) == 5 and not any("mlog" in one for one in statements)
    assert len(Dbt()("_maintain_sql", 30, [])) == 10
