"""How much memory is in use: of the container, where it has a limit, else of the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dbt_mview.serve import memory
from dbt_mview.serve import messages as m

MACHINE = "MemTotal:  1000 kB\nMemFree:  10 kB\nMemAvailable:  750 kB\nSwapTotal:  0 kB\n"
STAT = "anon 500\nfile 300\nactive_file 100\ninactive_file 150\nslab_reclaimable 50\nslab 70\n"


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of which a quarter is in use; nothing is known of a container."""
    (tmp_path / "meminfo").write_text(MACHINE)
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "CGROUP", tmp_path)


def container(place: Path, most: str, used: str = "900\n", stat: str = STAT) -> None:
    """Files of cgroup v2."""
    (place / "memory.max").write_text(f"{most}\n")
    (place / "memory.current").write_text(used)
    (place / "memory.stat").write_text(stat)


def test_of_a_machine_what_is_available_counts_as_free() -> None:
    assert memory.memory_used() == 25


@pytest.mark.parametrize("text", ["", "MemTotal:  1000 kB\n"])
def test_a_system_that_does_not_say(tmp_path: Path, text: str) -> None:
    (tmp_path / "meminfo").write_text(text)
    assert memory.memory_used() is None
    (tmp_path / "meminfo").unlink()
    assert memory.memory_used() is None


def test_of_a_container_its_limit_counts(tmp_path: Path) -> None:
    """And no cached file: what reads much would never start again."""
    container(tmp_path, "1000")
    assert memory.memory_used() == 60
    container(tmp_path, "1000", stat="anon 900\n")
    assert memory.memory_used() == 90
    container(tmp_path, "1000", used="200\n")
    assert memory.memory_used() == 0, "they are not read in one moment"
    (tmp_path / "meminfo").unlink()
    assert memory.memory_used() == 0


@pytest.mark.parametrize("missing", ["memory.max", "memory.current", "memory.stat"])
def test_a_container_that_does_not_say_is_a_machine(tmp_path: Path, missing: str) -> None:
    container(tmp_path, "1000")
    (tmp_path / missing).unlink()
    assert memory.memory_used() == 25


@pytest.mark.parametrize("most", ["max", "0"])
def test_a_container_without_a_limit_is_a_machine(tmp_path: Path, most: str) -> None:
    container(tmp_path, most)
    assert memory.memory_used() == 25


def test_the_core_is_told_once_of_each_change(tmp_path: Path) -> None:
    class FakeLoop:
        """Keeps what it is told."""

        def __init__(self) -> None:
            self.told: list[Any] = []

        def say(self, event: str, **fields: Any) -> None:
            self.told.append((event, fields["percent"]))

        def tell(self, event: m.Event) -> None:
            self.told.append(event)

    loop: Any = FakeLoop()
    watched = memory.Memory(loop, 60)
    container(tmp_path, "1000")
    watched.look()
    assert not loop.told, "not above it"
    container(tmp_path, "900")
    watched.look()
    watched.look()
    assert loop.told == [("memory", 66), m.Memory(True)] and watched.is_high
    container(tmp_path, "1000")
    watched.look()
    assert loop.told[2:] == [("memory", 60), m.Memory(False)] and not watched.is_high
