"""What an invocation remembers is shared by all its models."""

from __future__ import annotations

from ...kit.harness import Dbt


def test_memory_lives_as_long_as_the_invocation() -> None:
    dbt = Dbt()
    assert not any(dbt("_memory").values()), "it begins empty"
    dbt("_memory")["pins"]["a"] = 1
    assert dbt("_memory")["pins"] == {"a": 1}
    assert dbt("_memory") is dbt.context["graph"]["dbt_mview"][dbt.invocation_id]
    assert Dbt()("_memory")["pins"] == {}


def test_an_invocation_that_is_handed_the_same_manifest_begins_empty() -> None:
    """dbtRunner(manifest=...) invoked twice: what was pinned the first time is old the second."""
    first = Dbt()
    first("_memory")["pins"]["a"] = 1
    second = Dbt(invocation_id="second")
    second.context["graph"] = first.context["graph"]
    assert second("_memory")["pins"] == {}
    assert list(second.context["graph"]["dbt_mview"]) == ["second"], "and nothing is kept for ever"
