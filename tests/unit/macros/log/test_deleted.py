"""What a batch deleted, by its own commit."""

from __future__ import annotations

from ...kit.log_scenes import LOG, a_log, a_purge, log_engine, logged


def test_of_this_batch_alone() -> None:
    dbt = logged(1)
    job = a_purge(batches=0)
    engine = log_engine(dbt)
    engine._delete(LOG, 3, dbt("_batch_mark", job))
    engine._delete(LOG, 4, "another-0")
    assert dbt("_deleted", a_log(dbt), job) == {"rows": 4, "files": 1}
    assert dbt("_deleted", a_log(dbt), a_purge(batches=1)) == {"rows": 0, "files": 0}


def test_marks_differ() -> None:
    dbt = logged(1)
    marks = {dbt("_batch_mark", a_purge(batches=number)) for number in range(3)}
    assert len(marks) == 3
