"""The config refresh_group, and what it does not go with."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError, Model
from ...kit.scenes import GROUPED, MEMBERS

SPEC = {"mview_id": "c.shop.totals"}


def error(*models: Model, without: str = "") -> str:
    """What the first of these models is refused for."""
    dbt = Dbt(None, *models)
    dbt.use(models[0])
    dbt.context["selected_resources"] = [
        model.unique_id for model in models if model.name != without
    ]
    with pytest.raises(DbtError) as raised:
        dbt("_refresh_group", SPEC)
    return str(raised.value)


def test_the_name() -> None:
    dbt = Dbt(None, *MEMBERS, Model("alone"))
    dbt.use(MEMBERS[0])
    assert dbt("_refresh_group", SPEC) == "sales"
    dbt.use(dbt.models[2])
    assert dbt("_refresh_group", SPEC) is None


@pytest.mark.parametrize("name", ["", " ", 7, ["a"], {"a": 1}, "a b", "a,b", "a'b"])
def test_what_is_no_name(name: Any) -> None:
    assert f"refresh_group is '{name}'" in error(Model(config={"refresh_group": name}))


def test_members_that_the_run_leaves_out() -> None:
    text = error(*MEMBERS, without="sums")
    assert text.startswith(
        "dbt_mview: c.shop.totals: it belongs to refresh_group 'sales', but this"
    )
    assert "this run leaves out model.shop.sums. Run all of it" in text
    assert "--select config.refresh_group:sales" in text


def test_members_that_read_each_other() -> None:
    middle = Model("middle", materialized="table", parents=["model.shop.sums", "source.x"])
    last = Model(config=GROUPED, parents=["model.shop.middle"])
    assert "it reads another member, model.shop.sums." in error(last, middle, MEMBERS[1])


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"read_consistency": "latest"}, "its read_consistency is 'latest'. Members read one"),
        ({"on_configuration_change": "continue"}, "is 'continue', which leaves it behind. Set it"),
        ({"post_hook": ["select 1"]}, "it has a post_hook, which would run before the group"),
    ],
)
def test_configs_that_do_not_go_with_it(config: dict[str, Any], text: str) -> None:
    assert text in error(Model(config={**GROUPED, **config}))


def test_another_name_of_the_materialization() -> None:
    text = error(Model(config={**GROUPED, "materialized": "materialized_view"}))
    assert "its materialization is 'materialized_view'. Members of a group say" in text


def test_ancestors() -> None:
    models = [
        Model("a", parents=["model.shop.b"]),
        Model("b", parents=["source.s", "model.shop.c"]),
    ]
    dbt = Dbt(None, *models, Model("c"))
    assert dbt("_ancestors", "model.shop.a") == ["model.shop.b", "source.s", "model.shop.c"]
    assert dbt("_ancestors", "model.shop.c") == []
