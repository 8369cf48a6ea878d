"""A query means something else in another time zone."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.scenes import VIEW, again, built


def in_zone(zone: str, dbt: Dbt | None = None) -> Dbt:
    dbt = dbt or Dbt()
    dbt.engine.zone = zone
    return dbt


@pytest.mark.parametrize(
    ("zone", "name"),
    [("UTC", "UTC"), ("Etc/UTC", "UTC"), ("GMT", "UTC"), ("Europe/Berlin", "Europe/Berlin")],
)
def test_the_names_of_utc_are_one(zone: str, name: str) -> None:
    assert in_zone(zone)("_time_zone") == name


@pytest.mark.parametrize(
    ("spec", "zone", "change"),
    [
        (None, "UTC", None),
        ({}, "UTC", None),
        ({"time_zone": "UTC"}, "Etc/UTC", None),
        ({"time_zone": "UTC"}, "Europe/Berlin", "UTC -> Europe/Berlin"),
    ],
)
def test_change(spec: Any, zone: str, change: str | None) -> None:
    assert in_zone(zone)("_zone_change", {"spec": spec}) == change


def test_it_is_computed_anew_and_once() -> None:
    dbt = in_zone("Europe/Berlin", built())
    assert dbt.engine.states[VIEW]["spec"]["time_zone"] == "UTC"
    (result,) = dbt.run()
    assert result.message == "COMPLETE v1, 3 rows: TIME_ZONE_CHANGED: UTC -> Europe/Berlin"
    assert again(dbt).run()[0].message.startswith("SKIP")


def test_it_cannot_be_verified() -> None:
    dbt = in_zone("Europe/Berlin", built())
    printed = dbt.operation("mview_verify")
    assert "not verifiable: time zone UTC -> Europe/Berlin" in "\n".join(printed)
    assert "read_verify" not in dbt.engine.steps
