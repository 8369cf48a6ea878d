"""Views that were made with other settings than the session has."""

from __future__ import annotations

import pytest

from ...kit.engine import Engine, View
from ...kit.harness import Dbt

V = "spark_catalog.db.v"


@pytest.mark.parametrize(
    ("made", "ansi", "setting"),
    [
        ({}, False, None),
        ({"ansi.enabled": "false", "session.timeZone": "UTC"}, False, None),
        ({"ansi.enabled": "TRUE"}, True, None),
        ({"ansi.enabled": "true"}, False, "spark.sql.ansi.enabled = true"),
        ({"ansi.enabled": "false"}, True, "spark.sql.ansi.enabled = false"),
        ({"session.timeZone": "Etc/UTC"}, False, None),
        (
            {"session.timeZone": "Europe/Berlin"},
            False,
            "spark.sql.session.timeZone = Europe/Berlin",
        ),
    ],
)
def test_made_with_another(made: dict[str, str], ansi: bool, setting: str | None) -> None:
    engine = Engine()
    engine.ansi = ansi
    engine.tables[V] = View("select 1 as id", [("id", "int")], made=made)
    engine.plan = "== Analyzed Logical Plan ==\nid: int\nProject [(a#1 + 1) AS id#2]\n"
    assert Dbt(engine)("_made_with_another", V) == setting
