"""What an error of the engine means that says nothing to users."""

from __future__ import annotations

import pytest

from ..scenes import built, change_source


@pytest.mark.parametrize("known", [True, False])
def test_deletion_vectors_that_delta_cannot_read(known: bool) -> None:
    dbt = built()
    change_source(dbt)
    message = "java.io.UTFDataFormatException: too long" if known else "disk full"

    def fail(_: str) -> None:
        raise RuntimeError(message)

    dbt.engine.on["publish"] = fail
    assert dbt.run()[0].message == message
    assert any("delta-io/delta#5662" in text for text in dbt.warned) is known
