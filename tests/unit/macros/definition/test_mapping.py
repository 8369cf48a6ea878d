"""Maps as the methods of connection return them."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt


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
