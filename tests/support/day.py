"""A day that a test chooses, in place of the clock's: a copied package asks the environment."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.macros import Change

VARIABLE = "DBT_MVIEW_TEST_DAY"
CLOCK = "{%- set clock = dbt_mview._clock() -%}"
DAY = f'{{%- set day = env_var("{VARIABLE}") -%}}'
CHANGES = (
    Change("_today", CLOCK, DAY + "{{ return(day) }}"),
    Change("_moment_of_run", CLOCK, DAY + '{{ return(day ~ " 12:00:00.000000Z") }}'),
)


def choose_days(macros: Path) -> None:
    """Has a copy of the package take the day that `set_day` says, at noon in UTC."""
    for change in CHANGES:
        change.apply(macros)


def set_day(day: str) -> None:
    """The day (2024-02-29) of what dbt does from now on, in this process."""
    os.environ[VARIABLE] = day


def as_of(sql: str, day: str) -> str:
    """A query as a refresh of this day reads it: its times as literals."""
    sql = sql.replace("current_date()", f"date'{day}'")
    return sql.replace("current_timestamp()", f"timestamp'{day} 12:00:00Z'")
