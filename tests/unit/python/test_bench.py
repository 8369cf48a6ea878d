"""The bench without an engine: turns, ratios, the report and its pictures."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
import sqlglot
from click.testing import CliRunner

from tests.bench import bench as command
from tests.bench import cold, report
from tests.bench import small as small_views
from tests.bench.bench import COMPARISONS
from tests.bench.changes import LAYOUTS, Changes
from tests.bench.chart import chart
from tests.bench.commits import small
from tests.bench.curve import curves
from tests.bench.floor import FEED, SUMS, Bare
from tests.bench.grid import FAST_GOALS, Cell, results
from tests.bench.machine import commit
from tests.bench.picture import Axis, Scale, picture
from tests.bench.results import Result, Run, dump, newest, read, results_of, write
from tests.bench.setup import Bench, Choice
from tests.bench.steps import steps
from tests.bench.timing import in_turn, timed
from tests.bench.views import LABELS, VIEWS, query
from tests.support.project import Outcome


@pytest.fixture(autouse=True)
def nothing_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Garbage of all unit tests takes 0.2 s for each action that is timed."""
    monkeypatch.setattr(gc, "collect", lambda: 0)


def result(**changes: Any) -> Result:
    fields = {
        "comparison": "grid",
        "cell": "Q1, 0.1 % scattered",
        "scale": 1.0,
        "side": "fast",
        "against": "table",
        "ours": [1.0, 9.0, 2.0],
        "theirs": [4.0],
    }
    return Result(**{**fields, **changes})


# Ratios


def test_the_ratio_is_that_of_the_medians() -> None:
    assert result().ratio == 0.5
    assert result(theirs=[0.0]).ratio == float("inf")


@pytest.mark.parametrize(
    ("goal", "met"), [(None, None), (0.5, True), (0.496, False), (0.49, False)]
)
def test_a_goal_is_met_to_two_decimals(goal: float | None, met: bool | None) -> None:
    assert result(goal=goal).met is met
    assert result(goal=1.0, ours=[1.004], theirs=[1.0]).met is True
    assert result(goal=1.0, ours=[1.006], theirs=[1.0]).met is False


def test_a_line_says_what_was_missed() -> None:
    cells = result(goal=0.4).cells()
    assert cells[:6] == ["Q1, 0.1 % scattered", "1", "fast", "2.00 s", "table", "4.00 s"]
    assert cells[6:9] == ["0.50", "0.4", "MISSED"]
    assert result(unit="rows", ours=[7.0], theirs=[0.0]).cells()[3:7] == ["7", "table", "0", "-"]


def test_commits_are_those_besides_the_data() -> None:
    before = Counter({"b.v": 4, "b_mview.info": 9})
    found = small("FAST", 1.0, before, before + Counter({"b.v": 1, "b_mview.info": 3}))
    assert found.ours == [3.0] and found.met and found.note == "v 1, info 3"
    assert not small("FAST", 1.0, before, before + Counter({"b.v": 5})).met


# Runs


def test_runs_are_kept_and_put_together(tmp_path: Path) -> None:
    """A newer result takes the place of the older one; the run that had it stays."""
    place, skip = tmp_path / "deep" / "measured", {"comparison": "skip"}
    other = result(**skip, side="auto", goal=0.5, unit="files", note='a, "b"')
    old = Run("2026-01-01 10:00:01", "", "a", {"cores": "2"}, [result(**skip), other])
    last = Run("2026-01-03 09:00:00", "", "c", {"cores": "2"}, [result(scale=0.01)])
    write(place, [last, old])
    assert read(place) == [old, last]
    again = result(**skip, ours=[3.000004, 12.345678])
    new = Run("2026-01-02 09:00:00", "abc-dirty", "b", {"memory": "4 GiB"}, [again])
    write(place, [*read(place), new])
    older, newer, _ = read(place)
    assert older == replace(old, results=[other]) and newer.results[0].ours == [3.0, 12.34568]
    assert replace(newer, results=[]) == replace(new, results=[])
    assert newest([*read(place), newer]) == read(place), "a run counts once"


