"""The steps of a refresh, in the order of the protocol."""

from __future__ import annotations

import re

from ..kit.scenes import built, change_source
from ..kit.templates import MACRO, files_of_macros

PROTOCOL = (
    "_plan_before_lock _acquire _recover _pin _plan _stage _audit _alter _publish _sweep _record"
).split()

BETWEEN = ("_record_skip", "_known_comment", "_renew_lease")


def test_the_file_reads_as_the_protocol() -> None:
    text = files_of_macros()["_refresh"].read_text()
    first, second = text[text.index("macro _refresh(") :].split("endmacro")[:2]
    body = first.replace("{%- do dbt_mview._finish(spec, job) -%}", second)
    steps = re.findall(r"dbt_mview\.(\w+)\(spec, job\)", body)
    assert [step for step in steps if step not in BETWEEN] == PROTOCOL


def test_every_step_is_the_first_in_its_file() -> None:
    for step in ["_look", *PROTOCOL]:
        assert MACRO.findall(files_of_macros()[step].read_text())[0][1] == step


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
