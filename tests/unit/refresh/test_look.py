"""Step look: takes no lock, writes nothing; why a view needs a refresh."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from ..kit.engine import View
from ..kit.harness import Dbt, DbtError, Model
from ..kit.records import as_job, as_spec, text_of
from ..kit.scenes import SOURCE, built, change_source, new

# Step look: takes no lock, writes nothing.


def look(dbt: Dbt) -> dict[str, Any]:
    spec = dbt("_spec_from_model")
    job: dict[str, Any] = dbt("_job", spec, "model.shop.totals")
    dbt("_look", spec, job)
    assert dbt.engine.writes == []
    return job


def test_first_build() -> None:
    job = look(new())
    assert (text_of(job["reason"]), job["skip"], job["unbound"]) == ("first build", None, [])
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
    assert (job["reason"], job["skip"]) == (None, "nothing changed since shop.orders v2")


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
    assert job["reason"]["code"] == "SOURCE_NOT_BOUND"
    assert job["reason"]["detail"].startswith("spark_catalog.shop.orders")


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        ([], "nothing changed since the first build"),
        ([("c.s.a", 1), ("c.s.b", 7)], "nothing changed since s.a v1, s.b v7"),
    ],
)
def test_skip_reason(sources: Any, text: str) -> None:
    rows = [{"relation": name, "version": version} for name, version in sources]
    spec = {"from_model": True, "full_refresh": False}
    job = {"state": None, "sources": rows, "sources_behind": []}
    assert Dbt()("_skip_reason", spec, job) == text


# Why a view needs a refresh: the first reason that holds.


VIEW = "c.s.v"
COMMIT = {
    "version": 3,
    "commit_time": 1,
    "operation": "WRITE",
    "rows": 1,
    "meta": {"mview_id": VIEW},
}
SOURCE_READ = {"relation": "c.s.a", "table_id": "x", "version": 1, "commit_time": 1}
LAYOUT = {"partition_by": []}


def why(spec: Any = None, state: Any = None, **job: Any) -> str | None:
    given_spec = as_spec({"mview_id": VIEW, "layout": LAYOUT})
    given_state = {
        "target_version": 3,
        "last_successful_refresh_read_time": 1,
        "definition": "select 1",
        "definition_hash": "h",
        "spec": {"layout": LAYOUT, "audit": [], "unique_key": []},
        "last_refresh_result": "success",
        "sources": [SOURCE_READ],
        **(state or {}),
    }
    given_job = as_job(
        {
            "target": {"kind": "delta", "name": "`s`.`v`", "history": [COMMIT]},
            "state": None if state is False else given_state,
            "definition_hash": "h",
            "holder": None,
            "reads": {"nondeterministic": []},
            "sources": [SOURCE_READ],
            "unbound": [],
            "sources_behind": [],
            **job,
        }
    )
    return text_of(Dbt()("_why_refresh", {**given_spec, **(spec or {})}, given_job))


def test_nothing() -> None:
    assert why() is None


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"spec": {"full_refresh": True}}, "full refresh asked for"),
        ({"spec": {"asked": True}}, "complete refresh asked for"),
        ({"spec": {"asked": True}, "target": {"kind": "view"}}, "TARGET_CHANGED: it is now a view"),
        ({"target": {"kind": "missing"}}, "first build"),
        ({"state": {"definition": None}}, "state has no definition of it"),
        ({"state": False}, "first build in place of a delta"),
        ({"state": {"target_version": None}}, "first build in place of a delta"),
        ({"target": {"kind": "view"}}, "TARGET_CHANGED: it is now a view"),
        (
            {"state": {"last_successful_refresh_read_time": None}},
            "first refresh of a deferred view",
        ),
        ({"definition_hash": "other"}, "DEFINITION_CHANGED"),
        (
            {"state": {"spec": {"layout": LAYOUT, "time_zone": "Europe/Berlin"}}},
            "TIME_ZONE_CHANGED: Europe/Berlin -> UTC",
        ),
        ({"spec": {"layout": {"partition_by": ["a"]}}}, "configuration changed: partition_by"),
        ({"holder": {"job_id": "j"}}, "a refresh before did not finish"),
        ({"state": {"last_refresh_result": "failed"}}, "the last refresh failed"),
        (
            {"reads": {"nondeterministic": ["now", "rand"]}},
            "EXPRESSION_NOT_DETERMINISTIC: now, rand",
        ),
        ({"spec": {"audit": ["n > 0"]}}, "configuration changed: audit"),
        ({"spec": {"unique_key": ["n"]}}, "configuration changed: unique_key"),
        ({"sources": [{**SOURCE_READ, "version": 2}]}, "s.a v1 -> v2"),
        ({"unbound": ["c.s.a"]}, "SOURCE_NOT_BOUND: c.s.a cannot be pinned in the query"),
    ],
)
def test_reasons(given: Any, reason: str) -> None:
    assert why(**given) == reason


# The sources that are not as they were read last.


def source(name: str, version: int | None, at: int | None = None) -> dict[str, Any]:
    at = version if at is None else at
    return {"relation": f"c.s.{name}", "table_id": "x", "version": version, "commit_time": at}


@pytest.mark.parametrize(
    ("old", "new", "unbound", "why"),
    [
        ([source("a", 1)], [source("a", 1)], [], None),
        ([], [], [], None),
        (None, [], [], None),
        ([source("a", 1)], [source("a", 3)], [], "s.a v1 -> v3"),
        (
            [source("a", 1), source("b", 2)],
            [source("b", 3), source("a", 2)],
            [],
            "s.b v2 -> v3, s.a v1 -> v2",
        ),
        ([source("a", 5)], [source("a", 2)], [], "SOURCE_REPLACED: s.a v2"),
        ([source("a", 5)], [source("a", 5, at=10005)], [], None),
        ([source("a", 5)], [source("a", 5, at=10006)], [], "SOURCE_REPLACED: s.a v5"),
        ([source("a", None)], [source("a", 5)], [], "SOURCE_REPLACED: s.a v5"),
        ([], [source("a", 1)], [], "s.a is new"),
        ([source("a", 1)], [], [], "s.a is no longer read"),
        ([source("a", 1)], [source("a", None)], [], "INPUT_NOT_IN_DELTA: s.a has no versions"),
        (
            [source("a", 1)],
            [source("a", 1)],
            ["c.s.a", "a file read by its path"],
            "SOURCE_NOT_BOUND: c.s.a, a file read by its path cannot be pinned in the query",
        ),
    ],
)
def test_what_is_new(old: Any, new: Any, unbound: list[str], why: str | None) -> None:
    assert text_of(Dbt()("_describe_source_changes", old, new, unbound)) == why


def test_what_was_read_further_is_no_news() -> None:
    old, new = [source("a", 5), source("b", 1)], [source("a", 2), source("b", 2)]
    news = Dbt()("_describe_source_changes", old, new, [], ["c.s.a"])
    assert text_of(news) == "s.b v1 -> v2"


def test_a_replaced_source_with_a_higher_version() -> None:
    """Recreated and written further than before: the version alone does not show it."""
    why = Dbt()("_describe_source_changes", [source("a", 1, at=10)], [source("a", 4, at=20)], [])
    assert text_of(why) == "s.a v1 -> v4"


@pytest.mark.parametrize(
    ("old", "new", "keys"),
    [({}, {}, []), ({"a": 1}, {"a": 1}, []), ({"a": 1}, {"a": 2, "b": 3}, ["a", "b"])],
)
def test_changed_keys(old: Any, new: Any, keys: list[str]) -> None:
    assert Dbt()("_changed_keys", old, new) == keys


# Columns that configs name.


@pytest.mark.parametrize("key", ["unique_key", "partition_by", "liquid_clustered_by"])
def test_a_column_that_the_query_lacks(key: str) -> None:
    for dbt in (
        new(Model(config={key: ["customer", "Totl"]})),
        built(model=Model(config={key: ["customer", "Totl"]})),
    ):
        with pytest.raises(DbtError) as error:
            look(dbt)
        assert dbt.engine.writes == []
        assert str(error.value) == (
            f"dbt_mview: spark_catalog.shop.totals: {key} names the column 'Totl', which the query"
            " does not have. Its columns are: customer, total."
        )


def test_columns_are_compared_without_case_and_asked_only_where_something_is_new() -> None:
    model = Model(config={"unique_key": "CUSTOMER"})
    assert look(new(model))["reason"]["code"] == "first_build"
    dbt = built(model)
    change_source(dbt)
    asked = len([one for one in dbt.engine.log if "describe_query" in one.sql])
    assert look(dbt)["reason"]["code"] not in ("first_build", "DEFINITION_CHANGED")
    assert len([one for one in dbt.engine.log if "describe_query" in one.sql]) == asked
