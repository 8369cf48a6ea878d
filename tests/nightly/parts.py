"""Which parts there are. Each is one run of pytest that takes some minutes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.nightly.draw import CAUGHT, MATRIX, MEETINGS, SOUND

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
# Seconds, before a part was ever played: on two cores with nothing beside it.
START = 60.0
CELL = 20.0
ENGINE_CELL = 30.0
TEST = 30.0
QUERY = 120.0
CELLS = 40  # of a scene, in one part
CLASSES = 8  # of the foreign suite, in one part
SCENES = 4  # random ones, in one part
QUERIES = 19  # of TPC-DS, in one part
RUNS_OF_FAULTS = 3
LONG = {"marked-style_guide": 3600.0}  # seconds of files whose tests take minutes each
MARKED = re.compile(r"\bmark\.nightly\b")
IN_TURN = re.compile(r"\bmark\.in_turn\b")

# What every other version must do: refresh and capture, and run what is Python.
SMOKE = (
    "tests/functional/test_refresh.py::test_life_of_a_view",
    "tests/functional/test_log.py::test_first_capture_and_more",
    "tests/unit/python",
    "-m",
    "not nightly",
)
SIMULATION = "tests/unit/python/serve/test_simulation.py"
# What has parts of another kind, or none.
APART = ("tests/crash/", "tests/foreign/", "tests/bench/", "tests/targets/", SIMULATION)
STEP = "tests/targets/test_targets.py::test_step"
# Another Spark prints other plans. Where no commit draws, these are all shapes.
PLANS = "tests/functional/test_fast.py::test_what_the_commit_draws"
REFUSED = "tests/functional/test_fast.py::test_what_is_refused_is_complete_and_says_why"


@dataclass(frozen=True)
class Part:
    """One run of pytest.

    Args:
        name: its name in results.csv.
        args: what pytest gets.
        guess: the seconds that it may take, for as long as nobody knows.
        env: what it has in its environment.
        quick: its JVM has Java's quick compiler alone.
        venv: the directory of an environment of its own; none: that of this process.
        make: variables of make that say what is in this environment.
        python: the Python that this environment needs; none: that of this process.
    """

    name: str
    args: tuple[str, ...]
    guess: float
    env: Mapping[str, str] = field(default_factory=dict)
    quick: bool = False
    venv: str = ""
    make: tuple[str, ...] = ()
    python: str = ""


def parts() -> list[Part]:
    """All of them."""
    return [
        *crash(),
        *faults(),
        Part("refused", (REFUSED,), 400),
        Part("tpch", ("tests/differential/test_tpch.py",), 1800, {"SOAK": "1"}),
        *tpcds(),
        Part(
            "random",
            ("tests/differential/test_random.py::test_fast_equals_complete",),
            SCENES * 270,
            {"SOAK": str(SCENES)},
        ),
        *foreign(),
        *marked(),
        *simulation(),
        *scenes(),
        *others(),
    ]


def crash() -> Iterator[Part]:
    """The crash tests, scene by scene."""
    from tests.crash.cells import cells
    from tests.crash.guards import GUARDS
    from tests.crash.meetings import schedules

    matrix: dict[str, list[str]] = {}
    for cell in cells():
        first = [f"{MATRIX}::Test{cell.scene}::test_points_are_all_known"]
        test = f"{MATRIX}::Test{cell.scene}::test_cell[{cell.short_name}]"
        matrix.setdefault(cell.scene, first).append(test)
    for scene, tests in matrix.items():
        yield from _sliced(f"crash-{scene}", tests)
    met: dict[str, list[str]] = {}
    for one in schedules():
        test = f"{MEETINGS}::Test{one.scene}::test_schedule[{one.name}]"
        met.setdefault(one.scene, []).append(test)
    for scene, tests in met.items():
        yield from _sliced(f"meetings-{scene}", tests)
    touching = f"{MEETINGS}::test_all_that_touches_the_base"
    yield _crash("meetings-touching", [touching], 2 * CELL)
    yield _crash("engine-dies", ["tests/crash/test_engine_dies.py"], 29 * ENGINE_CELL)
    engines, crowd = "tests/crash/test_engines.py", "tests/crash/test_engines.py::test_four_at_once"
    yield _crash("engines-crowd", [crowd], 1500)
    yield _crash("engines", [engines, "--deselect", crowd], 13 * ENGINE_CELL)
    yield _crash("environment", ["tests/crash/test_environment.py"], 14 * ENGINE_CELL)
    yield _crash("guards", ["tests/crash/test_guards.py"], len(GUARDS) * ENGINE_CELL)


def _sliced(name: str, tests: list[str]) -> Iterator[Part]:
    """The tests of one scene, in as many parts as it takes for none to be long."""
    count = max(1, round(len(tests) / CELLS))
    size = -(-len(tests) // count)
    for number, start in enumerate(range(0, len(tests), size), 1):
        some = tests[start : start + size]
        numbered = f"{name}-{number}" if count > 1 else name
        yield _crash(numbered, some, len(some) * CELL)


def _crash(name: str, tests: list[str], guess: float) -> Part:
    """A part of tests/crash: what hangs there is ended by process.TIMEOUT. Its JVMs live for
    minutes, and a cell takes a quarter less where these are not spent on optimizing."""
    return Part(name, (*tests, "-m", "crash", "--timeout", "0"), START + guess, quick=True)


def faults() -> Iterator[Part]:
    """The sown faults, some runs at a time, with their views without them."""
    from tests.differential.faults import FAULTS, RUNS, VIEWS

    for number, start in enumerate(range(0, len(RUNS), RUNS_OF_FAULTS), 1):
        names = [name for run in RUNS[start : start + RUNS_OF_FAULTS] for name in run]
        views = sorted({FAULTS[name].view for name in names} & set(VIEWS))
        args = (*(f"{CAUGHT}[{name}]" for name in names), *(f"{SOUND}[{view}]" for view in views))
        yield Part(f"faults-{number}", args, START + RUNS_OF_FAULTS * 2 * TEST)


def tpcds() -> Iterator[Part]:
    """The queries of TPC-DS, some at a time; the first part also tells which are followed."""
    from tests.differential.tpcds import followed

    names, file = followed(), "tests/differential/test_tpcds.py"
    for number, start in enumerate(range(0, len(names), QUERIES), 1):
        some = names[start : start + QUERIES]
        args = (file,) if number == 1 else (f"{file}::test_fast_equals_complete",)
        env = {"SOAK": "1", "TPCDS": ",".join(some)}
        yield Part(f"tpcds-{number}", args, START + len(some) * QUERY, env)


def foreign() -> Iterator[Part]:
    """The classes of dbt's own suite, some at a time."""
    for file in sorted((TESTS / "foreign").glob("test_*.py")):
        classes = re.findall(r"^class (Test\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        place = file.relative_to(ROOT).as_posix()
        for number, start in enumerate(range(0, len(classes), CLASSES), 1):
            some = classes[start : start + CLASSES]
            args = (*(f"{place}::{name}" for name in some), "-m", "foreign")
            name = f"foreign-{file.stem.removeprefix('test_')}-{number}"
            yield Part(name, args, START + len(some) * TEST, quick=True)


def marked() -> Iterator[Part]:
    """What other files mark `nightly` or `in_turn`, file by file."""
    for file in sorted(TESTS.rglob("test_*.py")):
        place = file.relative_to(ROOT).as_posix()
        text = file.read_text(encoding="utf-8")
        count = len(
            re.findall(r"^def test_", text, re.M) if IN_TURN.search(text) else MARKED.findall(text)
        )
        if count and not place.startswith(APART):
            name = f"marked-{file.stem.removeprefix('test_')}"
            guess = LONG.get(name, START + count * TEST)
            yield Part(name, (place, "-m", "nightly"), guess, quick=name not in LONG)


def simulation() -> Iterator[Part]:
    """The seeds of a night, some at a time, and a million views."""
    from tests.sim.__main__ import NIGHT

    for number, first in enumerate(NIGHT, 1):
        test = f"{SIMULATION}::test_nothing_breaks_an_invariant_in_a_night[{first}]"
        yield Part(f"simulation-{number}", (test,), 400)
    yield Part("simulation-million", (f"{SIMULATION}::test_a_million_views_for_a_day",), 6000)


def scenes() -> Iterator[Part]:
    """The scene of a project on each kind of target, and on a server of other versions."""
    from tests.targets.targets import TARGETS

    # dbt-databricks has an environment of its own.
    for name in [one for one in TARGETS if one != "databricks"]:
        yield Part(f"scene-{name}", steps_on(name), START + 240)
    own = ("tests/databricks", *steps_on("databricks"))
    yield _elsewhere("databricks", own, 600, dbt="databricks")
    for spark in ("4.0", "4.2"):
        yield _elsewhere(f"scene-spark-{spark}", steps_on("thrift"), 300, spark=spark)
    for dbt in ("1.10", "1.12"):
        yield _elsewhere(f"scene-dbt-{dbt}", steps_on("thrift"), 300, dbt=dbt)
    for python in ("3.10", "3.12", "3.13"):
        yield _elsewhere(f"scene-python-{python}", steps_on("thrift"), 300, python=python)


def steps_on(target: str) -> tuple[str, ...]:
    """All steps of the scene on one target, as tests."""
    from tests.targets.scene import STEPS

    return tuple(f"{STEP}[{target}-{step}]" for step in STEPS)


def others() -> Iterator[Part]:
    """A few tests on other versions."""
    for spark in ("4.0", "4.2"):
        # All shapes in one test: beside other work that takes more than a test may.
        args = (PLANS, *SMOKE, "--timeout", "3600")
        yield _elsewhere(f"spark-{spark}", args, 1800, spark=spark)
    for dbt in ("1.10", "1.12"):
        yield _elsewhere(f"dbt-{dbt}", SMOKE, 300, dbt=dbt)
    for python in ("3.10", "3.12", "3.13"):
        yield _elsewhere(f"python-{python}", SMOKE, 300, python=python)


def _elsewhere(
    name: str,
    args: tuple[str, ...],
    guess: float,
    *,
    spark: str = "",
    dbt: str = "",
    python: str = "",
) -> Part:
    """A part in the environment of another Spark, dbt or Python."""
    if python:
        return Part(name, args, guess, venv=f".venv-python{python}", python=f"python{python}")
    make, venv = (f"SPARK={spark}", spark) if spark else (f"DBT={dbt}", f"dbt-{dbt}")
    return Part(name, args, guess, venv=f".venv-{venv}", make=(make,))
