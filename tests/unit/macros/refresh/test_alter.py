"""Which parts of a layout ALTER can change."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

LAYOUT = {
    "partition_by": [],
    "liquid_clustered_by": [],
    "location": None,
    "tblproperties": {},
    "constraints": {},
}


def alterations(old: dict[str, Any] | None, new: dict[str, Any]) -> Any:
    state = None if old is None else {"spec": {"layout": {**LAYOUT, **old}}}
    return Dbt()("_alterations", {"layout": {**LAYOUT, **new}}, {"state": state})


@pytest.mark.parametrize(
    ("old", "new", "clauses"),
    [
        ({}, {}, []),
        ({}, {"tblproperties": {"a'": "b'"}}, ["set tblproperties ('a\\'' = 'b\\'')"]),
        ({"tblproperties": {"a": "1"}}, {}, ["unset tblproperties if exists ('a')"]),
        (
            {"tblproperties": {"a": "1", "b": "2"}},
            {"tblproperties": {"b": "3", "c": "4"}},
            [
                "unset tblproperties if exists ('a')",
                "set tblproperties ('b' = '3', 'c' = '4')",
            ],
        ),
    ],
)
def test_by_alter(old: Any, new: Any, clauses: list[str]) -> None:
    assert alterations(old, new) == clauses


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, {}),
        ({}, {"liquid_clustered_by": ["a"]}),
        ({"liquid_clustered_by": ["a"]}, {"liquid_clustered_by": ["b"]}),
        ({"liquid_clustered_by": ["a"]}, {}),
        ({}, {"partition_by": ["a"]}),
        ({"partition_by": ["a"]}, {}),
        ({"location": "/a"}, {"location": "/b"}),
        ({}, {"constraints": {"c": "x > 0"}}),
        ({"tblproperties": {"a": "1"}, "constraints": {"c": "x"}}, {}),
    ],
)
def test_by_replace(old: Any, new: Any) -> None:
    assert alterations(old, new) is None


def test_alter() -> None:
    dbt = Dbt()
    spec = {"name": "`s`.`v`", "rendered": "s.v"}
    job = {"id": "j", "dry_run": False, "alterations": ["cluster by none", "set x"]}
    dbt("_alter", spec, job)
    assert [one.sql.split("\n")[1] for one in dbt.engine.log] == [
        "alter table `s`.`v` cluster by none",
        "alter table `s`.`v` set x",
    ]
    assert dbt.logged == ["Applying ALTER to: s.v"]
    dbt("_alter", spec, {**job, "alterations": []})
    assert len(dbt.engine.log) == 2
