"""Texts of users through whole runs: they arrive as they are, and change no statement.

What one macro does with a text is tested beside that macro; this is the way through all of
them, from a model's config or a run-operation's argument to every statement of a run.
"""

from __future__ import annotations

from typing import Any

import pytest

from .kit.harness import Dbt, Model
from .kit.lexer import VARIABLE, lex, skeleton, strings
from .kit.nasty import WORST
from .kit.scenes import built, change_source, new

PLAIN: dict[bool, list[tuple[str, str]]] = {}
KEYED = Model(config={"unique_key": "customer"})


def model(text: str) -> Model:
    """A text in every config that takes one."""
    return Model(
        description=text,
        config={
            "tblproperties": {"key " + text: text, "delta.columnMapping.mode": "name"},
            "location_root": "/data/x" + text,
            "unique_key": ["k" + text],
            "persist_docs": {"relation": True},
        },
        constraints=[
            {
                "type": "check",
                "name": "n" + text,
                "expression": "total > 0 /* " + str(len(text)) + " */",
                "columns": [],
                "warn_unenforced": False,
            }
        ],
    )


def run(text: str, *, second: bool) -> Dbt:
    """A first build, or the refresh after it."""
    dbt = built(model(text)) if second else new(model(text))
    dbt.engine.audit = [0]
    change_source(dbt)
    assert [result.status for result in dbt.run()] == ["success"]
    return dbt


@pytest.fixture(autouse=True)
def audits(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Scenes are built with a key that is unique, and that the query has."""
    of_configs = request.node.originalname == "test_configs"
    texts = ["p", request.node.callspec.params["text"]] if of_configs else []
    from .kit import scenes

    world = scenes.world

    def audited() -> Any:
        engine = world()
        engine.audit = [0]
        engine.columns = [*engine.columns, *((f"k{text}".strip(), "string") for text in texts)]
        return engine

    monkeypatch.setattr(scenes, "world", audited)


def skeletons(dbt: Dbt) -> list[tuple[str, str]]:
    """All statements but the plan of the query by names that the package made."""
    log = [one for one in dbt.engine.log if ") as mview_result (" not in one.sql]
    return [(one.step, skeleton(one.sql)) for one in log]


@pytest.mark.parametrize("second", [False, True], ids=["build", "refresh"])
@pytest.mark.parametrize("text", WORST)
def test_configs(text: str, second: bool) -> None:
    """Whether a key is proven is not asked where a name cannot be stood in for."""
    nasty = run(text, second=second)
    if second not in PLAIN:
        PLAIN[second] = skeletons(run("p", second=second))
    assert skeletons(nasty) == PLAIN[second]
    for one in nasty.engine.log:
        for token in lex(one.sql):
            assert token.kind == "quoted" or not VARIABLE.search(token.text), one.step


@pytest.mark.parametrize("text", WORST)
def test_the_query_is_stored_as_it_is(text: str) -> None:
    """In state and in the intent, whatever literals and comments it holds."""
    dbt = Dbt()
    literal = dbt("_literal", text)
    query = f"select {literal} as x, `{text.replace('`', '``')}` as y from shop.orders"
    dbt = new(Model(sql=query))
    dbt.run()
    state = dbt.engine.states["spark_catalog.shop.totals"]
    assert state["definition"] == query
    assert any(query in value for value in strings(dbt.engine.sql("record", 1)))
    assert f"\n{query.replace('shop.orders', 'shop.orders version as of 2')}\n" in (
        dbt.engine.sql("publish")
    )


@pytest.mark.parametrize("text", WORST)
def test_state_schema(text: str) -> None:
    """Schemas come from vars; a name may hold anything but what the catalog refuses."""
    logs = []
    for prefix in (text, "plain"):
        schemas = {"dbt_mview:state_schema": prefix, "dbt_mview:stage_schema": prefix + "2"}
        dbt = Dbt(new(KEYED).engine, KEYED, variables=schemas)
        dbt.engine.audit = [0]
        dbt.run()
        logs.append([(one.step, skeleton(one.sql)) for one in dbt.engine.log])
    assert logs[0] == logs[1]
    assert any("`?`.`?`" in text for _, text in logs[0])
