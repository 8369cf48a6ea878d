"""docs/model: the protocol as a state machine, and what each of its guards is for."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "docs" / "model" / "protocol.py"


def load() -> Any:
    """The model as a module."""
    spec = importlib.util.spec_from_file_location("protocol_model", FILE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


MODEL = load()


SHOWN = ("no guard", "no token", "failed without looking")


@pytest.mark.long
@pytest.mark.parametrize("changes", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_all_invariants_hold_whatever_happens(changes: int) -> None:
    """The source has changed before; in make nightly it also changes meanwhile."""
    states, wrong = MODEL.explore(changes=changes)
    assert not wrong, wrong
    assert states > 100_000 * changes, "the search went everywhere"


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=() if fault in SHOWN else pytest.mark.nightly)
        for fault in MODEL.FAULTS
    ],
)
def test_a_guard_that_is_missing_is_noticed(fault: str) -> None:
    _, wrong = MODEL.explore(fault)
    assert wrong.count("\n") > 2, "with the way there"


def test_a_fault_changes_something() -> None:
    text = FILE.read_text()
    for fault in MODEL.FAULTS:
        assert len(re.findall(f'"{fault}"', text)) >= 2, fault


def test_steps_have_the_names_of_the_protocol() -> None:
    documented = (ROOT / "docs" / "protocol.md").read_text()
    for step in ("look", "acquire", "recover", "pin", "stage", "publish", "sweep", "record"):
        assert hasattr(MODEL.Protocol, step)
        assert f"| {step} |" in documented
