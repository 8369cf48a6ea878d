"""What an invocation knows of a group."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, Model
from ...kit.scenes import GROUPED, MEMBERS


def test_members_are_the_models_of_the_name() -> None:
    others = (
        Model("alone"),
        Model("other", config={"refresh_group": "stock"}),
        Model("folder", config=GROUPED, materialized="table"),
    )
    group = Dbt(None, *MEMBERS, *others)("_group", "sales")
    assert group["members"] == sorted(one.unique_id for one in MEMBERS)
    assert (group["arrived"], group["published"]) == ([], False)


def test_it_is_one_for_all() -> None:
    dbt = Dbt(None, *MEMBERS)
    dbt("_group", "sales")["arrived"].append("x")
    assert dbt("_group", "sales")["arrived"] == ["x"]


@pytest.mark.parametrize(
    ("configs", "selector"),
    [
        ([GROUPED, GROUPED], "config.refresh_group:sales"),
        ([{"meta": GROUPED}], "config.meta.refresh_group:sales"),
        (
            [GROUPED, {"meta": GROUPED}],
            "config.refresh_group:sales config.meta.refresh_group:sales",
        ),
    ],
)
def test_what_selects_it(configs: list[dict[str, Any]], selector: str) -> None:
    models = [Model(f"m{number}", config=config) for number, config in enumerate(configs)]
    assert Dbt(None, *models)("_group_selector", "sales") == selector


@pytest.mark.parametrize("published", [False, True])
def test_the_first_reader_decides_for_all(published: bool) -> None:
    dbt = Dbt(None, Model(config=GROUPED))
    assert dbt("_group_is_read_as_of_start", None) is False
    dbt("_group", "sales")["published"] = published
    assert dbt("_group_is_read_as_of_start", "sales") is not published
    dbt("_group", "sales")["published"] = True
    assert dbt("_group_is_read_as_of_start", "sales") is not published
