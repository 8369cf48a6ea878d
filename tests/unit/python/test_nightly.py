"""What a commit draws, and what `make nightly` chooses, remembers and says."""

from __future__ import annotations

import itertools
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha1
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from dbt_mview.engine import JAVA_OPTIONS_VARIABLE
from tests.crash.cells import cells
from tests.crash.guards import GUARDS
from tests.crash.meetings import schedules
from tests.differential.faults import FAULTS
from tests.functional.shapes import SHAPES
from tests.nightly import __main__ as command
from tests.nightly import choose, draw, play, results, steps
from tests.nightly.parts import LONG, ROOT, Part, parts
from tests.nightly.results import Result

# What is drawn


def names(hands: list[list[str]], test: str) -> set[str]:
    """The parameters of one test in all hands."""
    return {one.partition("[")[2] for hand in hands for one in hand if f"::{test}[" in one}


def test_the_hands_hold_every_cell_fault_and_guard() -> None:
    crash, faults, guards = draw.crash_hands(), draw.fault_hands(), draw.guard_hands()
    scenes = {cell.scene for cell in cells()} | {one.scene for one in schedules()}
    for scene in scenes:
        mine = [hand for hand in crash if any(f"::Test{scene}::" in test for test in hand)]
        told = names(mine, "test_cell") | names(mine, "test_schedule")
        assert told == {
            *(f"{cell.short_name}]" for cell in cells() if cell.scene == scene),
            *(f"{one.name}]" for one in schedules() if one.scene == scene),
        }
    assert names(faults, "test_a_fault_is_caught") == {f"{name}]" for name in FAULTS}
    assert names(guards, "test_without_the_guard_the_cell_fails") == {f"{one}]" for one in GUARDS}


def test_a_hand_is_ten_cells_of_one_scene_two_faults_or_a_guard() -> None:
    for hand in draw.crash_hands():
        drawn = [test for test in hand if "::test_cell[" in test or "::test_schedule[" in test]
        assert len({test.partition("::test_")[0] for test in drawn}) == 1
        # Some scenes have fewer than ten.
        assert 6 <= len(drawn) <= draw.CELLS
        assert len(drawn) == draw.CELLS or "TestCapture" in drawn[0] or "meetings" in drawn[0]
    for hand in draw.fault_hands():
        assert sum("::test_a_fault_is_caught[" in test for test in hand) == draw.FAULTS
    assert all(len(hand) == 1 for hand in draw.guard_hands())


def test_the_last_hand_is_filled_up() -> None:
    hands = draw.dealt([str(n) for n in range(23)], 10)
    assert [len(hand) for hand in hands] == [10, 10, 10]
    assert len(set(itertools.chain(*hands))) == 23
    assert draw.dealt(["a", "b"], 10) == [["a", "b"]] or draw.dealt(["a", "b"], 10) == [["b", "a"]]


def test_a_commit_always_draws_the_same_and_all_hands_come_round() -> None:
    assert draw.drawn("056774c") == draw.drawn("056774c") != draw.drawn("056774d")
    hands = len(draw.crash_hands())
    # To miss one of n hands in n * (ln n + 5) draws has a chance of e ** -5.
    ids = (sha1(str(n).encode()).hexdigest() for n in range(hands * 10))
    drawn = {draw.number(f"crash {commit}") % hands for commit in ids}
    assert drawn == set(range(hands))


def test_shapes_come_round_and_are_all_there_where_no_commit_draws() -> None:
    ids = [sha1(str(n).encode()).hexdigest() for n in range(100)]
    assert {len(draw.shapes(SHAPES, commit)) for commit in ids} == {draw.SHAPES}
    assert {name for commit in ids for name in draw.shapes(SHAPES, commit)} == set(SHAPES)
    assert draw.shapes(SHAPES, "") == list(SHAPES)


