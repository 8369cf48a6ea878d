"""The rows that came to a table, or went."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt
from ..parsing import parse

DBT = Dbt()
CHANGE = {"relation": "c.s.it's", "start": 3, "end": 5, "inserts": True, "deletes": True}
TWO = [{"name": "a", "type": "int"}, {"name": "b`c", "type": "string"}]


def rows(sign: int, columns: Any = TWO, few: bool = False, **changes: Any) -> str:
    sql: str = DBT("_changed_rows_sql", {**CHANGE, **changes}, sign, columns, few)
    assert parse(f"select * from {sql} as x")
    return sql


def test_one_kind() -> None:
    """The feed begins after the version that was read."""
    assert rows(1, deletes=False) == (
        "(\n    select `a`, `b``c`\n"
        "    from table_changes('`c`.`s`.`it\\'s`', 4, 5) as _mview_feed\n"
        "    where _change_type in ('insert', 'update_postimage')\n)"
    )
    assert "where _change_type in ('delete', 'update_preimage')\n" in rows(-1, inserts=False)


def test_both_kinds_are_netted() -> None:
    assert rows(1) == (
        "(\n    select `a`, `b``c`\n    from (\n        select\n"
        "            `a`, `b``c`,\n            sum(\n"
        "                case when _change_type in ('insert', 'update_postimage')"
        " then 1 else -1 end\n"
        "            ) as _mview_n\n"
        "        from table_changes('`c`.`s`.`it\\'s`', 4, 5) as _mview_feed\n"
        "        group by `a`, `b``c`\n        having _mview_n > 0\n    )\n"
        "    lateral view explode(sequence(1, _mview_n)) _mview_e as _mview_i\n)"
    )
    assert "('delete', 'update_preimage') then 1 else -1" in rows(-1)


@pytest.mark.parametrize("type_", ["map<string,int>", "struct<a:map<int,int>>", "variant"])
def test_what_cannot_be_grouped_is_not_netted(type_: str) -> None:
    sql = rows(1, [*TWO, {"name": "m", "type": type_}])
    assert "group by" not in sql and "where _change_type in" in sql


def test_few_rows_go_to_where_the_others_are() -> None:
    """Spark knows no size of a feed: it would shuffle the whole table that it is joined with."""
    hint = "select /*+ broadcast(_mview_feed) */"
    assert rows(1, few=True, deletes=False).startswith(f"(\n    {hint} `a`, `b``c`\n    from")
    assert rows(1, few=True).count(hint) == 1
    assert f"{hint}\n            `a`, `b``c`,\n            sum(" in rows(1, few=True)
    assert "broadcast" not in rows(1)
