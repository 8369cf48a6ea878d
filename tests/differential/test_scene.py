"""What the random scenes do without an engine: they are drawn, and made smaller."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
import sqlglot

from tests.differential.queries import SHAPES
from tests.differential.scene import TODAY, Case, Differs, Scene, View, begin, scene, smaller
from tests.support.day import as_of
from tests.unit.kit.harness import Dbt

pytestmark = pytest.mark.unit


def statements(one: Scene) -> list[str]:
    return [*one.setup, *(sql for sqls in one.rounds for sql in sqls)]


def begun_day(statement: str) -> date:
    return date.fromisoformat(statement.removeprefix(TODAY).strip("'"))


def test_a_number_is_a_scene() -> None:
    assert scene(7) == scene(7) != scene(8)
    assert {view.shape for view in scene(7).views} == set(SHAPES)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_drawn_is_sql(seed: int) -> None:
    one = scene(seed)
    texts = [*statements(one), *(view.query.sql for view in one.views)]
    for text in texts:
        if not text.startswith(("optimize", "restore")):
            assert sqlglot.parse_one(text.replace("@.", "shop."), dialect="spark")


def test_a_model_names_views_by_ref_and_tables_by_schema() -> None:
    view = next(view for view in scene(1).views if view.parents())
    parent = min(view.parents())
    assert f"{{{{ ref('{parent}') }}}}" in view.model() and "@." not in view.model()
    tables: View = replace(view, query=replace(view.query, sql="select k from @.t0 s1"))
    assert tables.model() == "select k from {{ target.schema }}.t0 s1" and not tables.parents()


def test_days_begin_and_filters_ask_for_them() -> None:
    scenes = [scene(seed) for seed in range(20)]
    begun = [one for of in scenes for one in statements(of) if one.startswith(TODAY)]
    assert len(begun) > 40 and begun == [f"{TODAY}'{begun_day(one)}'" for one in begun]
    queries = [view.query.sql for one in scenes for view in one.views]
    assert sum("current_date()" in sql for sql in queries) > 40
    assert sum("current_timestamp()" in sql for sql in queries) > 10
    assert not any("current_" in as_of(sql, "2024-03-01") for sql in queries)


@pytest.mark.parametrize("seed", range(4))
def test_a_moment_is_asked_for_by_filters_alone(seed: int) -> None:
    """Elsewhere it is the engine's own, which no scene knows."""
    dbt, noon = Dbt(), "2024-03-01 12:00:00.000000Z"
    for view in scene(seed).views:
        if "current_timestamp()" in view.query.sql:
            dated = dbt("_dated", view.query.sql, "2024-03-01", noon)
            assert dbt("_conditions_with", dated["sql"], [f"'{noon}'"]), view.query.sql


@pytest.mark.parametrize("seed", range(5))
def test_the_begin_of_a_scene_reads_nothing_that_it_lacks(seed: int) -> None:
    whole = scene(seed)
    some = begin(whole, 10, 3)
    names = {view.name for view in some.views}
    assert (len(names), len(some.rounds), some.setup) == (10, 3, whole.setup)
    assert all(view.parents() <= names for view in some.views)


def test_smaller_scenes_keep_the_view_and_what_it_reads() -> None:
    one = scene(1)
    view = next(view for view in one.views if view.parents())
    failure = Differs(view.name, 3, "", "")
    found = list(smaller(one, failure))
    size = len(one.views) + len(statements(one))
    assert len(found) > 5
    for less in found:
        names = {view.name for view in less.views}
        assert view.parents() | {view.name} <= names and len(less.rounds) <= 3
        assert len(less.views) + len(statements(less)) < size


def test_nothing_is_smaller_than_one_view_of_one_table() -> None:
    one = scene(1)
    view = replace(one.views[0], query=replace(one.views[0].query, sql="select k from @.t0 s1"))
    least = Scene((one.setup[0],), (view,), ())
    assert list(smaller(least, Differs(view.name, 0, "", ""))) == []


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("FAST v1, 4 rows: x.t0 v0 -> v1 (aggregate delta, 8 changed rows)", "aggregate delta"),
        ("FAST v0, 0 rows: x.v3 v0 -> v1 (affected keys, all changed rows)", "affected keys"),
        ("FAST v0, 0 rows: x.v3 v0 -> v1 (no changed rows)", "no"),
        ("COMPLETE v1, 2 rows: x.t0 v0 -> v1; not FAST: SUBQUERY_NOT_INCREMENTAL", "COMPLETE"),
        ("SKIP nothing changed since x.t1 v0", "SKIP"),
    ],
)
def test_the_method_in_dbts_line(text: str, method: str) -> None:
    assert Case("rows", text).method == method