def test_a_run_that_is_ended_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: list[Choice] = []

    def compare(bench: Bench) -> Iterator[Result]:
        chosen.append(bench.choice)
        yield result(note="new")
        raise RuntimeError("ended")

    monkeypatch.setenv("DBT_QUIET", "true")  # so that it is taken back
    monkeypatch.setattr(command, "HOME", tmp_path)
    monkeypatch.setattr(command, "COMPARISONS", {"grid": compare})
    monkeypatch.setattr(command, "machine", lambda spark: {"cores": "2"})
    for name in ("engine", "load", "Project"):
        monkeypatch.setattr(command, name, MagicMock())
    place = tmp_path / "measured"
    old = Run("2026-01-01 10:00:00", "", "a", {"cores": "2"}, [result(), result(side="x")])
    write(place, [old])
    args = ["--percent", "5", "--rounds", "2", "--learn", "4"]
    done = CliRunner().invoke(command.main, args)
    assert str(done.exception) == "ended"
    old, new = read(place)
    assert not old.results and [one.note for one in new.results] == ["new"]
    assert new.commit == commit() and new.command.startswith("python -m tests.bench.bench")
    views = ("suppliers", "customers")
    assert chosen == [Choice(2, views, (5.0,), LAYOUTS[:2], warm_up=1, learn=4)]


def test_a_table_is_written_as_a_whole_or_not(tmp_path: Path) -> None:
    class Unwritable:
        def __str__(self) -> str:
            raise RuntimeError("the disk is full")

    file = tmp_path / "results.csv"
    dump(file, [{"a": 1}])
    with pytest.raises(RuntimeError, match="full"):
        dump(file, [{"a": 2}, {"a": Unwritable()}])
    assert file.read_text() == "a\n1\n"


def test_the_sides_of_a_cell_are_of_one_run() -> None:
    """They stand in one line, and the machine may have been busier in the other."""
    cells = [result(), result(side="auto"), result(scale=10.0)]
    old = Run("2026-01-01 10:00:00", "", "a", {}, cells)
    new = Run("2026-01-02 09:00:00", "", "b", {}, [result(ours=[3.0])])
    assert results_of(newest([new, old])) == [result(scale=10.0), result(ours=[3.0])]


def test_sides_take_turns_and_each_begins_once() -> None:
    done: list[str] = []
    sides = {name: lambda name=name: done.append(name) for name in "abc"}
    times = in_turn(sides, 2, lambda: done.append("."), each=False)
    assert "".join(done) == ".cab.abc.bca"
    assert {name: len(seconds) for name, seconds in times.items()} == {"a": 2, "b": 2, "c": 2}
    done.clear()
    in_turn(sides, 1, lambda: done.append("."), warm_up=0)
    assert "".join(done) == ".a.b.c"


def test_no_garbage_is_collected_in_what_is_timed() -> None:
    seen = []

    def fails() -> None:
        seen.append(gc.isenabled())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        timed(fails)
    assert (seen, gc.isenabled()) == ([False], True)


def test_statements_of_a_run_are_named_and_timed() -> None:
    """Until dbt goes on: it fetches rows after it has called a statement done."""
    publish = '/* {"app": "dbt"} */\n/* dbt_mview step=publish job=1 */\nmerge into v\nOpening'
    done = "SQL status: OK in 0.250 seconds"
    said = [
        (0.0, "Using spark connection"),
        (1.0, f"On model.p.v: {publish}"),
        (1.5, "other"),
        (1.75, done),
        (2.25, "Using spark connection"),
        (3.0, "On model.p.v: create table  t\nas select 1"),
        (3.25, done),
        (3.5, "On model.p.v: select 1"),
        (3.75, done),
    ]
    assert list(steps(said)) == [("publish", 1.25), ("create table t as select 1", 0.5)]


# The grid


def test_goals_stand_where_they_were_promised() -> None:
    times = {side: [1.0] for side in ("table", "complete", "fast", "auto", "incremental")}
    for view, layout in FAST_GOALS:
        promised = list(results(Cell(view, 0.1, layout, 10), times, ""))
        assert [one.met for one in promised if one.against == "table"] == [False]
        assert [one.goal for one in promised if one.against == "incremental"] == [1.0]
        others = list(results(Cell(view, 1, layout, 10), times, ""))
        assert {one.goal for one in others} == {None, 1.1}
    goals = {
        scale: next(results(Cell("suppliers", 0.1, "localised", scale), times, "")).goal
        for scale in (1, 10, 30)
    }
    assert goals == {1: None, 10: 0.15, 30: 0.08}


