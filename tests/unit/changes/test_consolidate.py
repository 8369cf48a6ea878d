"""The rows of a change, in place of the table that changed."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.parsing import parse

TWO = [{"name": "a", "type": "int"}, {"name": "b`c", "type": "string"}]
ERROR = (
    "dbt_mview: a text of c.s.it\\'s holds U+FFFD, which its change feed also gives for bytes"
    " that are no UTF-8: use refresh auto or --full-refresh"
)
WHOLE = (
    "case when contains(concat_ws('', `b``c`), decode(x'EFBFBD', 'utf-8'))"
    f" then raise_error('{ERROR}') else true end"
)


def change(**more: Any) -> dict[str, Any]:
    known = {
        "relation": "c.s.it's",
        "start": 3,
        "first": 4,
        "end": 5,
        "inserts": True,
        "deletes": True,
    }
    return {**known, **more}


def rows(sign: int, columns: Any = TWO, few: bool = False, **more: Any) -> str:
    sql: str = Dbt()("_changed_rows_sql", change(**more), sign, columns, few)
    assert parse("select * from " + sql)
    return sql


def test_one_kind() -> None:
    """The feed begins after the version that was read."""
    assert rows(1, deletes=False) == (
        "(\n    select `a`, `b``c`\n"
        "    from table_changes('`c`.`s`.`it\\'s`', 4, 5) as _mview_feed\n"
        "    where _change_type in ('insert', 'update_postimage')\n"
        f"        and {WHOLE}\n)"
    )
    assert "where _change_type in ('delete', 'update_preimage')\n" in rows(-1, inserts=False)


def test_both_kinds_are_netted() -> None:
    assert rows(1) == (
        "(\n    select `a`, `b``c`\n    from (\n        select\n"
        "            `a`, `b``c`,\n"
        "            sum(case when _change_type in ('insert', 'update_postimage')"
        " then 1 else -1 end) as _mview_n\n"
        "        from table_changes('`c`.`s`.`it\\'s`', 4, 5) as _mview_feed\n"
        f"        where {WHOLE}\n"
        "        group by `a`, `b``c`\n        having _mview_n > 0\n    )\n"
        "    lateral view explode(sequence(1, abs(_mview_n))) _mview_e as _mview_i\n)"
    )
    assert rows(-1) == rows(1).replace("_mview_n > 0", "_mview_n < 0"), "read once for both"


@pytest.mark.parametrize("left", [{"inserts": False}, {"deletes": False}, {}])
def test_versions_are_netted_whatever_is_left_of_them(left: dict[str, bool]) -> None:
    """They hold all rows: those that both have are no change, if only some came as well."""
    for sign, sent in ((1, ">"), (-1, "<")):
        sql = rows(sign, compared=True, **left)
        assert f"group by `a`, `b``c`\n        having _mview_n {sent} 0\n" in sql


def test_only_what_the_query_uses_is_compared() -> None:
    """A map that is not used is no reason not to net."""
    columns = [*TWO, {"name": "m", "type": "map<int,int>"}]
    error = "raise_error('dbt_mview: {} of c.s.it\\'s is used after all')"
    sql = rows(1, columns, used=["b`c"])
    assert sql.startswith(
        f"(\n    select cast({error.format('`a`')} as int) as `a`, `b``c`,"
        f" cast({error.format('`m`')} as map<int,int>) as `m`\n    from (\n"
    )
    assert "        select\n            `b``c`,\n" in sql and "group by `b``c`\n" in sql


def test_changes_that_are_not_compared_are_read_as_they_stand() -> None:
    assert "select `a`, `b``c`\n" in rows(1, deletes=False, used=["a"])


def test_used_columns_of_a_log() -> None:
    """One that is used and that the log lacks fails as such."""
    columns = [*TWO, {"name": "z", "type": "int"}]
    sql = rows(1, columns, used=["A", "z"], log={**LOG, "columns": TWO})
    lacks = "raise_error('dbt_mview: the log `s`.`log` has no column `z`')"
    assert f"cast({lacks} as int) as `z`" in sql
    assert "group by `a`\n" in sql and "`b``c` of c.s.it\\'s is used after all" in sql


@pytest.mark.parametrize("type_", ["float", "double"])
def test_zeros_of_both_signs_are_two_values(type_: str) -> None:
    sql = rows(1, [*TWO, {"name": "x", "type": type_}])
    assert "            `a`, `b``c`, min(`x`) as `x`,\n" in sql
    assert "group by `a`, `b``c`, cast(`x` as string)\n" in sql


@pytest.mark.parametrize(
    "type_",
    [
        "map<string,int>",
        "struct<a:map<int,int>>",
        "variant",
        "string collate UTF8_LCASE",
        "array<double>",
        "struct<a:float>",
    ],
)
def test_what_cannot_be_told_apart_is_not_netted(type_: str) -> None:
    sql = rows(1, [*TWO, {"name": "m", "type": type_}])
    assert "group by" not in sql and "where _change_type in" in sql


LOG = {"name": "`s`.`log`", "version": 7, "end": 4, "next": 5, "columns": TWO}
LOGGED = (
    "            select `a`, `b``c`, _change_type\n"
    "            from `s`.`log` version as of 7\n"
    "    where _commit_version > 3 and _commit_version <= 4\n"
)


def test_a_log_and_the_feed_after_it() -> None:
    sql = rows(1, deletes=False, log=LOG)
    assert "    from (\n" + LOGGED + "            union all\n" in sql
    assert (
        "from table_changes('`c`.`s`.`it\\'s`', 5, 5)\n        ) as _mview_feed\n"
        "    where _change_type" in sql
    )


def test_a_log_that_goes_far_enough() -> None:
    sql = rows(-1, log={**LOG, "end": 5, "next": None})
    assert "table_changes" not in sql and "_commit_version <= 5\n" in sql
    assert "group by `a`, `b``c`\n" in sql


def test_a_column_that_the_log_lacks_fails_once_it_is_used() -> None:
    columns = [*TWO, {"name": "z", "type": "decimal(10,2)"}]
    sql = rows(1, columns, log=LOG)
    error = "raise_error('dbt_mview: the log `s`.`log` has no column `z`')"
    assert f"select `a`, `b``c`, cast({error} as decimal(10,2)) as `z`\n" in sql
    assert "group by `a`, `b``c`\n" in sql


def test_few_rows_go_to_where_the_others_are() -> None:
    """Spark knows no size of a feed: it would shuffle the whole table that it is joined with."""
    hint = "select /*+ broadcast(_mview_feed) */"
    assert rows(1, few=True, deletes=False).startswith(f"(\n    {hint} `a`, `b``c`\n    from")
    assert rows(1, few=True).count(hint) == 1
    assert f"{hint}\n            `a`, `b``c`,\n            sum(" in rows(1, few=True)
    assert "broadcast" not in rows(1)


def test_a_type_that_cannot_be_written_is_left_out() -> None:
    columns = [*TWO, {"name": "z", "type": "struct<a b:int>"}]
    sql = rows(1, columns, log=LOG)
    assert "`b``c`, raise_error('dbt_mview: the log `s`.`log` has no column `z`') as `z`\n" in sql
