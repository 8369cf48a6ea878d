"""What an invocation remembers is shared by all its models."""

from __future__ import annotations

from ..harness import Dbt


def test_memory_lives_as_long_as_the_invocation() -> None:
    dbt = Dbt()
    assert not any(dbt("_memory").values()), "it begins empty"
    dbt("_memory")["pins"]["a"] = 1
    assert dbt("_memory")["pins"] == {"a": 1}
    assert dbt("_memory") is dbt.context["graph"]["dbt_mview"]
    assert Dbt()("_memory")["pins"] == {}