def test_one_each_of_half_of_the_files_comes_in_turn_and_none_where_no_commit_draws() -> None:
    names = [f"tests/a.py::test_{n}" for n in range(9)] + [
        "tests/b.py::test_0",
        "tests/c.py::test_0",
        "tests/c.py::test_1",
        "tests/c.py::of_all",
    ]
    items, marked = collected(names, in_turn=names[:-1])
    config: Any = SimpleNamespace(getoption=lambda name: "0", args=["a::b"])
    draw.pytest_collection_modifyitems(config, items)
    assert [one for one in marked if one.startswith("nightly")] == [
        f"nightly {name}" for name in names[:-1]
    ]
    found = [one.removeprefix("drawn ") for one in marked if one.startswith("drawn")]
    assert len(found) == len({name.partition("::")[0] for name in found}) == 2, "one of each"
    of_commits = [draw.in_turn(items[:-1], f"{n}") for n in range(100)]
    assert {len(drawn) for drawn in of_commits} == {2}
    assert {name for drawn in of_commits for name in drawn} == set(names[:-1])
    items, marked = collected(names, in_turn=names[:-1])
    draw.pytest_collection_modifyitems(SimpleNamespace(getoption=lambda name: None), items)
    assert len(marked) == len(names) - 1


def collected(tests: list[str], in_turn: Sequence[str] = ()) -> tuple[list[Any], list[str]]:
    """Items of these tests, and the list that fills with those that are marked."""
    marked: list[str] = []
    items = []
    for test in tests:
        item = SimpleNamespace(nodeid=test)
        item.add_marker = lambda name, test=test: marked.append(f"{name} {test}")
        item.get_closest_marker = lambda name, test=test: name == "in_turn" and test in in_turn
        items.append(item)
    return items, marked


def test_the_plugin_marks_what_is_drawn_and_misses_what_is_not_there() -> None:
    drawn = [test for hand in draw.drawn("056774c").values() for test in hand]
    items, marked = collected([*drawn, "tests/crash/test_matrix.py::TestGroup::other"])
    config: Any = SimpleNamespace(getoption=lambda name: "056774c", args=["tests"])
    draw.pytest_collection_modifyitems(config, items)
    assert marked == [f"drawn {test}" for test in drawn]
    with pytest.raises(pytest.UsageError, match="drawn, and not there: .*" + "guard"):
        draw.pytest_collection_modifyitems(
            config, collected([draw.GUARDS, *(one for one in drawn if "guard" not in one)])[0]
        )
    # Whoever names a file without any of them gets none.
    draw.pytest_collection_modifyitems(config, collected(["tests/unit/test_layout.py::test_x"])[0])


# Which parts there are


def test_parts_have_names_of_their_own_and_hold_every_scene_fault_and_class() -> None:
    known = {part.name: part for part in parts()}
    assert len(known) == len(parts())
    args = {arg for part in known.values() for arg in part.args}
    assert {test for hand in draw.crash_hands() for test in hand if "::Test" in test} <= args
    assert {"crash-Capture", "crash-Group-2", "meetings-TwoRefreshes-3", "guards"} <= set(known)
    assert {f"{draw.CAUGHT}[{name}]" for name in FAULTS} <= args
    classes = {arg.rpartition("::")[2] for arg in args if "foreign/" in arg}
    for file in (ROOT / "tests" / "foreign").glob("test_*.py"):
        assert set(re.findall(r"(?m)^class (Test\w+)", file.read_text())) <= classes


def test_every_test_that_a_part_names_is_there() -> None:
    for part in parts():
        for arg in part.args:
            path, *names = arg.split("::")
            if path.startswith("tests/") and names:
                text = (ROOT / path).read_text()
                assert all(re.search(rf"\b{one.partition('[')[0]}\b", text) for one in names[-1:])
            assert not path.startswith("tests/") or (ROOT / path).exists(), arg
    touched = {arg.partition("::")[0] for part in parts() for arg in part.args}
    crash = (ROOT / "tests" / "crash").glob("test_*.py")
    assert {file.relative_to(ROOT).as_posix() for file in crash} <= touched


# What is chosen

A, B, C = (Part(name, (), guess) for name, guess in (("a", 100), ("b", 200), ("c", 300)))
DONE = Result("a", "2026-11-27T06:00Z", "c0ffee", "t1", 50, 3, 0, 0)
NOT_HERE = replace(DONE, passed=0, what="not here: python3.13")


