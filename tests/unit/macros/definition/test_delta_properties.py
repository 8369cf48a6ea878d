"""What a table's properties say."""

from __future__ import annotations

from ...kit.engine import FEED, Foreign, delta
from ...kit.harness import Dbt

NAME = "spark_catalog.shop.orders"
QUOTED = "`spark_catalog`.`shop`.`orders`"


def test_of_a_delta_table() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].properties = dict(FEED)
    assert FEED.items() <= dbt("_delta_properties", QUOTED).items()
    assert dbt.engine.steps == ["read_properties"]


def test_another_table_has_none() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = Foreign()
    assert dbt("_delta_properties", QUOTED) is None


def test_what_spark_hides_is_asked_of_delta() -> None:
    """SHOW TBLPROPERTIES hides whatever has `url` or `token` in its name or its value."""
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].properties = {"a": "1", "dbt_mview.mlog": '{"base": "x.curly"}'}
    dbt.engine.redacts = "(?i)url|token"
    assert dbt("_delta_properties", QUOTED)["dbt_mview.mlog"].endswith("(redacted)")
    dbt.engine.forget()
    found = dbt("_unhidden_properties", QUOTED)
    assert found["dbt_mview.mlog"] == '{"base": "x.curly"}'
    assert dbt.engine.steps == ["read_properties", "read_describe_detail"]
    dbt.engine.redacts = None
    dbt.engine.forget()
    assert dbt("_unhidden_properties", QUOTED)["a"] == "1"
    assert dbt.engine.steps == ["read_properties"]
