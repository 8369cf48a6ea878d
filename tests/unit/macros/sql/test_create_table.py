"""The statement that builds the view's table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...kit.harness import Dbt, Model
from ...kit.lexer import skeleton, strings
from ...kit.nasty import NASTY
from ...kit.parsing import parse
from ...kit.scenes import VIEW, new

JOB = {
    "id": "job1",
    "publish": "create",
    "owner": "run1",
    "token": 3,
    "method": "complete",
    "reason": "first build",
    "started": 1,
    "read_time": 2,
    "deferred": False,
    "staged": False,
    "sources": [],
    "definition_hash": "h",
    "query": "select a, b from shop.orders version as of 2",
    "columns": [
        {"name": "a", "type": "string", "expression": "`a`"},
        {"name": "b", "type": "int", "expression": "`b`"},
    ],
    "holder": None,
    "target": {"kind": "missing"},
}


def create(model: Model, **changes: Any) -> str:
    dbt = Dbt(None, model)
    text: str = dbt("_create_table_sql", dbt("_spec_from_model"), {**JOB, **changes})
    return text.strip()


def model(text: str = "it's", **config: Any) -> Model:
    given = {
        "partition_by": [text],
        "location_root": "/data/" + text,
        "tblproperties": {"key " + text: text},
        "persist_docs": {"relation": True},
        "contract": {"enforced": True},
        **config,
    }
    check = {"type": "check", "name": "c_" + text, "expression": f"a <> {len(text)}"}
    constraint = {"columns": [], "warn_unenforced": False, **check}
    return Model(config=given, description="About " + text, constraints=[constraint])


def test_create_table(golden: Callable[[str, str], None]) -> None:
    sql = create(model())
    golden("create_table", sql)
    assert parse(sql)


def test_liquid_clustering() -> None:
    sql = create(Model(config={"liquid_clustered_by": ["a", "b`c"]}))
    assert "\ncluster by (`a`, `b``c`)\n" in sql
    assert parse(sql)


def test_aside_for_a_swap() -> None:
    sql = create(Model(), publish="swap", target={"kind": "view"})
    assert sql.startswith("create or replace table `shop`.`dbt_mview_new_job1`\n")


@pytest.mark.parametrize("text", NASTY)
def test_no_text_changes_the_statement(text: str) -> None:
    sql = create(model(text))
    assert skeleton(sql) == skeleton(create(model("plain")))
    values = strings(sql)
    assert "About " + text in values and text in values and "key " + text in values
    assert "delta.constraints." + ("c_" + text).lower() in values
    assert ("/data/" + text).rstrip("/") + "/totals" in values


def test_the_real_thing_is_this_text() -> None:
    """What a run sends is what the golden file shows, up to ids."""
    dbt = new()
    dbt.run()
    spec = dbt("_memory")["jobs"]["model.shop.totals"]["spec"]
    job = dbt("_memory")["jobs"]["model.shop.totals"]
    assert dbt.engine.sql("publish").endswith(dbt("_create_table_sql", spec, job).strip())
    assert spec["mview_id"] == VIEW


def test_properties() -> None:
    layout = {"tblproperties": {"b": "2", "a": "1"}, "constraints": {"c": "x > 'y'"}}
    properties = Dbt()("_properties", layout)
    assert properties == {"b": "2", "a": "1", "delta.constraints.c": "x > 'y'"}
    assert layout["tblproperties"] == {"b": "2", "a": "1"}
    assert Dbt()("_properties_sql", properties) == (
        "'b' = '2', 'a' = '1', 'delta.constraints.c' = 'x > \\'y\\''"
    )


def test_sibling_name() -> None:
    spec = {"database": None, "schema": "sh`op"}
    assert Dbt()("_sibling_name", spec, "a`b") == "`sh``op`.`a``b`"
    spec["database"] = "c`d"
    assert Dbt()("_sibling_name", spec, "a`b") == "`c``d`.`sh``op`.`a``b`"
