"""Negative controls: the comparison is able to fail.

Each fault is one change of the macros' text, as somebody could make it by mistake. The view that
follows the changes with it must differ from its query, unless the refresh itself sees it; with the
macros as they are it must not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession

from tests.differential.faults import CHANGES, FAULTS, REFRESH, REFUSED, RUNS, VIEWS
from tests.support.day import choose_days, set_day
from tests.support.project import ROOT, Project, copy_package

pytestmark = [pytest.mark.differential, pytest.mark.timeout(1800)]


@dataclass
class Verdict:
    """What dbt said of a refresh, and mview_verify of its result."""

    text: str
    word: str = ""


@pytest.fixture(scope="module")
def verdicts(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[dict[str, Verdict]]:
    """All views that the tests of this run ask for built, the tables changed, and each view
    refreshed: once as it should be (by its own name), and once with each fault (by the fault's)."""
    sound, sown = asked(request.session.items)
    home = tmp_path_factory.mktemp("faults")
    package = copy_package(home / "package")
    choose_days(package / "macros")
    project = Project(home / "p", "test_faults", spark, package=package)
    spark.sql("create schema test_faults")
    _tables(project)
    queries = {**VIEWS, **REFUSED}
    built = [*sound, *(name for names in sown for name in names)]
    for name in built:
        project.model(name, queries[view_of(name)])
    followed = [f"-- depends_on: {{{{ ref('{name}') }}}}" for name in built]
    project.model("over", "\n".join([*followed, "select 1 as one"]))
    set_day("2024-03-01")
    project.run()
    set_day("2024-03-03")
    for statement in CHANGES:
        project.sql(statement)
    found = {}
    if sound:
        for name in sound:
            project.model(name, queries[name], refresh=REFRESH.get(name, "fast"))
        done = project.run(*sound)
        found.update({name: Verdict(done.text(name)) for name in sound})
    for names in sown:
        for name in names:
            view = view_of(name)
            project.model(name, queries[view], refresh=REFRESH.get(view, "fast"))
        with ExitStack() as changes:
            for name in names:
                changes.enter_context(FAULTS[name].change.applied(package / "macros"))
            done = project.run(*names, expect=None)
        found.update({name: Verdict(done.text(name)) for name in names})
    log = project.op("mview_verify", expect=None).log
    for name, verdict in found.items():
        # The log has the statements as well, one of which ends a line with the name of a view.
        line = re.search(rf"test_faults\.{name} +(equal|undetermined|DIFFERS|never|not)\b", log)
        verdict.word = line[1] if line else log
    yield found
    project.drop()


def view_of(name: str) -> str:
    """The view of a fault, or of its own name."""
    return FAULTS[name].view if name in FAULTS else name


def is_told(name: str, verdict: Verdict) -> bool:
    """Whether a view was refreshed as its test means it: FAST, or by the difference."""
    if view_of(name) in REFRESH:
        return " rows differ: " in verdict.text
    return verdict.text.startswith("FAST")


def asked(items: list[pytest.Item]) -> tuple[list[str], list[list[str]]]:
    """The views, and the faults in their runs, of which a test is among these."""
    names = {
        item.callspec.params["name"]
        for item in items
        if isinstance(item, pytest.Function)
        and item.function in (test_without_a_fault_it_is_equal, test_a_fault_is_caught)
    }
    runs = [[name for name in run if name in names] for run in RUNS]
    return [name for name in VIEWS if name in names], [run for run in runs if run]


def _tables(project: Project) -> None:
    """Groups of five; one of no key, one with a row without an amount."""
    feed = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    project.sql(
        f"create table @.facts {feed} as select id, cast(nullif(id % 8, 7) as int) as k,"
        " if(id = 6, null, cast(id div 8 as decimal(10, 2))) as amt, concat('s', id % 3) as s"
        " from range(40)"
    )
    project.sql("create table @.grades (k int, s string) using delta")
    project.sql(
        "insert into @.grades values (1, 'a'), (1, 'a'), (2, 'b'), (null, 'n'), (null, 'n')"
    )
    project.sql(
        f"create table @.dims {feed} as"
        " select cast(id as int) as k, concat('d', id) as name from range(10)"
    )
    # Only rows of one sign: what is read too often with both signs cancels out.
    project.sql(f"create table @.added {feed} as select 1 as k, 'a' as name")


@pytest.mark.unit
@pytest.mark.parametrize("name", FAULTS)
def test_what_a_fault_replaces_is_there(name: str) -> None:
    """Also where nobody sows it: macros change more often than `make soak` is run."""
    FAULTS[name].change.changed(ROOT / "macros")


@pytest.mark.unit
def test_every_fault_is_sown_once() -> None:
    assert sorted(name for names in RUNS for name in names) == sorted(FAULTS)


@pytest.mark.parametrize("name", VIEWS)
def test_without_a_fault_it_is_equal(verdicts: dict[str, Verdict], name: str) -> None:
    assert is_told(name, verdicts[name]), verdicts[name].text
    assert verdicts[name].word == "equal"


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught(verdicts: dict[str, Verdict], name: str) -> None:
    """By the comparison, or by the refresh, where a fault breaks what no change can."""
    verdict = verdicts[name]
    if FAULTS[name].says:
        assert FAULTS[name].says in verdict.text
    elif "this refresh cannot be: INVARIANT_BROKEN: " not in verdict.text:
        assert is_told(name, verdict), verdict.text
        assert verdict.word in ("DIFFERS", "undetermined"), "unlike without the fault"
