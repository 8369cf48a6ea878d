"""A project in the manner of dbt's style guide, with default configs, through a month of loads.

Import CTEs, staging views, an ephemeral and some intermediate models, marts over marts: no refresh
after the first build is COMPLETE but those that the SQL of their view forces, each of which is
named here. DAYS=3 plays so many days.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.style_guide.shop import DAYS, QUIET_DAYS, load, tables
from tests.support.project import Outcome, Project

pytestmark = [pytest.mark.spark, pytest.mark.nightly, pytest.mark.timeout(10800)]

MODELS = Path(__file__).with_name("models")
# The views that cannot be FAST, and why.
FORCED = {
    "best_sellers": "OPERATOR_NOT_INCREMENTAL: GlobalLimit",
    "running_revenue": "WINDOW_WITHOUT_PARTITION_BY",
}


@pytest.fixture(scope="module")
def shop(module_project: Project) -> Project:
    """The project, built once."""
    for statement in tables():
        module_project.sql(statement)
    shutil.copytree(MODELS, module_project.root / "models", dirs_exist_ok=True)
    views = {"+materialized": "mview"}
    folders = {"staging": {"+materialized": "view"}, "intermediate": views, "marts": views}
    module_project.configure(models={"p": folders})
    module_project.run()
    return module_project


def views() -> list[str]:
    """The names of the mviews."""
    files = [*MODELS.glob("intermediate/*.sql"), *MODELS.glob("marts/*.sql")]
    return [file.stem for file in files if "ephemeral" not in file.read_text(encoding="utf-8")]


def method(done: Outcome, name: str) -> str:
    """FAST, SKIP or COMPLETE."""
    return done.text(name).split()[0]


@pytest.mark.parametrize("day", range(1, int(os.environ.get("DAYS", DAYS)) + 1))
def test_a_day(shop: Project, day: int) -> None:
    for statement in load(day):
        shop.sql(statement)
    done = shop.run()
    complete = {name: done.text(name) for name in views() if method(done, name) == "COMPLETE"}
    print(day, Counter(method(done, name) for name in views()), complete)
    assert len(views()) >= 20
    for name, text in complete.items():
        assert name in FORCED and f"not FAST: {FORCED[name]}" in text, text
    if day == QUIET_DAYS[1]:
        assert {method(done, name) for name in views()} == {"SKIP"}
    verified = shop.op("mview_verify")
    equal = re.findall(r"^\S*?(\w+) +equal ", verified.log, re.MULTILINE)
    assert {*equal} == {*views()}, verified.log