def test_what_has_a_result_of_this_code_is_not_due() -> None:
    assert choose.due([A, B], {"a": DONE}, "t1") == [B]
    assert choose.due([A, B], {"a": replace(DONE, failed=1)}, "t1") == [B]
    assert choose.due([A, B], {"a": DONE}, "t1", again=True) == [B, A]
    assert choose.due([A, B], {"a": DONE}, "t2") == [B, A]
    assert choose.due([A, B], {"a": NOT_HERE}, "t1") == [A, B]


def test_the_oldest_comes_first() -> None:
    old, new = replace(DONE, part="c", date="2026-01-01T00:00Z"), replace(DONE, part="b")
    assert choose.due([A, B, C], {"b": new, "c": old}, "t2") == [A, C, B]


def test_what_fits_is_played_and_what_does_not_waits() -> None:
    assert list(choose.plan([C, A, B], {}, None)) == [C, A, B]
    assert list(choose.plan([C, A, B], {}, 299)) == [A]
    assert list(choose.plan([C, A, B], {}, 400)) == [C, A]
    # By what it took the last time, not by the guess.
    assert list(choose.plan([A, B], {"a": DONE}, 250)) == [A, B]
    assert choose.seconds(A, {"a": NOT_HERE}) == A.guess


def test_parts_are_named_by_patterns() -> None:
    assert choose.named([A, B, C], ["c", "[ab]"]) == [A, B, C]
    with pytest.raises(ValueError, match="no part is named d"):
        choose.named([A], ["a", "d"])


# What is remembered


