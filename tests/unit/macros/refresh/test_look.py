"""Step look: takes no lock, writes nothing."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from ...kit.engine import View
from ...kit.harness import Dbt, Model
from ...kit.scenes import SOURCE, built, change_source, new


def look(dbt: Dbt) -> dict[str, Any]:
    spec = dbt("_spec_from_model")
    job: dict[str, Any] = dbt("_job", spec, "model.shop.totals")
    dbt("_look", spec, job)
    assert dbt.engine.writes == []
    return job


def test_first_build() -> None:
    job = look(new())
    assert (job["reason"], job["skip"], job["unbound"]) == ("first build", None, [])
    assert job["sources"][0]["version"] == 2
    words = " ".join(Dbt()("_words", Model().sql))
    assert "sum ( amount ) as total" in words
    assert job["definition_hash"] == hashlib.md5(words.encode()).hexdigest()


@pytest.mark.parametrize(
    ("sql", "same"),
    [
        ("select a,\n  'x  y' as b -- why\nfrom /* the */ shop.orders", True),
        ("select a, 'x y' as b from shop.orders", False),
        ("select a, 'x  y' as B from shop.orders", False),
    ],
)
def test_blanks_and_comments_are_no_other_definition(sql: str, same: bool) -> None:
    hashes = {
        look(new(Model(sql=one)))["definition_hash"]
        for one in ("select a, 'x  y' as b from shop.orders", sql)
    }
    assert (len(hashes) == 1) is same


def test_nothing_to_do() -> None:
    job = look(built())
    assert (job["reason"], job["skip"]) == (None, "nothing changed since orders v2")


def test_the_hash_covers_the_text_of_views() -> None:
    model = Model(sql="select * from shop.stg")
    hashes = []
    for text in ("select customer from shop.orders", "select 1 as customer from shop.orders"):
        dbt = new(model)
        dbt.engine.tables["spark_catalog.shop.stg"] = View(text, [("customer", "string")])
        dbt.engine.reads(SOURCE, views=("spark_catalog.shop.stg",))
        hashes.append(look(dbt)["definition_hash"])
    assert hashes[0] != hashes[1]


def test_the_hash_is_that_of_the_query_whatever_the_versions() -> None:
    dbt = built()
    change_source(dbt)
    job = look(dbt)
    assert (
        job["definition_hash"] == dbt.engine.states["spark_catalog.shop.totals"]["definition_hash"]
    )


def test_a_source_that_cannot_be_bound_is_read_anew_each_time() -> None:
    dbt = built(Model(sql="select * from identifier('shop.orders')"))
    job = look(dbt)
    assert job["unbound"] == [SOURCE]
    assert job["reason"].startswith("SOURCE_NOT_BOUND: spark_catalog.shop.orders")


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        ([], "nothing changed since the first build"),
        ([("c.s.a", 1), ("c.s.b", 7)], "nothing changed since a v1, b v7"),
    ],
)
def test_skip_reason(sources: Any, text: str) -> None:
    rows = [{"relation": name, "version": version} for name, version in sources]
    assert Dbt()("_skip_reason", {"sources": rows, "ahead": []}) == text
