"""meta.dbt_mview of a model."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError

NOTHING = {"priority": 3, "pool": None, "timeout": None}


def config(given: Any) -> Any:
    return Dbt()("_service_config", "c.s.v", {"meta": {"dbt_mview": given}})


@pytest.mark.parametrize("configs", [{}, {"meta": None}, {"meta": {"owner": "me"}}])
def test_nothing_is_given(configs: dict[str, Any]) -> None:
    assert Dbt()("_service_config", "c.s.v", configs) == NOTHING


@pytest.mark.parametrize(
    ("given", "means"),
    [
        ({"priority": 1}, {"priority": 1}),
        ({"priority": 5, "pool": "big"}, {"priority": 5, "pool": "big"}),
        ({"timeout": "1 hour 30 minutes"}, {"timeout": 5400}),
        ({"timeout": 90, "priority": None}, {"timeout": 90}),
    ],
)
def test_given(given: dict[str, Any], means: dict[str, Any]) -> None:
    assert config(given) == {**NOTHING, **means}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"prio": 4}, r'meta\.dbt_mview is \{"prio": 4\}\. Its keys are: priority, pool'),
        (["priority"], r"meta\.dbt_mview is \[\"priority\"\]\. Its keys are"),
        ({"priority": 0}, r"meta\.dbt_mview\.priority is 0\. Give 1 to 5"),
        ({"priority": 6}, r"meta\.dbt_mview\.priority is 6\. Give 1 to 5"),
        ({"priority": True}, r"meta\.dbt_mview\.priority is true\. Give 1 to 5"),
        ({"priority": "4"}, r'meta\.dbt_mview\.priority is "4"\. Give 1 to 5'),
        ({"pool": 3}, r"meta\.dbt_mview\.pool is 3\. Give the name of a pool"),
        ({"pool": " "}, r'meta\.dbt_mview\.pool is " "\. Give the name of a pool'),
        ({"timeout": "soon"}, r"meta\.dbt_mview\.timeout is 'soon'\. Give a duration"),
    ],
)
def test_refused(given: Any, says: str) -> None:
    with pytest.raises(DbtError, match=f"c.s.v: {says}"):
        config(given)