def test_auto_is_compared_with_the_better() -> None:
    times = {"complete": [2.0], "fast": [4.0], "auto": [3.0]}
    found = list(results(Cell("q1", 50, "scattered", 1), times, "AUTO: COMPLETE"))
    better = [one for one in found if one.against == "better: complete"]
    assert [(one.ratio, one.met, one.note) for one in better] == [(1.5, False, "AUTO: COMPLETE")]


def test_without_fast_complete_is_the_better() -> None:
    times = {"complete": [2.0], "auto": [3.0]}
    (found,) = results(Cell("q1", 50, "scattered", 1), times, "AUTO: COMPLETE")
    assert (found.against, found.goal, found.met) == ("complete", 1.1, False)


class Recorder:
    """Stands for a project: keeps what it is told to run."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def sql(self, text: str) -> None:
        self.ran.append(text.replace("@", "bench"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_two_changes_are_alike(layout: str) -> None:
    project = Recorder()
    changes = Changes(project, 0.01)  # type: ignore[arg-type]
    for _ in range(3):
        changes.make(layout, 50)
    assert len(set(project.ran)) == len(project.ran) > 3


def test_new_orders_have_new_keys_and_are_side_by_side() -> None:
    project = Recorder()
    changes = Changes(project, 1)  # type: ignore[arg-type]
    for _ in range(3):
        changes.make("localised", 40)
    keys = [re.findall(r"between (\d+) and (\d+)", text)[0] for text in project.ran[::2]]
    assert keys == [("2400001", "4800000"), ("1", "2400000"), ("1200001", "3600000")]
    assert "o_orderkey + 18000000 as o_orderkey" in project.ran[4]


@pytest.mark.parametrize("name", list(VIEWS))
def test_views_are_one_query_each(name: str) -> None:
    assert len(sqlglot.parse(query(name, "bench", "tpch_1"), dialect="spark")) == 1
    assert name in LABELS


# The report


RUN = Run(
    "2026-01-01 10:00:30",
    "abc-dirty",
    "python -m tests.bench.bench",
    {"cores": "2"},
    [
        result(goal=0.2),
        result(side="auto", against="better: fast", theirs=[1.0], goal=1.15, note="AUTO: FAST"),
        result(side="fast", against="complete", theirs=[3.0]),
        result(side="auto", against="complete", ours=[2.5], theirs=[3.0]),
        result(comparison="verify", cell="wrong rows", ours=[0.0], theirs=[0.0], unit="rows"),
    ],
)


NOTED = f"## In short\n\nquick\n\n{report.MORE}\nshallow\n\n{report.OF_RUNS}\nonce\n"


def test_the_page_says_in_short_what_was_compared() -> None:
    text = report.page([RUN], NOTED)
    assert "quick" in text and "shallow" not in text and "once" not in text
    assert "| Q1, 0.1 % scattered, SF1 | 4.0 | 3.0 | 2.0 | 2.5 |  | 0.50 |" in text
    assert "| Refresh: auto / better | 1.15 | 0 of 1 |" in text
    assert (
        "| Q1, 0.1 % scattered: fast / table | 1 | 0.50 | 0.2 |" in text.partition("## Missed")[2]
    )
    assert "cores" not in text


def test_what_is_small_stands_beside_what_it_took_before() -> None:
    one = {"comparison": "small", "cell": "COMPLETE of one small view", "goal": 1.8}
    alone = {**one, "cell": f"{one['cell']}: bare statements, and an empty run", "goal": None}
    skip = {**one, "cell": "a skip, above dbt with nothing to do", "goal": 1.0}
    found = [
        result(**one, side="mview", ours=[3.0], theirs=[2.0]),
        result(**alone, side="bare", ours=[1.9], theirs=[1.0]),
        result(**skip, side="mview", against="0.35 s", ours=[0.7], theirs=[0.35]),
        result(cell="lines by supplier, 0.1 % localised", scale=10, goal=0.15, theirs=[8.0]),
    ]
    text = report.page([Run("2026-01-01 10:00:30", "", "", {}, found)], NOTED)
    told = text.partition("## Small, at rest, cold")[2]
    assert "| COMPLETE of one small view | table | 4.2 | 1.50 | 1.90 | 1.8 |" in told
    assert "| a skip, above dbt with nothing to do |  | 1.1 s | 0.70 s |  | 0.35 s |" in told
    fast = "FAST, lines by supplier, 0.1 % localised, SF10"
    assert f"| {fast} | table | 0.25 | 0.25 |  | 0.15 |" in told
    assert "SF30" not in told


def test_a_page_without_goals_or_table_has_no_empty_tables() -> None:
    run = Run("2026-01-01 10:00:30", "", "", {}, [result(against="complete")])
    assert "| --- |" not in report.page([run], NOTED)


def test_the_page_is_two_screens() -> None:
    page = (report.ROOT / "docs" / "benchmarks.md").read_text()
    assert len(page.splitlines()) <= 100


def test_the_report_has_goals_cells_and_machine() -> None:
    text = report.report([RUN], NOTED)
    assert "| Q1, 0.1 % scattered: fast / table | 1 | 0.50 | 0.2 | **missed** |" in text
    assert "| Q1, 0.1 % scattered | 4.00 | 3.00 | 2.00 | 2.50 | 0.50 | 1.25 | FAST |" in text
    assert "- cores: 2\n" in text
    assert "\n2026-01-01 10:00  abc-dirty  python -m tests.bench.bench\n" in text
    assert text.index("shallow") < text.index("## Right and wrong results") < text.index("once")
    assert "quick" not in text
    assert "## Many views" not in text


def test_the_picture_is_an_svg_with_a_bar_for_each_side() -> None:
    svg = picture([*RUN.results, result(cell="Q1, 1 % scattered", theirs=[400.0])])
    root = ElementTree.fromstring(svg)
    name = "{http://www.w3.org/2000/svg}"
    colours = [one.get("fill") for one in root.iter(f"{name}rect")]
    assert len(colours) == 1 + 2 * 4
    assert any(one.text == "Q1, scattered" for one in root.iter(f"{name}text"))
    assert "400" not in svg
    for one in root.iter(f"{name}rect"):
        assert float(one.get("width")) > 0


def test_the_chart_has_a_line_for_each_side() -> None:
    """A panel for each scale, where enough sizes of change were timed beside `table`."""
    sizes = {"0.01": 2.0, "0.1": 3.0, "10": 9.0}
    rows = [
        result(cell=f"Q1, {size} % scattered", scale=scale, ours=[took], theirs=[4.0 * scale])
        for size, took in sizes.items()
        for scale in (1.0, 10.0)
    ]
    few = [result(cell=f"Q3, {size} % scattered") for size in ("0.1", "1")]
    svg = chart([*rows, *few, result(comparison="skip")])
    assert svg is not None and chart(few) is None
    root = ElementTree.fromstring(svg)
    name = "{http://www.w3.org/2000/svg}"
    lines = [str(one.get("points")).split() for one in root.iter(f"{name}polyline")]
    assert [len(line) for line in lines] == [3, 3, 3, 3]  # table and fast, at two scales
    said = [one.text for one in root.iter(f"{name}text")]
    assert {"Q1, scattered, SF1", "Q1, scattered, SF10", "600 rows", "6 m rows"} <= {*said}
    assert "Q3" not in svg and "mview AUTO" not in svg
    [low, *_, high] = [float(point.partition(",")[2]) for point in lines[1]]
    assert high < low, "what takes longer lies higher"


def test_curves_begin_at_zero_and_end_at_the_last_sample() -> None:
    samples = {50.0: 4.0, 100.0: 8.0}
    rows = [
        result(comparison="curve", cell="files", scale=turn, ours=[value], unit="files")
        for turn, value in samples.items()
    ]
    svg = curves([*RUN.results, *rows])
    assert svg is not None and curves(RUN.results) is None
    (line,) = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}polyline")
    (_, low), (right, high) = (
        [float(part) for part in point.split(",")] for point in str(line.get("points")).split()
    )
    assert (low, high) == (56 + 110 - 43, 56 + 24) and right == 830


def test_the_scale_is_logarithmic() -> None:
    axis = Axis(1, 100)
    assert axis.x(10) - axis.x(1) == pytest.approx(axis.x(100) - axis.x(10))
    scale = Scale([100.0, 1.0, 3.0], 50, 10)
    assert [scale.at(value) for value in (1, 10, 100)] == pytest.approx([50, 30, 10])
    assert scale.ticks() == [1, 2, 5, 10, 20, 50, 100]


def reported(docs: Path, *args: object) -> dict[str, str]:
    """What the command writes into a folder."""
    docs.mkdir()
    done = CliRunner().invoke(report.main, [*map(str, args), "--docs", str(docs)])
    assert done.exit_code == 0, done.output
    return {file.name: file.read_text() for file in docs.iterdir()}


def test_the_command_keeps_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, kept = tmp_path / "measured", tmp_path / "kept"
    monkeypatch.setattr(report, "KEPT", kept)
    write(place, [RUN])
    assert set(reported(tmp_path / "a", place)) == {
        "benchmarks.md",
        "benchmarks-all.md",
        "benchmarks.svg",
    }
    assert not kept.exists()
    reported(tmp_path / "b", place, "--keep")
    assert read(kept) == [RUN]


def test_the_docs_say_what_is_kept(tmp_path: Path) -> None:
    """And nothing is kept that a later run measured again."""
    assert newest(read(report.KEPT)) == read(report.KEPT)
    made = reported(tmp_path / "docs", report.KEPT)
    there = {name: (report.ROOT / "docs" / name).read_text() for name in made}
    assert made == there and len(made) == 5, "python -m tests.bench.report --keep"


# The comparisons, over a project that pretends


class Pretended(Recorder):
    """A project that builds nothing: what it is told to run is kept, and succeeds."""

    schema, state = "bench", "bench_mview"

    def __init__(self) -> None:
        super().__init__()
        self.spark = self
        self.models: list[str] = []
        self.runs: list[tuple[str, ...]] = []
        self.verified: list[str] = []
        self.operations: list[str] = []
        self.said = ""
        self.columns = ["k", "lines"]

    def sql(self, text: str) -> Any:
        super().sql(text)
        return [(0, 0)] if "except all" in text else self if "select" in text else []

    def model(self, name: str, sql: str, **config: Any) -> None:
        self.models.append(name)

    def forget(self) -> None:
        self.models = []

    def drop(self) -> None:
        self.ran.append("drop")

    def write(self, path: str, content: str) -> None:
        self.ran.append(path)

    def commits(self, table: str) -> list[Any]:
        return [SimpleNamespace(version=3)]

    def run(self, *models: str) -> Outcome:
        assert set(models) <= set(self.models), "only what was written is run"
        self.runs.append(models)
        return Outcome(True, "", message=dict.fromkeys(models, "FAST v1, 4 rows"))

    def op(self, name: str, **args: Any) -> Outcome:
        self.operations.append(name)
        if name != "mview_verify":
            return Outcome(True, self.said)
        self.verified.append(args["view"])
        return Outcome(True, f"{args['view']} equal 0 0")


class PretendedLog(Pretended):
    """A log whose purge drops files, or writes some."""

    written = 0

    def sql(self, text: str) -> Any:
        found = super().sql(text)
        if "describe history" in text:
            metrics = {"numAddedFiles": str(self.written), "numRemovedFiles": "10"}
            return [SimpleNamespace(version=12, operation="DELETE", operationMetrics=metrics)]
        return [] if "limit 1" in text else found


def compared(
    name: str, *scales: float, project: Pretended | None = None, **chosen: Any
) -> tuple[Pretended, list[Result]]:
    """Runs one comparison at the default choice, over a pretended project."""
    project = project or Pretended()
    layouts = chosen.pop("layouts", LAYOUTS)
    choice = {"rounds": 1, "views": ("suppliers", "customers"), "percents": (0.1,), **chosen}
    bench = Bench(
        project,  # type: ignore[arg-type]
        {scale: f"tpch_{scale:g}" for scale in scales},
        Choice(layouts=layouts, **choice),
        lambda text: None,
        lambda text: None,
    )
    return project, list(COMPARISONS[name](bench))


def test_the_grid_compares_all_sides_and_verifies_what_is_ours() -> None:
    sides = ("table", "complete", "fast", "auto", "incremental", "naive")
    project, found = compared("grid", 10.0, sides=sides, percents=(1.0, 0.1))
    grid_of = [one for one in found if one.comparison == "grid"]
    assert len(grid_of) == 2 * 3 * 2 * 6
    assert {one.cell.split(", ")[-1] for one in grid_of} == {
        f"{percent} % {layout}" for percent in ("0.1", "1") for layout in LAYOUTS
    }
    assert sum(one.goal is not None for one in grid_of) == 3 * 4 + 4 + 2 + 6
    views = {f"bench.{view}_{side}" for view in ("suppliers", "customers") for side in sides[2:4]}
    assert set(project.verified) == views and len(project.verified) == 3 * len(views)
    clones = [text for text in project.ran if "lineitem shallow clone" in text]
    assert ["'delta.enableDeletionVectors' = 'true'" in text for text in clones] == [
        layout != "rewritten" for layout in LAYOUTS
    ]
    assert {one.side for one in found if one.comparison == "verify"} == {
        "mview",
        "incremental",
        "naive",
    }


def test_growth_compares_the_same_rows_at_two_scales() -> None:
    project, found = compared("growth", 1.0, 10.0, layouts=("localised",))
    rows = [one for one in found if one.comparison == "growth"]
    assert [(one.scale, one.side, one.against, one.goal) for one in rows] == [
        (10.0, "fast at SF10", "fast at SF1", 1.5)
    ] * 2
    widths = [re.search(r"o_orderkey between (\d+) and (\d+)", text) for text in project.ran]
    assert {int(w[2]) - int(w[1]) + 1 for w in widths if w} == {6000}
    assert compared("growth", 1.0)[1] == [], "one scale has nothing to compare"


class PretendedState(Pretended):
    """Tables of state that grow by a file with each maintenance, all in one place."""

    def __init__(self, place: Path) -> None:
        super().__init__()
        self.place = place

    def sql(self, text: str) -> Any:
        if "describe detail" not in text:
            return super().sql(text)
        files = 1 + self.operations.count("mview_maintain")
        return [SimpleNamespace(numFiles=files, location=f"file:{quote(str(self.place))}")]


def test_upkeep_samples_every_fifty_and_compares_the_last_with_the_first_half(
    tmp_path: Path,
) -> None:
    commit = tmp_path / "a place" / "_delta_log" / "0.json"
    commit.parent.mkdir(parents=True)
    commit.touch()
    began = commit.stat().st_mtime
    state = PretendedState(commit.parents[1])
    project, found = compared("upkeep", 1.0, project=state, refreshes=200)
    assert round(began - commit.stat().st_mtime) == 4 * 4 * 86_400, (
        "a day, four tables in one place"
    )
    assert {one.ours[0] for one in found if one.cell == "files of its logs"} == {4.0}
    assert project.operations.count("mlog_purge") == 40
    assert project.operations.count("mview_maintain") == 4
    assert len(project.runs) == 1 + 40 + 40
    assert {len(models) for models in project.runs[1::2]} == {5}
    curve = [one.ours[0] for one in found if one.cell == "files of state"]
    assert curve == [8.0, 12.0, 16.0, 20.0]
    files = next(one for one in found if one.comparison == "upkeep" and one.unit == "files")
    assert (files.ours, files.theirs, files.met) == ([20.0], [8.0, 12.0], False)


def test_many_runs_all_views_of_a_side_at_once() -> None:
    project, (found,) = compared("many", 1.0)
    assert {len(run) for run in project.runs} == {0, 20} and found.goal == 2.0


class PretendedRest(Pretended):
    """What was told to rest has nothing to do, and neither has a run of no model."""

    def sql(self, text: str) -> Any:
        found = super().sql(text)
        if " except all " in text:
            return []
        return [SimpleNamespace(version=3)] if text.split()[0] in ("describe", "select") else found

    def run(self, *models: str) -> Outcome:
        super().run(*(one for one in models if one != "nothing_is_called_so"))
        return Outcome(True, "", message=dict.fromkeys(models, "SKIP nothing changed"))


def test_small_views_have_the_goals_of_their_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    cold_runs: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        small_views.cold, "seconds", lambda home, *models: cold_runs.append(models) or 2.0
    )
    project, found = compared("small", 1.0, project=PretendedRest(), rounds=3)
    assert [one.goal for one in found if one.goal] == [1.0, 1.8, 2.2, 1.1, 1.5, 0.15, 2.0, 3.0]
    assert {len(run) for run in project.runs} == {0, 1, 20}
    first = ["one_table", "one_complete", "one_fast"]
    assert [one for (one,) in cold_runs[1:]] == first + first[1:] + first[:1] + first[2:] + first[
        :2
    ]
    for text in (small_views.COMPLETE, small_views.SUMS):
        said = text.format(view="v", guard="false", first=1, last=2).replace("@", "shop")
        sqlglot.parse_one(said, dialect="databricks")


def test_a_cold_run_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold.sys, "executable", "false")
    with pytest.raises(RuntimeError, match="one_table"):
        cold.seconds(tmp_path, "one_table")


def test_complete_has_its_goal_at_ten_only() -> None:
    goals = {scale: compared("complete", scale)[1] for scale in (1.0, 10.0)}
    whole = {
        scale: [one.goal for one in rows if one.cell.startswith("COMPLETE")]
        for scale, rows in goals.items()
    }
    assert whole == {1.0: [None] * 2, 10.0: [1.05] * 2}


def test_a_skip_that_is_none_is_an_error() -> None:
    with pytest.raises(AssertionError, match="FAST"):
        compared("skip", 1.0)


def test_due_counts_what_it_was_told() -> None:
    project = Pretended()
    project.said = "of another project\n" * 20
    whole, above = compared("due", 1.0, project=project)[1]
    assert whole.goal == above.goal == 1.0 and whole.theirs == [2.0]
    assert set(project.operations) == {"mview_due", "mview_plan"}
    with pytest.raises(AssertionError):
        compared("due", 1.0)


class PretendedCapture(Pretended):
    """A base whose every change is a commit, and a log that holds all of its rows, or lacks one."""

    lost = 0

    def sql(self, text: str) -> Any:
        if "count(*)" not in text:
            return super().sql(text)
        self.ran.append(text)
        return [(9 - self.lost * text.endswith("_log"),)]

    def commits(self, table: str) -> list[Any]:
        return [SimpleNamespace(version=sum("update" in text for text in self.ran))]

    def run(self, *models: str) -> Outcome:
        super().run(*models)
        sent = "On model.x: /* dbt_mview step=capture job=1 */\ninsert into t"
        done = "SQL status: OK in 0.25 seconds"
        return Outcome(True, "", said=[(1.0, sent), (1.25, done), (1.75, "Finished")])


def test_a_capture_is_compared_with_the_same_rows_of_the_feed() -> None:
    project = PretendedCapture()
    found = compared("capture", 1.0, project=project, layouts=("scattered",))[1]
    whole, above, alone = found
    assert (whole.goal, above.goal, alone.goal) == (None, 1.3, None)
    # An odd number of rounds is made even: either comes first after a change equally often.
    assert alone.ours == [0.75, 0.75] and alone.theirs == whole.theirs
    feeds = [re.search(r"table_changes\('bench.lineitem', (\d), (\d)\)", t) for t in project.ran]
    assert [feed.groups() for feed in feeds if feed] == [
        ("1", "2"),
        ("3", "4"),
        ("5", "6"),
    ]
    project = PretendedCapture()
    project.lost = 1
    with pytest.raises(AssertionError, match="the log holds 8 rows, the other table 9"):
        compared("capture", 1.0, project=project)


def test_a_purge_that_writes_files_is_an_error() -> None:
    project = PretendedLog()
    (found,) = compared("purge", 1.0, project=project)[1]
    assert found.goal == 1.3 and "mlog_purge" in project.operations
    assert sum("restore table" in text for text in project.ran) == 10
    project.written = 1
    with pytest.raises(AssertionError, match="drops files and writes none"):
        compared("purge", 1.0, project=project)


# What no release can go below


def test_bare_statements_are_the_protocol() -> None:
    sent: list[str] = []
    newest = SimpleNamespace(version=4)

    def sql(text: str) -> list[SimpleNamespace]:
        sent.append(text)
        return [newest]

    bare = Bare(SimpleNamespace(project=SimpleNamespace(sql=sql, schema="shop")))  # type: ignore[arg-type]
    newest.version = 6
    sent.clear()
    bare.refresh("totals", "lineitem", SUMS)
    bare.skip("totals", "lineitem")
    bare.capture("held")
    newest.version = 7
    bare.follow("held", FEED)
    assert [text.split()[0] for text in sent] == [
        "select", "describe", "update", "merge", "insert", "update",
        "select", "describe", "update",
        "describe", "describe", "insert", "describe", "insert",
    ]  # fmt: skip
    assert "raise_error('lock lost')" in sent[3] and "lock_owner = 'bare'" in sent[3]
    assert "'@.lineitem', 5, 6)" in sent[3] and "'@.lineitem', 5, 6)" in sent[11]
    assert "_commit_version >= 5" in sent[11] and "'@.lineitem', 7, 7)" in sent[13]
    for text in sent:
        if not text.startswith("describe"):
            sqlglot.parse_one(text.replace("@", "shop"), dialect="databricks")
