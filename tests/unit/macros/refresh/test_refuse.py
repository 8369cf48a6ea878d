"""Step refuse: what cannot be FAST is refused before the lock is taken."""

from __future__ import annotations

from ..harness import Model
from ..scenes import built, change_source, with_feed

STRICT = Model(config={"refresh": "fast"})


def test_refused_without_a_lock() -> None:
    dbt = built(STRICT)
    change_source(dbt)
    locks = dbt.engine.steps.count("acquire")
    (result,) = dbt.run()
    assert "refresh is 'fast' and this refresh cannot be: CHANGE_DATA_UNAVAILABLE" in result.message
    assert dbt.engine.steps.count("acquire") == locks


def test_what_can_be_fast_says_its_reason_once() -> None:
    dbt = with_feed(built(STRICT))
    change_source(dbt)
    (result,) = dbt.run()
    assert result.message == "FAST v1, 6 rows: shop.orders v2 -> v3 (aggregate, 10 changed rows)"


def test_others_are_not_asked() -> None:
    dbt = built()
    change_source(dbt)
    (result,) = dbt.run()
    assert result.message.startswith("COMPLETE")
