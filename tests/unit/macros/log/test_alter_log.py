"""Table properties of a log that the model changed."""

from __future__ import annotations

from ...kit.log_scenes import LOG, change, later, log_model, started, told, writes


def test_what_differs_is_set() -> None:
    dbt = started(
        log_model(tblproperties={"team": "it's", "dbt_mview.kind": "materialized_view_log"})
    )
    dbt.engine.tables[LOG].properties["dbt_mview.kind"] = "materialized_view_log"
    assert told(dbt) == "SKIP nothing changed since v2"
    assert writes(dbt) == ["alter_log", "grants"]
    assert dbt.engine.sql("alter_log").endswith("set tblproperties ('team' = 'it\\'s')")
    assert dbt.engine.tables[LOG].properties["team"] == "it's"


def test_once() -> None:
    dbt = started(log_model(tblproperties={"team": "a"}))
    told(dbt)
    change(dbt)
    dbt = later(dbt)
    assert told(dbt).startswith("CAPTURE")
    assert "alter_log" not in writes(dbt)


def test_a_log_that_begins_has_them() -> None:
    dbt = started(log_model(tblproperties={"team": "a"}), full_refresh=True)
    assert told(dbt).startswith("START")
    assert "alter_log" not in writes(dbt)
    assert dbt.engine.tables[LOG].properties["team"] == "a"


def test_a_log_of_before_has_no_feed_either() -> None:
    """Nothing is sent to say so."""
    dbt = started()
    dbt.engine.tables[LOG].properties.pop("delta.enableChangeDataFeed")
    assert told(dbt).startswith("SKIP") and "alter_log" not in writes(dbt)
    dbt.engine.tables[LOG].properties["delta.enableChangeDataFeed"] = "true"
    dbt = later(dbt)
    told(dbt)
    assert "'delta.enableChangeDataFeed' = 'false'" in dbt.engine.sql("alter_log")
