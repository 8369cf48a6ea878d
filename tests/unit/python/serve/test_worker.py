"""What the process that runs dbt makes of what dbt says, without dbt."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace as Thing
from typing import Any

import pytest

from dbt_mview.serve import worker

pytestmark = pytest.mark.unit


def hook(status: str, when: str, message: str | None = None) -> Thing:
    """The result of a hook."""
    node = Thing(resource_type="operation", tags=[when])
    return Thing(node=node, status=status, message=message)


def model(status: str, message: str = "", **response: str) -> Thing:
    """The result of a model."""
    node = Thing(
        resource_type="model", unique_id="model.p.a", name="a", relation_name="`s`.`a`", tags=[]
    )
    return Thing(
        node=node, status=status, message=message, execution_time=1.5, adapter_response=response
    )


def ended(*rows: Any, success: bool = False, exception: BaseException | None = None) -> Thing:
    """What dbtRunner returns."""
    return Thing(success=success, exception=exception, result=Thing(results=list(rows)))


@pytest.mark.parametrize(
    ("result", "how", "problem"),
    [
        (ended(model("success"), success=True), "done", ""),
        (ended(success=True), "done", ""),
        (ended(model("error", "no"), model("skipped")), "done", ""),
        (ended(hook("success", "on-run-start"), model("error")), "done", ""),
        (ended(hook("error", "on-run-start", "down"), model("success")), "error", "down"),
        (ended(hook("error", "on-run-start", "down"), hook("skipped", "x")), "error", "down"),
        (ended(model("success"), hook("error", "on-run-end", "late")), "done", "late"),
        (ended(hook("error", "on-run-end", "late")), "error", "late"),
        (ended(exception=ValueError("gone\nrow 1")), "error", "gone"),
        (ended(exception=ValueError()), "error", "ValueError"),
        (ended(Thing(status="error", message=None)), "error", "caught"),
    ],
)
def test_how_a_command_ended(result: Thing, how: str, problem: str) -> None:
    outcome = worker.outcome(result, "caught")
    assert (outcome["how"], outcome["problem"]) == (how, problem)


def test_a_command_that_says_nothing_but_that_it_failed() -> None:
    outcome = worker.outcome(Thing(success=False, exception=None, result=False))
    assert outcome["how"] == "error" and outcome["problem"]


def test_a_result_is_told_without_more_than_its_first_line() -> None:
    error = "Database Error in model a (models/a.sql)\n  no such table\n  id  name\n  1   Ann"
    failed, skipped, left = worker.outcome(
        ended(
            model("error", error),
            model("success", "SKIP nothing changed", code="SKIP"),
            model("success", "SKIP another run has it", code="LEFT"),
        )
    )["results"]
    assert failed == {
        "unique_id": "model.p.a",
        "name": "a",
        "relation": "`s`.`a`",
        "status": "error",
        "seconds": 1.5,
        "message": "no such table",
        "skip": False,
        "left": False,
    }
    assert skipped["skip"] and not skipped["left"]
    assert left["left"] and not left["skip"]


def test_an_interrupt_is_no_error() -> None:
    with pytest.raises(KeyboardInterrupt):
        worker.outcome(ended(exception=KeyboardInterrupt()))


def test_the_error_of_a_run_says_where_and_not_too_much() -> None:
    error = RuntimeError("Compilation Error in model a (models/a.sql)\n  " + "no " * 200)
    problem = worker.outcome(Thing(success=False, exception=error, result=None))["problem"]
    assert problem.startswith("Compilation Error in model a (models/a.sql): no no")
    assert len(problem) == worker.MOST


@pytest.mark.parametrize("found", ["2.0.1", None])
def test_only_dbt_1_is_used(found: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(_: str) -> str:
        if found is None:
            raise PackageNotFoundError
        return found

    monkeypatch.setattr(worker, "version", version)
    with pytest.raises(ImportError, match="the service needs dbt-core"):
        worker.import_dbt()


def test_dbt_is_held_until_its_invocation_is_written_down() -> None:
    happened: list[Any] = []

    class Runner:
        """dbt, which tells events."""

        def __init__(self, callbacks: list[Any]) -> None:
            self.tell = callbacks[0]

        def invoke(self, words: list[str]) -> Thing:
            for name, text in [("MainReportVersion", ""), ("PrintEvent", "hi"), ("Other", "")]:
                self.tell(Thing(info=Thing(name=name, msg=text, invocation_id="i")))
            happened.append(words)
            return ended(success=True)

    channel = Thing(
        send=lambda **message: happened.append(message),
        go=Thing(wait=lambda seconds: happened.append(seconds)),
    )
    said = worker.Command(channel).run(Runner, ["run"])  # type: ignore[arg-type]
    assert said == {"how": "done", "problem": "", "results": [], "printed": ["hi"]}
    assert happened == [{"invocation": "i"}, worker.GO_WITHIN, ["run"]]
