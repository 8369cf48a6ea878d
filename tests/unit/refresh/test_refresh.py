"""The steps of a refresh, in the order of the protocol."""

from __future__ import annotations

import re

from ..kit.harness import MACROS
from ..kit.scenes import built, change_source

PROTOCOL = "refuse acquire recover pin plan stage audit alter publish sweep record".split()


def test_the_file_reads_as_the_protocol() -> None:
    text = (MACROS / "refresh" / "refresh.sql").read_text()
    first, second = text[text.index("macro _refresh(") :].split("endmacro")[:2]
    body = first.replace("{%- do dbt_mview._finish(spec, job) -%}", second)
    steps = re.findall(r"dbt_mview\._(\w+)\(spec, job\)", body)
    assert [step for step in steps if step not in ("record_skip", "persist_docs")] == PROTOCOL


def test_every_step_has_a_file_of_its_name() -> None:
    for step in ["look", *PROTOCOL]:
        assert f"macro _{step}(" in (MACROS / "refresh" / f"{step}.sql").read_text(), step


def test_a_dry_run_prints_what_a_run_executes() -> None:
    """The same statements from the same code, up to what only a run can know."""
    dry, real = built(), built()
    for dbt in (dry, real):
        change_source(dbt)
    printed = dry.operation("mview_refresh", view="totals", dry_run=True)
    real.operation("mview_refresh", view="totals")
    executed = [one.sql + ";" for one in real.engine.writes]
    assert dry.engine.writes == []
    assert len(printed) == len(executed) == 4
    assert printed[:2] == executed[:2]
    unknown = r"cast\((?:null|\d+) as \w+\)|timestamp_micros\(\d+\)"
    for line, statement in zip(printed[2:], executed[2:], strict=True):
        assert re.sub(unknown, "?", line) == re.sub(unknown, "?", statement)