def test_a_result_is_a_row_in_the_order_of_the_parts(monkeypatch: Any, tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    monkeypatch.setattr(results, "FILE", file)
    assert results.load() == {}
    for one in (replace(DONE, part="c", what="x, y"), DONE, replace(DONE, part="gone")):
        results.save(one, [A, B, C, Part("gone", (), 1)])
    results.save(replace(DONE, part="b", failed=1), [A, B, C])
    assert list(results.load()) == ["a", "b", "c"]
    assert results.load()["a"] == DONE and results.load()["c"].what == "x, y"
    assert file.read_text().splitlines()[1] == "a,2026-11-27T06:00Z,c0ffee,t1,50,3,0,0,"


def test_the_results_of_the_repo_are_of_parts_that_are_there() -> None:
    assert set(results.load()) <= {part.name for part in parts()}


def test_the_tree_is_code_and_tests_but_no_documents(monkeypatch: Any, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    monkeypatch.setattr(results, "ROOT", tmp_path)
    (tmp_path / "macros").mkdir()
    (tmp_path / "docs" / "model").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("logs/\n")
    seen = [results.tree()]
    for path in ("macros/a.sql", "docs/model/protocol.py", "setting"):
        (tmp_path / path).write_text("1")
        seen.append(results.tree())
    assert len(set(seen)) == 4, "each change of what is tested is seen, before it is committed"
    (tmp_path / "logs").mkdir()
    (tmp_path / "tests" / "nightly").mkdir(parents=True)
    for path in ("logs/a", "README.md", "docs/a.md", "tests/nightly/results.csv"):
        (tmp_path / path).write_text("1")
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    who = ("-c", "user.email=a@b", "-c", "user.name=a")
    subprocess.run(["git", *who, "commit", "-qm", "x"], cwd=tmp_path, check=True)
    assert results.tree() == seen[-1] and not results.commit().endswith("+")
    (tmp_path / "README.md").write_text("2")
    assert not results.commit().endswith("+")
    (tmp_path / "setting").write_text("2")
    assert results.tree() not in seen and results.commit().endswith("+")


# How a part is played

REPORT = """<testsuites><testsuite>
<testcase classname="tests.crash.test_matrix.TestGroup" name="test_cell[decide-lost]">
<failure/></testcase>
<testcase classname="tests.crash.test_matrix.TestGroup" name="test_cell[sweep-lost]"/>
<testcase classname="tests.crash.test_matrix.TestGroup" name="test_cell[sweep-sent]"/>
<testcase classname="tests.crash.test_matrix" name="test_b"><skipped/></testcase>
<testcase classname="tests.crash.test_matrix" name="test_c"/>
<testcase classname="tests.crash.test_matrix" name="test_c"><error/></testcase>
</testsuite></testsuites>"""


def test_a_report_is_counted(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    counted = play.read(tmp_path / "report.xml")
    assert (counted.passed, counted.failed, counted.skipped) == (3, 2, 1)
    assert counted.failures[0] == "crash.test_matrix.TestGroup.test_cell[decide-lost]"
    assert play.listed(["a"] * 22).endswith("a and 2 more")


TEST = """
def test_good(): pass
def test_bad(): assert 0
"""


def test_a_part_is_played(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(play, "HOME", tmp_path / "home")
    monkeypatch.setattr(results, "tree", lambda: "t1")
    file = tmp_path / "test_x.py"
    file.write_text(TEST)
    plain = ("-p", "no:cacheprovider", "-c", "/dev/null")
    done = play.play(Part("x", (str(file), *plain), 1), 1)
    assert (done.part, done.tree, done.passed, done.failed) == ("x", "t1", 1, 1)
    assert done.what.endswith("test_x.test_bad")
    none = play.play(Part("x", (str(file), *plain, "-k", "none"), 1), 1)
    assert (none.passed, none.failed, none.what) == (0, 1, "no test was played")


def test_a_part_of_short_lived_engines_has_the_quick_compiler(monkeypatch: Any) -> None:
    monkeypatch.setenv(JAVA_OPTIONS_VARIABLE, "-Xmx3g")
    quick = play.surroundings(Part("x", (), 1, quick=True))[JAVA_OPTIONS_VARIABLE]
    assert quick == "-Xmx3g -XX:TieredStopAtLevel=1"
    plain = play.surroundings(Part("x", (), 1, {"SOAK": "1"}))
    assert (plain[JAVA_OPTIONS_VARIABLE], plain["SOAK"]) == ("-Xmx3g", "1")
    short = ("crash-", "meetings-", "foreign-", "marked-")
    assert all(one.quick for one in parts() if one.name.startswith(short) and one.name not in LONG)


def test_parts_that_take_long_are_there() -> None:
    """A part is ended when it takes a few times what was expected: a name that is gone is a guess
    that is lost."""
    assert {*LONG} <= {part.name for part in parts()}


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Processes that are started can be interrupted: a shell may let these tests ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_what_ends_badly_says_so(interruptible: None, monkeypatch: Any, tmp_path: Path) -> None:
    begun: list[subprocess.Popen[bytes]] = []

    def popen(*args: Any, **more: Any) -> subprocess.Popen[bytes]:
        begun.append(plain(*args, **more))
        return begun[-1]

    plain = subprocess.Popen
    monkeypatch.setattr(play.subprocess, "Popen", popen)
    sleeps = [sys.executable, "-c", "import time; time.sleep(60)"]
    with (tmp_path / "log").open("wb") as log:
        assert play.run(sleeps, {}, log.fileno(), 0.1) is None
        assert begun[0].returncode == -signal.SIGINT, "it could stop its engines"
        assert play.run([sys.executable, "-c", "exit(3)"], {}, log.fileno(), 60) == 3
    assert play.why(None, 2) == "ended after 2 s" and play.why(3, 2) == "pytest ended with 3"


def test_what_is_not_here_is_never_passed(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(play, "HOME", tmp_path)
    monkeypatch.setattr(results, "tree", lambda: "t1")
    monkeypatch.setattr(results, "commit", lambda: "c0ffee")
    missing = play.play(Part("x", (), 1, venv=".venv-x", python="python2.99"), 1)
    assert missing.what == "not here: python2.99"
    assert (missing.passed, missing.failed, missing.is_played) == (0, 0, False)
    assert play.find_python("python2.99") is None
    here = f"python{sys.version_info.major}.{sys.version_info.minor}"
    assert play.find_python(here)
    monkeypatch.setattr(play.subprocess, "run", lambda *args, **more: SimpleNamespace(returncode=2))
    broken = play.play(Part("x", (), 1, venv=".venv-x", make=("SPARK=9",)), 1)
    assert (broken.failed, broken.what) == (1, "make jars SPARK=9 VENV=.venv-x failed")


# The steps of a project on each target

STEPS = """<testsuites><testsuite>
<properties><property name="versions" value="Spark 4"/></properties>
<testcase classname="t" name="test_step[thrift-first_run]" time="2.6"/>
<testcase classname="t" name="test_step[thrift-skip]" time="1.2"><failure/></testcase>
<testcase classname="t" name="test_step[thrift-dies]" time="0.0"><skipped/></testcase>
<testcase classname="t" name="test_other" time="0.0"/>
</testsuite></testsuites>"""


def test_steps_are_read_kept_and_told(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(steps, "FILE", tmp_path / "steps.csv")
    (tmp_path / "report.xml").write_text(STEPS)
    seen = steps.read(tmp_path / "report.xml")
    assert [(one.step, one.outcome, one.seconds) for one in seen] == [
        ("first_run", "passed", 3),
        ("skip", "failed", 1),
        ("dies", "skipped", 0),
    ]
    assert steps.read(tmp_path / "none.xml") == [] and steps.load() == {}
    steps.save("b", seen, ["a", "b"])
    steps.save("a", [replace(seen[0], target="session")], ["a", "b"])
    steps.save("b", seen[:2], ["a", "b"])
    assert list(steps.load().items()) == [
        ("a", [replace(seen[0], target="session")]),
        ("b", seen[:2]),
    ]
    lines = steps.table(steps.load(), {"a": DONE.date}).splitlines()
    assert lines[0] == "| target | on | seen | first run | skip |"
    assert lines[2:] == [
        "| session | Spark 4 | 2026-11-27 | 3 s |  |",
        "| thrift | Spark 4 |  | 3 s | **failed** |",
    ]


def test_the_document_has_the_last_steps() -> None:
    text = steps.DOCS.read_text(encoding="utf-8")
    assert steps.BEGIN in text and steps.END in text and steps.documented(text) == text
    assert set(steps.load()) <= {part.name for part in parts()}


# The command


def test_a_sitting_that_is_killed_loses_the_part_in_play_only(
    monkeypatch: Any, tmp_path: Path, capsys: Any
) -> None:
    played: list[str] = []

    def plays(part: Part, estimate: float) -> Result:
        played.append(part.name)
        if part.name == "b" and played.count("b") == 1:
            raise KeyboardInterrupt
        return replace(DONE, part=part.name, failed=int(part.name == "c"))

    monkeypatch.setattr(results, "FILE", tmp_path / "results.csv")
    monkeypatch.setattr(results, "tree", lambda: "t1")
    monkeypatch.setattr(command, "parts", lambda: [A, B, C])
    monkeypatch.setattr(command, "play", plays)
    monkeypatch.setattr(command.signal, "signal", lambda number, handler: None)
    assert command.main(["--list"]) == 0 and not played
    assert "3 parts, 3 to play, 10 min 00 s" in capsys.readouterr().out
    assert command.main([]) == 130 and played == ["a", "b"]
    assert command.main(["--minutes", "4"]) == 0 and played == ["a", "b", "b"]
    assert command.main([]) == 1 and played == ["a", "b", "b", "c"]
    assert command.main([]) == 0 and len(played) == 4
    assert command.main(["--only", "a"]) == 0 and played[4:] == ["a"]
    assert command.main(["--only", "d"]) == 2
    assert command.main(["--all"]) == 1 and sorted(played[5:]) == ["a", "b", "c"]


def test_the_table_has_every_part_and_names_what_failed() -> None:
    bad = replace(DONE, part="b", failed=1, what="test_cell[decide-lost]")
    shown = Console(width=100, color_system=None)
    with shown.capture() as text:
        shown.print(command.table([A, B, C], {"a": NOT_HERE, "b": bad}, "t1"))
    rows = [" ".join(line.split()) for line in text.get().splitlines()]
    assert rows[1] == "a 11-27 06:00 c0ffee 50 not here: python3.13"
    assert rows[2] == "b 11-27 06:00 c0ffee 50 3 passed, 1 failed: test_cell[decide-lost]"
    assert rows[3] == "c never"
