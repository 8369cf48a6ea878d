"""Each step of the scene, on each target."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from importlib import metadata

import pytest

from tests.nightly.steps import VERSIONS
from tests.targets.scene import STEPS, Scene
from tests.targets.targets import TARGETS

pytestmark = [pytest.mark.nightly, pytest.mark.targets]


@pytest.fixture(scope="session", autouse=True)
def versions(record_testsuite_property: Callable[[str, object], None]) -> None:
    """What this ran on, for the table in docs/reliability.md."""
    names = {"Spark": "pyspark", "Delta": "delta-spark", "dbt": "dbt-core"}
    if any(metadata.distributions(name="dbt-databricks")):
        names["dbt-databricks"] = "dbt-databricks"
    told = [f"{name} {metadata.version(package)}" for name, package in names.items()]
    record_testsuite_property(VERSIONS, ", ".join([*told, f"Python {platform.python_version()}"]))


@pytest.fixture(scope="module", params=TARGETS)
def scene(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """The scene on one target, which all its steps share."""
    place = tmp_path_factory.mktemp(request.param)
    target = TARGETS[request.param](place / "engine")
    try:
        yield Scene(target, place / "p")
    finally:
        target.stop()


@pytest.mark.parametrize("step", STEPS)
def test_step(scene: Scene, step: str) -> None:
    """A step that fails leaves nothing for those after it."""
    if step in scene.target.lacks:
        pytest.skip(f"a {type(scene.target).__name__} has no means for it")
    assert scene.broken is None, f"{scene.broken} has failed before"
    scene.broken = step
    scene.play(step)
    scene.broken = None
