"""The processes that run dbt: a fake one where the failure is hard to make, and dbt itself."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import pytest

from dbt_mview.serve import process
from dbt_mview.serve.process import Answer
from dbt_mview.serve.workers import OperationFailed, Workers

pytestmark = pytest.mark.unit

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 90.0  # seconds that a test waits for what takes a moment
ROOT = Path(__file__).resolve().parents[4]
# It does what the first word of a command says, and prints its process id and its arguments.
FAKE = """
import json, os, signal, subprocess, sys

SLEEPER = "import signal as s; print(s.signal(s.SIGINT, s.SIG_IGN), flush=True); s.pause()"
LARGE = "import signal; kept = b'x' * (96 << 20); print(flush=True); signal.pause()"
RESULT = {"unique_id": "model.p.a", "name": "a", "relation": None, "status": "success",
          "seconds": 1.0, "message": "OK", "skip": False, "left": False}

def say(**message):
    print(json.dumps(message), flush=True)

def do(what, *files):
    if "fork" in what:
        child = subprocess.Popen([sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE)
        child.stdout.readline()
        with open(files[0], "w") as file:
            file.write(str(child.pid))
    if "grow" in what:
        child = subprocess.Popen([sys.executable, "-c", LARGE], stdout=subprocess.PIPE)
        child.stdout.readline()
    if "stubborn" in what:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        open(files[0] + "-stubborn", "w").close()
    if "wait" in what:
        open(files[-1]).read()
    if "sleep" in what:
        signal.pause()
    if "exit" in what:
        os._exit(3)
    if "killed" in what:
        os.kill(os.getpid(), signal.SIGKILL)

def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as dbt_mview.serve.worker does
    if "--dies" in sys.argv:
        sys.exit(7)
    if "--refuses" in sys.argv:
        say(refused="no dbt here")
        sys.exit(1)
    if "--mute" in sys.argv:
        signal.pause()
    if "--babbles" in sys.argv:
        print("hello\\n1\\n{}\\n{'", flush=True)
    say(ready={"dbt": "1.11"})
    while line := sys.stdin.readline():
        words = json.loads(line)["command"]
        if words[0] == "--quiet":
            words = json.loads(words[-1])["words"]
        say(invocation=f"invocation of {words}")
        assert json.loads(sys.stdin.readline()) == {"go": True}
        do(*words)
        printed = [str(os.getpid()), os.environ["DBT_MVIEW_SERVE"], *sys.argv[1:]]
        how = words[0] if words[0] == "error" else "done"
        say(ended={"how": how, "problem": "no", "printed": printed, "results": [RESULT]})

try:
    main()
except KeyboardInterrupt:
    os._exit(130)
"""
# A node that is killed.
NODE = """
import signal, sys
from pathlib import Path
from dbt_mview.serve.workers import Workers
signal.signal(signal.SIGINT, signal.SIG_IGN)
Workers(Path(sys.argv[1]), sys.argv[2:], 1, False, print).run("a", ["run-operation", "asks"])
"""


class Started:
    """Workers, what they told of invocations, and the runs that a test has begun."""

    def __init__(
        self, home: Path, python: str, *arguments: str, size: int = 2, **how: object
    ) -> None:
        self.told: dict[str, str] = {}
        self.database_is_gone = False
        self.began = threading.Condition()
        is_session = bool(how.pop("is_session", False))
        self.workers = Workers(
            home,
            arguments,
            size,
            is_session,
            self.note,
            python=python,
            **how,  # type: ignore[arg-type]
        )
        self.threads = ThreadPoolExecutor(8)

    def note(self, name: str, invocation: str) -> None:
        """What the workers call."""
        with self.began:
            self.told[name] = invocation
            self.began.notify_all()
        if self.database_is_gone:
            raise OSError("the database is gone")

    def begin(self, name: str, *words: str) -> Future[Answer]:
        """A run on a thread of its own, once dbt has begun it."""
        found = self.threads.submit(self.workers.run, name, words)
        with self.began:
            assert self.began.wait_for(lambda: name in self.told, 20), name
        return found

    def pid(self, *words: str) -> str:
        """Which process runs a command."""
        return self.workers.run("pid", words or ("ok",)).printed[0]


@pytest.fixture
def python(tmp_path: Path) -> str:
    """An interpreter that is the fake."""
    file = tmp_path / "python"
    file.write_text(f"#!{sys.executable} -S\n{FAKE}")
    file.chmod(0o755)
    return str(file)


@pytest.fixture
def start(tmp_path: Path, python: str) -> Iterator[Callable[..., Started]]:
    """Makes workers of the fake; none of their processes is left."""
    made: list[Started] = []

    def start(*arguments: str, **how: object) -> Started:
        made.append(Started(tmp_path / "home", str(how.pop("python", python)), *arguments, **how))  # type: ignore[arg-type]
        return made[-1]

    yield start
    for one in made:
        one.workers.stop(0)
        assert one.workers.children() == 0
        one.threads.shutdown()


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """What `wait` waits for."""
    os.mkfifo(tmp_path / "gate")
    return tmp_path / "gate"


def open_gate(gate: Path) -> None:
    """Lets one that waits go on."""
    gate.open("w").close()


def is_running(pid: int) -> bool:
    """Whether there is such a process. (A zombie is none.)"""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # it went between both calls
        return False


@contextmanager
def inherits() -> Iterator[None]:
    """This process adopts what its children leave, as the first one of a container does."""
    libc = ctypes.CDLL(None)
    assert libc.prctl(PR_SET_CHILD_SUBREAPER, 1) == 0
    yield
    libc.prctl(PR_SET_CHILD_SUBREAPER, 0)


def eventually(what: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


# --- one process


def test_a_command_is_answered(start: Callable[..., Started], tmp_path: Path) -> None:
    one = start("--target", "t", "--target-path", "mine")
    answer = one.workers.run("a", ["ok"])
    assert (answer.how, answer.results[0].name) == ("done", "a")
    assert answer.invocation == one.told["a"] == "invocation of ['ok']"
    home = tmp_path / "home"
    own = ["--target-path", str(home / "targets" / "1"), "--log-path", str(home / "logs" / "1")]
    assert list(answer.printed[1:]) == [
        "1", "-m", "dbt_mview.serve.worker", "--target", "t", "--target-path", "mine", *own
    ]  # fmt: skip


def test_a_process_is_used_again(start: Callable[..., Started]) -> None:
    one = start(max_commands=3)
    pids = [one.pid() for _ in range(7)]
    assert pids[0] == pids[1] == pids[2] != pids[3] == pids[5] != pids[6]


def test_a_process_is_replaced_after_an_error(start: Callable[..., Started]) -> None:
    one = start()
    first = one.pid()
    answer = one.workers.run("a", ["error"])
    assert answer.how == "error" and answer.problem.endswith("logs/worker-1.log")
    assert one.pid() != first


def test_a_process_is_replaced_that_has_grown(start: Callable[..., Started]) -> None:
    small, large = start(max_memory=1), start(max_memory=1 << 40)
    assert small.pid() != small.pid()
    assert large.pid() == large.pid()


def test_what_a_process_has_started_is_part_of_it(start: Callable[..., Started]) -> None:
    """As the JVM of a session target is. This process is no part of it, and larger."""
    kept = b"x" * (96 << 20)
    one = start(max_memory=64 << 20)
    first = one.pid()
    assert one.pid() == first and kept
    assert one.workers.run("a", ["grow"]).printed[0] == first
    assert one.pid() != first


def test_an_invocation_that_cannot_be_written_down_goes_on(
    start: Callable[..., Started], caplog: pytest.LogCaptureFixture
) -> None:
    one = start()
    one.database_is_gone = True
    assert one.workers.run("a", ["ok"]).how == "done"
    assert "the database is gone" in caplog.text


def test_what_is_none_of_the_protocol_is_passed_by(start: Callable[..., Started]) -> None:
    assert start("--babbles").workers.run("a", ["ok"]).how == "done"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--dies"], "worker 1 ended with 7 before dbt was imported; see "),
        (["--refuses"], "no dbt here; see "),
        (["--mute"], "worker 1 was killed by SIGKILL before dbt was imported; see "),
    ],
)
def test_one_that_does_not_start(
    arguments: list[str],
    text: str,
    start: Callable[..., Started],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "START_WITHIN", 0.2)
    answer = start(*arguments).workers.run("a", ["ok"])
    assert answer.how == "error" and answer.problem.startswith(text)


def test_no_interpreter(start: Callable[..., Started]) -> None:
    one = start(python="/nowhere/python")
    answer = one.workers.run("a", ["ok"])
    assert answer.how == "error" and "/nowhere/python" in answer.problem
    assert one.workers.children() == 0


@pytest.mark.parametrize(
    ("word", "text"), [("exit", "worker 1 ended with 3; see "), ("killed", "killed by SIGKILL")]
)
def test_one_that_dies(word: str, text: str, start: Callable[..., Started]) -> None:
    one = start()
    answer = one.workers.run("a", [word])
    assert answer.how == "died" and text in answer.problem and answer.invocation
    assert one.workers.run("b", ["ok"]).how == "done"


@pytest.mark.parametrize("is_first", [False, True])
def test_what_one_that_dies_leaves_behind_is_ended(
    is_first: bool,
    start: Callable[..., Started],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also by the first process of a container, whose child it becomes."""
    monkeypatch.setattr(process, "LINGER", 0.1)
    one = start()
    with inherits() if is_first else nullcontext():
        assert one.workers.run("a", ["fork-exit", str(tmp_path / "child")]).how == "died"
    child = int((tmp_path / "child").read_text())
    assert not is_running(child)
    assert not (is_first and Path(f"/proc/{child}").exists())


def test_one_that_was_killed_while_it_did_nothing_is_not_asked(
    start: Callable[..., Started],
) -> None:
    one = start()
    first = one.pid()
    os.kill(int(first), signal.SIGKILL)
    assert eventually(lambda: one.workers.children() == 0)
    assert one.pid() != first


def test_a_large_log_is_begun_anew(
    start: Callable[..., Started], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LOG_MOST", 3)
    logs = tmp_path / "home" / "logs"
    logs.mkdir(parents=True)
    (logs / "worker-1.log").write_text("many")
    assert start().workers.run("a", ["ok"]).how == "done"
    assert (logs / "worker-1.log.1").read_text() == "many"
    assert (logs / "worker-1.log").read_text() == ""


# --- several


def test_no_more_than_there_are_slots(start: Callable[..., Started], gate: Path) -> None:
    one = start(size=2)
    held = [one.begin(name, "wait", str(gate)) for name in "ab"]
    third = one.threads.submit(one.workers.run, "c", ["ok"])
    assert one.workers.operate("any", {"words": ["ok"]}), "an operation runs beside them"
    assert not third.done() and one.workers.children() == 3
    one.workers.resize(3)
    assert third.result(PATIENCE).how == "done"
    one.workers.resize(1)
    open_gate(gate)
    assert {future.result(PATIENCE).how for future in held} == {"done"}
    assert eventually(lambda: one.workers.children() == 2)
    assert one.pid() in {future.result().printed[0] for future in held}


def test_a_name_is_of_one_run(start: Callable[..., Started], gate: Path) -> None:
    one = start()
    held = one.begin("a", "wait", str(gate))
    with pytest.raises(ValueError, match="run 'a' has not ended"):
        one.workers.run("a", ["ok"])
    open_gate(gate)
    assert held.result(PATIENCE).how == "done"


# --- cancelled


def test_a_cancelled_process_is_not_used_again(start: Callable[..., Started]) -> None:
    one = start()
    first = one.pid()
    held = one.begin("a", "sleep")
    one.workers.cancel("a")
    answer = held.result(PATIENCE)
    assert answer.how == "died" and "ended with 130" in answer.problem
    assert not is_running(int(first))
    assert one.pid() != first


def test_one_that_ignores_it_is_killed_with_all_it_has_started(
    start: Callable[..., Started], tmp_path: Path
) -> None:
    one = start()
    held = one.begin("a", "fork-stubborn-sleep", str(tmp_path / "child"))
    assert eventually((tmp_path / "child-stubborn").exists)
    one.workers.cancel("a", grace=0.1)
    assert "SIGKILL" in held.result(PATIENCE).problem
    assert not is_running(int((tmp_path / "child").read_text()))


def test_one_that_ends_while_it_is_cancelled_is_not_used_again(
    start: Callable[..., Started], tmp_path: Path, gate: Path
) -> None:
    one = start()
    held = one.begin("a", "stubborn-wait", str(tmp_path / "a"), str(gate))
    assert eventually((tmp_path / "a-stubborn").exists)
    one.workers.cancel("a", grace=1)
    open_gate(gate)
    answer = held.result(PATIENCE)
    assert answer.how == "done"
    assert not is_running(int(answer.printed[0]))


def test_one_that_waits_is_cancelled(start: Callable[..., Started], gate: Path) -> None:
    one = start(size=1)
    held = one.begin("a", "wait", str(gate))
    waits = one.threads.submit(one.workers.run, "b", ["ok"])
    assert eventually(lambda: one.workers.waiting() == 1)
    one.workers.cancel("b")
    assert waits.result(PATIENCE).how == "died" and "b" not in one.told
    one.workers.cancel("b")
    one.workers.cancel("unknown")
    open_gate(gate)
    assert held.result(PATIENCE).how == "done"


def test_one_that_starts_is_cancelled(start: Callable[..., Started]) -> None:
    one = start("--mute")
    held = one.threads.submit(one.workers.run, "a", ["ok"])
    assert eventually(lambda: one.workers.children() == 1)
    one.workers.cancel("a", grace=0.1)
    assert held.result(PATIENCE).how == "died"


# --- operations


def test_an_operation_that_fails(start: Callable[..., Started]) -> None:
    one = start()
    with pytest.raises(
        OperationFailed, match=r"dbt run-operation mview_due failed: no; see .*0\.log"
    ):
        one.workers.operate("mview_due", {"words": ["error"]})
    assert one.told == {}, "it is no run"


def test_an_operation_that_takes_too_long_is_cancelled(start: Callable[..., Started]) -> None:
    one = start()
    with pytest.raises(TimeoutError, match="did not end within"):
        one.workers.operate("any", {"words": ["sleep"]}, timeout=0.5)
    assert one.workers.operate("any", {"words": ["ok"]})


def test_a_command_with_a_limit_is_killed_at_its_end(
    start: Callable[..., Started], tmp_path: Path, gate: Path
) -> None:
    """With all that it has started: it ignores what would interrupt it."""
    one = start(size=1)
    assert one.workers.run("warm", ["ok"]).how == "done"
    with pytest.raises(TimeoutError, match=r"^dbt fork-stubborn-sleep did not end within 2 s; see"):
        one.workers.run("a", ["fork-stubborn-sleep", str(tmp_path / "child")], within=2)
    assert (tmp_path / "child-stubborn").exists()
    assert not is_running(int((tmp_path / "child").read_text()))
    held = one.begin("b", "wait", str(gate))
    with pytest.raises(TimeoutError, match=r"^dbt ok has waited 0\.05 s for another command"):
        one.workers.run("c", ["ok"], within=0.05)
    open_gate(gate)
    assert held.result(PATIENCE).how == "done" == one.workers.run("c", ["ok"], within=PATIENCE).how


def test_a_session_has_one_process_for_all(start: Callable[..., Started], gate: Path) -> None:
    one = start(size=1, is_session=True)
    held = one.begin("a", "wait", str(gate))
    with pytest.raises(TimeoutError, match="has waited"):
        one.workers.operate("any", {"words": ["ok"]}, timeout=0.05)
    order: list[str] = []
    run = one.threads.submit(lambda: (one.workers.run("b", ["ok"]), order.append("run")))
    assert eventually(lambda: one.workers.waiting() == 1)
    operation = one.threads.submit(
        lambda: (one.workers.operate("any", {"words": ["ok"]}), order.append("operation"))
    )
    assert eventually(lambda: one.workers.waiting() == 2)
    open_gate(gate)
    run.result(PATIENCE), operation.result(PATIENCE)
    assert order == ["operation", "run"] and one.workers.children() == 1
    assert held.result().printed[0] == one.pid()


def test_a_session_with_two_processes_is_refused(start: Callable[..., Started]) -> None:
    with pytest.raises(ValueError, match="set workers=1"):
        start(size=2, is_session=True)
    one = start(size=1, is_session=True)
    with pytest.raises(ValueError, match="set workers=1"):
        one.workers.resize(2)


# --- ended


def test_all_are_replaced(start: Callable[..., Started], gate: Path) -> None:
    one = start(size=2)
    held = one.begin("a", "wait", str(gate))
    idle = one.pid()
    one.workers.replace()
    assert eventually(lambda: not is_running(int(idle)))
    assert one.pid() != idle
    open_gate(gate)
    busy = held.result(PATIENCE).printed[0]
    assert eventually(lambda: not is_running(int(busy)))


def test_one_that_does_nothing_is_ended(start: Callable[..., Started]) -> None:
    one = start(idle=0.1)
    first = one.pid()
    assert eventually(lambda: one.workers.children() == 0)
    assert one.pid() != first


def test_all_are_stopped(start: Callable[..., Started], tmp_path: Path) -> None:
    one = start(size=3)
    one.pid()
    one.begin("a", "sleep")
    stubborn = one.begin("b", "fork-stubborn-sleep", str(tmp_path / "child"))
    assert eventually((tmp_path / "child-stubborn").exists)
    waits = one.threads.submit(one.workers.run, "c", ["sleep"])
    one.workers.stop(0.2)
    assert one.workers.children() == 0
    assert not is_running(int((tmp_path / "child").read_text()))
    assert {stubborn.result(PATIENCE).how, waits.result(PATIENCE).how} == {"died"}
    assert one.workers.run("d", ["ok"]).how == "died"


def test_a_second_stop_may_be_shorter(start: Callable[..., Started], tmp_path: Path) -> None:
    one = start()
    held = one.begin("b", "stubborn-sleep", str(tmp_path / "b"))
    assert eventually((tmp_path / "b-stubborn").exists)
    first = one.threads.submit(one.workers.stop, 60)
    one.workers.stop(0)
    first.result(PATIENCE)
    assert held.result(PATIENCE).how == "died"


# --- dbt itself, without an engine

FILES = {
    "dbt_project.yml": """
name: tiny
profile: tiny
models: {+materialized: quiet}
on-run-start: "{{ 'select 1' if var('before', false) else '' }}"
on-run-end: "{{ 'select 1' if var('after', false) else '' }}"
""",
    # Nobody listens on port 1.
    "profiles.yml": """
tiny:
  target: deaf
  outputs:
    deaf: &deaf {type: spark, method: thrift, host: 127.0.0.1, port: 1, schema: s, threads: 2}
    silent: {<<: *deaf, port: "{{ env_var('TINY_PORT') | int }}"}
""",
    # It is no package of Python's, though commands are run where it is.
    "dbt.py": "raise AssertionError",
    "models/good.sql": "select 1 as a",
    "models/bad.sql": "{{ config(meta={'fails': true}) }} select 1 as a",
    "models/child.sql": "select * from {{ ref('bad') }}",
    "macros/all.sql": """
{% materialization quiet, default %}
    {% if config.get('meta', {}).get('fails') -%}
        {% do exceptions.raise_compiler_error("it fails\\nwith rows") %}
    {%- endif %}
    {% set due = env_var("DBT_MVIEW_DUE") %}
    {% do store_raw_result("main", message="SKIP " ~ due, code="SKIP", rows_affected=0) %}
    {{ return({"relations": []}) }}
{% endmaterialization %}
{% macro list_schemas(database) %} {{ return([[target.schema]]) }} {% endmacro %}
{% macro hello(name) %} {% do print("hello " ~ name) %} {% endmacro %}
{% macro asks() %} {% do run_query("select 1") %} {% endmacro %}
""",
}


class Tiny:
    """A project without an engine, and a server that takes connections and says nothing."""

    def __init__(self, place: Path) -> None:
        self.place = place
        for name, text in FILES.items():
            (place / "p" / name).parent.mkdir(parents=True, exist_ok=True)
            (place / "p" / name).write_text(text)
        self.arguments = ["--project-dir", str(place / "p"), "--profiles-dir", str(place / "p")]
        self.server = socket.create_server(("127.0.0.1", 0))
        os.environ["TINY_PORT"] = str(self.server.getsockname()[1])
        # Processes take seconds to import dbt: all that are needed begin at once.
        self.node = subprocess.Popen(
            [
                sys.executable,
                "-c",
                NODE,
                str(place / "node"),
                *self.arguments,
                "--target",
                "silent",
            ],
            cwd=place / "p",
        )
        self.one = Started(place / "home", sys.executable, *self.arguments)
        self.asks = self.one.threads.submit(
            self.one.workers.run, "asks", ["run-operation", "asks", "--target", "silent"]
        )
        self.first = self.one.threads.submit(
            self.one.workers.run, "first", ["run", "--no-populate-cache"], due={"v": 7}
        )

    def stop(self) -> None:
        """Leaves nothing."""
        self.node.kill()
        self.node.wait()
        self.one.workers.stop(0)
        self.one.threads.shutdown()
        self.server.close()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tiny]:
    """What the tests below share."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
        patch.setenv("TINY_PORT", "0")
        tiny = Tiny(tmp_path_factory.mktemp("tiny"))
        yield tiny
        tiny.stop()


def test_dbt_runs_models(tiny: Tiny) -> None:
    """Whatever single ones do; a process that was used once begins at once."""
    answer = tiny.first.result(120)
    assert (answer.how, answer.problem, answer.invocation) == ("done", "", tiny.one.told["first"])
    results = {result.name: result for result in answer.results}
    assert {name: result.status for name, result in results.items()} == {
        "good": "success", "bad": "error", "child": "skipped"
    }  # fmt: skip
    assert results["good"].skip and results["good"].relation == "s.good"
    assert results["good"].message == 'SKIP {"v": 7}', "for which plan it runs"
    assert results["bad"].message == "it fails"
    log = (tiny.place / "home" / "logs" / "worker-2.log").read_text()
    assert "with rows" in log, "all that dbt said"
    run = ["run", "--no-populate-cache", "--select", "good"]
    again = tiny.one.workers.run("again", run)
    assert [(result.name, result.message) for result in again.results] == [("good", "SKIP {}")]
    assert tiny.one.told["again"] == again.invocation != answer.invocation
    none = tiny.one.workers.run("none", [*run[:-1], "nothing"])
    assert (none.how, none.results) == ("done", ())
    after = tiny.one.workers.run("after", [*run, "--vars", "{after: true}"])
    assert after.how == "done" and len(after.results) == 1
    assert "on-run-end.0 failed" in after.problem, "what the hook was to do was not done"
    before = tiny.one.workers.run("before", [*run, "--vars", "{before: true}"])
    assert before.how == "error" and "on-run-start.0 failed" in before.problem


def test_dbt_runs_operations(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments arrive as they are: dbt reads YAML, which is not quite JSON."""
    monkeypatch.setenv("DBT_PRINT", "false")
    name = "a'b\"\\ \x7f\x85\u2028\ufeff \N{GRINNING FACE} {{ 1 }}"
    assert tiny.one.workers.operate("hello", {"name": name}) == [f"hello {name}"]
    with pytest.raises(OperationFailed, match=r"asks failed: .*Could not connect"):
        tiny.one.workers.operate("asks", {})


def test_dbt_is_cancelled(tiny: Tiny) -> None:
    """While it waits for an engine that does not answer; so is that of a node that was killed.

    The node ignores SIGINT, as one does that a shell has started in the background.
    """
    tiny.server.settimeout(120)
    held = [tiny.server.accept()[0] for _ in range(2)]
    tiny.one.workers.cancel("asks")
    answer = tiny.asks.result(PATIENCE)
    assert answer.how == "died" and "ended with 130" in answer.problem
    assert len(running(tiny.place / "node")) == 2, "the node and its worker"
    tiny.node.kill()
    tiny.node.wait()
    assert eventually(lambda: not running(tiny.place / "node"))
    for connection in held:
        connection.close()


def running(home: Path) -> list[str]:
    """The processes that a home is named to."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.fsencode(home) in (place / "cmdline").read_bytes():
                found.append(place.name)
    return found
