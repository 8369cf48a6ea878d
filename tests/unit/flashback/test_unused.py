"""What flashback adds to runs that do not use it, which is nothing, and to state of before it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ..kit import harness
from ..kit.engine import FLASHBACK, Delta, Engine, Foreign
from ..kit.harness import Dbt
from ..kit.scenes import SOURCE, again, built, change_source, new, with_feed
from ..kit.templates import MACROS, files_of_macros
from .test_trackpoints import ON

NEWEST = Dbt()("_state_layout")["version"]
DEFINED = re.compile(r"({%-?\s*macro\s+(\w+)\s*\(.*?\)\s*-?%}).*?({%-?\s*endmacro\s*-?%})", re.S)


def statements() -> list[str]:
    """All that the life of a view sends: first build, FAST, skip, operations."""
    dbt = with_feed(new())
    sent = []
    for minute in (None, 721, None):
        if minute:
            change_source(dbt, minute)
        assert [result.status for result in dbt.run()] == ["success"]
        sent += dbt.engine.log
        dbt.engine.minute += 1
        dbt = again(dbt)
    for name, args in {
        "mview_refresh": {"view": "totals", "method": "complete"},
        "mview_verify": {},
        "mview_recover": {"view": "totals"},
        "mview_info": {},
        "mview_due": {},
        "mview_drop_orphans": {},
    }.items():
        dbt.operation(name, **args)
        sent += dbt.engine.log
        dbt = again(dbt)
    return [one.sql for one in sent]


def without_flashback(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """The macros of its folder do nothing, but for those that check its vars."""
    emptied = {}
    for file in (MACROS / "flashback").glob("*.sql"):
        if file.stem != "flashback_settings":
            text = "\n".join(one[1] + one[3] for one in DEFINED.finditer(file.read_text()))
            (place / file.name).write_text(text)
            emptied[file] = place / file.name
    files = {name: emptied.get(file, file) for name, file in files_of_macros().items()}
    assert sum(file in emptied.values() for file in files.values()) > 30
    monkeypatch.setattr(harness, "files_of_macros", lambda: files)


def test_nothing_is_added_to_runs_without_flashback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Statement by statement what would be sent if its macros were not there."""
    sent = statements()
    assert len(sent) > 50 and not any(table in sql for table in FLASHBACK for sql in sent)
    without_flashback(monkeypatch, tmp_path)
    assert statements() == sent


def test_that_comparison_can_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where flashback is on, its macros do send something."""
    defaults = harness._project_vars()
    monkeypatch.setattr(harness, "_project_vars", lambda: {**defaults, **ON})
    sent = statements()
    without_flashback(monkeypatch, tmp_path)
    assert len(statements()) < len(sent)


@pytest.mark.parametrize("layout", range(1, NEWEST))
def test_an_older_state_gets_the_tables_of_flashback(layout: int) -> None:
    """Beside those that it has, which are brought up to date."""
    engine = Engine()
    engine.built_state()
    for name in list(engine.state_tables):
        engine.state_tables[name] = {"dbt_mview.layout": str(layout)}
        columns = [tuple(column) for column in Dbt()("_state_layout")["tables"][name]]
        engine.tables[f"spark_catalog.shop_mview.{name}"] = Delta([], columns)
    Dbt(engine, variables=ON)("_on_run_start")
    made = [name for name in FLASHBACK if name in engine.state_tables]
    assert made == list(FLASHBACK)
    numbered = [sql.sql for sql in engine.writes if f"'dbt_mview.layout' = '{NEWEST}'" in sql.sql]
    assert len(numbered) == 2 + len(FLASHBACK), "two are upgraded, three are made"
    engine.forget()
    engine.has_flashback()
    Dbt(engine, variables=ON)("_on_run_start")
    assert engine.writes == []


@pytest.mark.parametrize("properties", [{}, {"dbt_mview.layout": str(NEWEST + 1)}])
def test_a_table_of_flashback_that_is_not_ours_is_refused(properties: dict[str, str]) -> None:
    engine = Engine()
    engine.has_flashback()
    engine.state_tables[FLASHBACK[0]] = properties
    with pytest.raises(harness.DbtError) as error:
        Dbt(engine, variables=ON)("_on_run_start")
    what = "state has layout" if properties else "is not a state table of dbt_mview"
    assert "mview_trackpoints" in str(error.value) and what in str(error.value)
    Dbt(engine)("_on_run_start")


def test_a_source_that_is_no_delta_table_gets_no_track_point() -> None:
    """And the run that reads it none of its errors."""
    dbt = built(variables=ON)
    dbt.engine.tables[SOURCE] = Foreign()
    assert [result.status for result in dbt.run()] == ["success"]
    assert SOURCE not in {point[1] for point in dbt.engine.points}
