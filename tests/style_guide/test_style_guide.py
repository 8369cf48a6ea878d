"""A project in the manner of dbt's style guide, through a month of loads.

Import CTEs, staging views, an ephemeral and some intermediate models, marts over marts. Models have
no config of their own. What AUTO expects of tables as small as these is left out: all views are
`refresh: fast`, which fails where a refresh cannot be FAST, but for the few that their SQL forces
to be COMPLETE; these are named here, and are `auto`. `DAYS=3` plays so many days.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.style_guide.shop import DAYS, QUIET_DAYS, load, tables
from tests.support.project import Outcome, Project

pytestmark = [pytest.mark.spark, pytest.mark.nightly, pytest.mark.timeout(10800)]

MODELS = Path(__file__).with_name("models")
# A window over all rows; two windows over groups that have no PARTITION BY in common.
FORCED = {
    "running_revenue": "WINDOW_WITHOUT_PARTITION_BY",
    "monthly_revenue_by_location": "AGGREGATE_NOT_TOP_NODE: Window over Aggregate",
}
# Ten first rows, whose order changes: on some days one of them makes room for one beyond, and a
# new price is in a tenth of the rows below.
FIRST = {"best_sellers": "not FAST: (ROWS_BEYOND_LIMIT|FAST_IS_SLOWER|TOO_MANY_CHANGES): "}
PLAYED = range(1, int(os.environ.get("DAYS", DAYS)) + 1)
VERIFIED = 5  # days between two comparisons of all views with their queries


def views(folder: str) -> list[str]:
    """The names of the mviews in a folder of models."""
    files = (MODELS / folder).glob("*.sql")
    return [file.stem for file in files if "ephemeral" not in file.read_text(encoding="utf-8")]


VIEWS = [*views("intermediate"), *views("marts")]


@pytest.fixture(scope="module")
def shop(module_project: Project) -> Project:
    """The project, built once."""
    for statement in tables():
        module_project.sql(statement)
    shutil.copytree(MODELS, module_project.root / "models", dirs_exist_ok=True)
    configs: dict[str, dict[str, object]] = {"staging": {"+materialized": "view"}}
    for folder in ("intermediate", "marts"):
        names = [name for name in views(folder) if name in (*FORCED, *FIRST)]
        auto = {name: {"+refresh": "auto"} for name in names}
        configs[folder] = {"+materialized": "mview", "+refresh": "fast", **auto}
    module_project.configure(models={"p": configs})
    module_project.run()
    return module_project


def method(done: Outcome, name: str) -> str:
    """FAST, SKIP or COMPLETE."""
    return done.text(name).split()[0]


@pytest.mark.parametrize("day", PLAYED)
def test_a_day(shop: Project, day: int) -> None:
    for statement in load(day):
        shop.sql(statement)
    done = shop.run()
    assert len(VIEWS) >= 20
    for name in VIEWS:
        if name in FORCED:
            assert method(done, name) == "SKIP" or f"not FAST: {FORCED[name]}" in done.text(name)
        elif not re.search(FIRST.get(name, "^$"), done.text(name)):
            assert method(done, name) in ("FAST", "SKIP"), done.text(name)
    if day == QUIET_DAYS[1]:
        assert {method(done, name) for name in VIEWS} == {"SKIP"}
    if day % VERIFIED == 0 or day == PLAYED[-1]:
        verified = shop.op("mview_verify").log
        equal = re.findall(r"^\S*?(\w+) +equal ", verified, re.MULTILINE)
        assert {*equal} == {*VIEWS}, verified
