"""Views that ask for the day or the moment, later: what a WHERE lets in and no more is followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.shapes import ANOTHER_DAY, DATED, DATED_REFUSED
from tests.nightly import draw
from tests.support.day import choose_days, set_day
from tests.support.project import Project, copy_package

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]
ROUNDS = [
    ("2024-02-16", ()),
    (
        "2024-02-27",
        (
            "insert into @.facts select 900 + id, cast(id % 10 as int), 3, null,"
            " date_add(date'2024-02-01', cast(id as int)) from range(25)",
            "update @.facts set day = date_add(day, 11), k = 3 where id % 37 = 5",
            "update @.facts set amt = amt + 1 where k = 7",
            "delete from @.facts where id % 23 = 2",
            "update @.dims set name = 'other' where k = 2",
        ),
    ),
]


@pytest.fixture
def dated(tables: Project, tmp_path: Path) -> Project:
    """The tables, and a package whose day is what the test says."""
    package = copy_package(tmp_path / "package")
    choose_days(package / "macros")
    link = tables.root / "dbt_packages" / "dbt_mview"
    link.unlink()
    link.symlink_to(package)
    return tables


def test_what_the_day_lets_in(dated: Project, request: pytest.FixtureRequest) -> None:
    """What another day lets in is followed, each shape in its way, and what is refused is
    COMPLETE; CI plays some of both."""
    commit = request.config.getoption("--draw")
    fast = draw.shapes(DATED, commit, 4)
    complete = draw.shapes(DATED_REFUSED, commit, 3)
    for name in fast:
        dated.model(name, DATED[name], refresh="fast")
    for name in complete:
        dated.model(name, DATED_REFUSED[name])
    set_day("2024-02-15")
    dated.run()
    for day, statements in ROUNDS:
        for statement in statements:
            dated.sql(statement)
        set_day(day)
        done = dated.run()
        for name in fast:
            said, (_, way) = done.text(name), ANOTHER_DAY[name]
            assert said.startswith("FAST "), (name, said)
            assert f" -> {day}" in said and "DATE_CHANGED" in said, said
            assert f"({way}," in said or statements, (name, said)
        for name in complete:
            said = done.text(name)
            assert said.startswith("COMPLETE ") and "DATE_CHANGED" in said, said
        verified = dated.op("mview_verify").log
        assert verified.count(" equal ") == len(fast) + len(complete), verified
    last = dated.run()
    assert {last.text(name).split()[0] for name in (*fast, *complete)} == {"SKIP"}
