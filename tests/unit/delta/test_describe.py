"""What DESCRIBE and SHOW say of tables."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import FEED, Foreign, delta
from ..kit.harness import Dbt
from ..kit.records import as_job

# What a table's detail says.


def test_of_a_delta_table() -> None:
    dbt = Dbt()
    table = dbt.engine.tables["spark_catalog.shop.orders"] = delta(1, 2)
    table.comment = "about"
    row = dbt("_delta_detail", "`spark_catalog`.`shop`.`orders`")
    assert (row["id"], row["description"], row["numFiles"]) == (table.id, "about", 2)
    assert dbt.engine.steps == ["read_describe_detail"]


# What a table's properties say.


NAME = "spark_catalog.shop.orders"
QUOTED = "`spark_catalog`.`shop`.`orders`"


def test_delta_properties_of_a_delta_table() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].properties = dict(FEED)
    assert FEED.items() <= dbt("_delta_properties", QUOTED).items()
    assert dbt.engine.steps == ["read_properties"]


def test_another_table_has_none() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = Foreign()
    assert dbt("_delta_properties", QUOTED) is None


def test_what_spark_hides_is_asked_of_delta() -> None:
    """SHOW TBLPROPERTIES hides whatever has `url` or `token` in its name or its value."""
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].properties = {"a": "1", "dbt_mview.mlog": '{"base": "x.curly"}'}
    dbt.engine.redacts = "(?i)url|token"
    assert dbt("_delta_properties", QUOTED)["dbt_mview.mlog"].endswith("(redacted)")
    dbt.engine.forget()
    found = dbt("_unhidden_properties", QUOTED)
    assert found["dbt_mview.mlog"] == '{"base": "x.curly"}'
    assert dbt.engine.steps == ["read_properties", "read_describe_detail"]
    dbt.engine.redacts = None
    dbt.engine.forget()
    assert dbt("_unhidden_properties", QUOTED)["a"] == "1"
    assert dbt.engine.steps == ["read_properties"]


# Maps as the methods of connection return them.


@pytest.mark.parametrize(
    ("value", "mapping"),
    [
        (None, {}),
        ("", {}),
        ('{"a": "1"}', {"a": "1"}),
        ({"a": "1"}, {"a": "1"}),
        ([("a", "1"), ("b", None)], {"a": "1", "b": None}),
        ('[["a", "1"]]', {"a": "1"}),
        ([], {}),
        ("[]", {}),
    ],
)
def test_mapping(value: Any, mapping: Any) -> None:
    """As the session returns a map, as thrift does, and as Databricks' connector does."""
    assert Dbt()("_mapping", value) == mapping


def hive(value: dict[str, Any]) -> str:
    """A map as a thrift server sends it: quotes within are not escaped."""
    items = [f'"{key}":' + ("null" if one is None else f'"{one}"') for key, one in value.items()]
    return "{" + ",".join(items) + "}"


MAPS = [
    {},
    {"mode": "Append", "partitionBy": "[]"},
    {"mode": "Overwrite", "predicate": '["true"]'},
    {"description": None, "properties": '{"delta.enableChangeDataFeed":"true","b":"x"}', "z": "1"},
    {"dbt_mview.mlog": '{"base": "a.b.c", "start": {"version": 1, "commit_time": 2}}', "b": "c"},
    {"columns": '[{"column":{"name":"x","type":"integer","metadata":{"a":"b"}}},{"column":{}}]'},
    {"note": 'a, "b" c', "delta.constraints.c": "x > 0 and y like '{%'", "last": ""},
    {
        "predicate": '["(k#1 <=> k#2)"]',
        "matchedPredicates": '[{"predicate":"(hex = \'7b22\')","actionType":"delete"}]',
        "notMatchedPredicates": '[{"predicate":"(a[0] = 1)","actionType":"insert"}]',
    },
]


@pytest.mark.parametrize("value", MAPS)
def test_maps_of_a_thrift_server(value: dict[str, Any]) -> None:
    found = Dbt()("_mapping", hive(value))
    assert found == {key: one or "" for key, one in value.items()} or found == value


# The columns of all tables of a query, in one statement.


F, D = "spark_catalog.shop.facts", "spark_catalog.shop.dims"


def described(rows: list[tuple[str, str]], *tables: str) -> tuple[Any, Dbt]:
    dbt = Dbt()
    for name in tables:
        dbt.engine.tables[name] = delta(1, columns="own bigint")
    answer = type(dbt.engine._read_tables("show tables in `a` like '*'"))
    dbt.engine._read_columns = lambda sql: answer([list(row) for row in rows])  # type: ignore[method-assign]
    job = as_job(
        {"reads": {"tables": list(tables)}, "bindings": {F: {"version": 7}, D: {"version": None}}}
    )
    return dbt("_describe_tables", job), dbt


def test_at_once() -> None:
    rows = [("mview:0", "int"), ("id", "bigint"), ("a, b", "int"), ("mview:1", "int"), ("k", "int")]
    found, dbt = described(rows, F, D)
    assert [column["name"] for column in found[F]] == ["id", "a, b"]
    assert found[D] == [{"name": "k", "type": "int", "expression": "`k`"}]
    assert dbt.engine.sql("read_columns").endswith(
        "describe query\nselect 1 as `mview:0`, t0.*, 1 as `mview:1`, t1.*\nfrom"
        " `spark_catalog`.`shop`.`facts` version as of 7 as t0, `spark_catalog`.`shop`.`dims` as t1"
    )


def test_no_table() -> None:
    assert described([])[0] == {}


def test_one_by_one() -> None:
    """Where a column has the name of a mark, or a type is cut."""
    like = [("mview:0", "int"), ("mview:1", "int"), ("mview:1", "int"), ("k", "int")]
    cut = [("mview:0", "int"), ("s", "struct<a:int,... 3 more fields>"), ("mview:1", "int")]
    for rows in (like, cut):
        found, dbt = described(rows, F, D)
        assert [column["name"] for column in found[F]] == ["own"]
        assert "read_describe_query" in dbt.engine.steps
