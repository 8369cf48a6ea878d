"""Random views over random tables through random changes: FAST equals COMPLETE.

An engine is slow: a scene of twenty-five views and four refreshes takes minutes. So
Hypothesis draws the numbers of scenes, remembers those that failed, and does not shrink: a scene
that fails is made smaller here, step by step, as long as it fails.

CI plays the begin of the scene that its commit draws, sixteen refreshes, each compared. `make
nightly` plays one that is always the same, `make soak` as many as SOAK says, others each time.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests.differential.scene import Case, Differs, Scene, begin, play, scene, smaller
from tests.differential.soak import SOAK, drawn_scene
from tests.support.day import CHANGES, choose_days
from tests.support.macros import Change
from tests.support.project import ROOT, Project, copy_package

pytestmark = pytest.mark.timeout(0 if SOAK else 3000)
LEARNS = Change("_complete_is_cheaper", '(job.spec.stored or {}).get("took")', "none")

SCENES = SOAK or 2
FIXED = 20261127  # the scene that make nightly always plays
VIEWS, ROUNDS = 8, 2  # of the scene that CI plays
SECONDS_TO_REDUCE = 300
# Shares of all refreshes. Some sixteen of twenty-five views can be followed; those that are `auto`
# are not followed through bulk changes.
FLOORS = {"row delta": 0.10, "aggregate delta": 0.10, "affected keys": 0.05}


class Stage:
    """Plays scenes, one after the other, in one project: dbt need not parse all macros anew."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.cases: list[Case] = []
        self.failed: dict[int, str] = {}

    def play(self, one: Scene, keep: bool = False) -> Differs | None:
        """Plays a scene. Returns what is wrong with it."""
        self.project.drop()
        self.project.sql("create schema @")
        self.project.forget()
        try:
            play(self.project, one, self.cases.append if keep else lambda case: None)
        except Differs as failure:
            return failure
        return None

    def prove(self, seed: int, cut: Callable[[Scene], Scene] = lambda whole: whole) -> None:
        """Plays the scene of a number, or what is cut out of it; reduces it if it fails."""
        if seed not in self.failed:
            one = cut(scene(seed))
            failure = self.play(one, keep=True)
            if failure:
                self.failed[seed] = f"scene({seed})\n{self.reduced(one, failure)}"
        if seed in self.failed:
            pytest.fail(self.failed[seed], pytrace=False)

    def reduced(self, one: Scene, failure: Differs) -> Differs:
        """The failure of the smallest scene found in some minutes in which the same view fails."""
        end = time.monotonic() + SECONDS_TO_REDUCE
        tried = True
        while tried and time.monotonic() < end:
            tried = False
            for less in smaller(one, failure):
                now = self.play(less) if time.monotonic() < end else None
                if now and now.view == failure.view:
                    one, failure, tried = less, now, True
                    break
        return failure


@pytest.fixture
def unlearned(spark: SparkSession, tmp_path: Path) -> Iterator[Project]:
    """A project whose AUTO does not learn from tables of a few rows which method is quicker, and
    whose days are the scene's."""
    package = copy_package(tmp_path / "package")
    LEARNS.apply(package / "macros")
    choose_days(package / "macros")
    project = Project(tmp_path / "p", "test_random", spark, package=package)
    yield project
    project.drop()


@pytest.mark.unit
@pytest.mark.parametrize("change", [LEARNS, *CHANGES], ids=lambda change: change.macro)
def test_what_the_fixture_replaces_is_there(change: Change) -> None:
    change.changed(ROOT / "macros")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """CI plays the scene that its commit draws, make nightly the one that is always the same."""
    if "seed" in metafunc.fixturenames:
        commit = metafunc.config.getoption("--draw")
        fixed = pytest.param(FIXED, id=f"fixed-{FIXED}", marks=pytest.mark.nightly)
        drawn = [drawn_scene(commit)] if commit else []
        metafunc.parametrize("seed", [fixed, *(pytest.param(s, id=f"drawn-{s}") for s in drawn)])


@pytest.mark.spark
def test_a_scene(unlearned: Project, seed: int) -> None:
    """Each refresh of it. Each way to be FAST is among those of the one that is always the same."""
    stage = Stage(unlearned)
    if seed == FIXED:
        stage.prove(seed)
    else:
        stage.prove(seed, lambda whole: begin(whole, VIEWS, ROUNDS))
    methods = Counter(case.method for case in stage.cases)
    wanted = [methods[strategy] for strategy in FLOORS]
    assert all(wanted) if seed == FIXED else any(wanted), methods


@pytest.mark.differential
def test_fast_equals_complete(unlearned: Project) -> None:
    stage = Stage(unlearned)

    @settings(
        max_examples=SCENES,
        derandomize=not SOAK,
        database=None if not SOAK else settings.default.database,
        deadline=None,
        phases=[Phase.reuse, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(1, 2**32))
    def prove(seed: int) -> None:
        stage.prove(seed)

    prove()
    methods = Counter(case.method for case in stage.cases)
    shapes = Counter(f"{case.shape} {case.method}" for case in stage.cases)
    compared = methods.total()
    refreshed = compared - methods["SKIP"]
    seen = f"{compared} compared: {dict(methods)}\n{dict(sorted(shapes.items()))}"
    print(seen)  # noqa: T201
    assert compared >= 100 * SCENES and refreshed >= 80 * SCENES, seen
    for strategy, floor in FLOORS.items():
        assert methods[strategy] >= floor * refreshed, seen
