"""What the next batch deletes."""

from __future__ import annotations

from ...kit.log_scenes import a_log, a_purge, logged


def test_next() -> None:
    dbt = logged(1)
    safe = {"version": 5}
    first = dbt("_next_batch", a_log(dbt), a_purge(safe=safe, batch_size=2))
    assert first == {"upto": 4, "files": 2, "rows": 5}
    rest = dbt("_next_batch", a_log(dbt), a_purge(safe=safe, upto=4, batch_size=2))
    assert rest == {"upto": 5, "files": 1, "rows": 1}
    none = dbt("_next_batch", a_log(dbt), a_purge(safe=safe, upto=5))
    assert none == {"upto": None, "files": 0, "rows": 0}


def test_a_log_of_few_files_goes_in_one_and_is_not_counted() -> None:
    """Unless it is a dry run, which tells the rows."""
    dbt = logged(1)
    log_, job = a_log(dbt), a_purge(batches=0, safe={"version": 5}, batch_size=4)
    dbt.engine.forget()
    assert dbt("_next_batch", log_, job) == {"upto": 5, "files": 3, "rows": None}
    assert dbt.engine.steps == ["read_describe_detail"]
    assert dbt("_next_batch", log_, {**job, "batch_size": 3})["rows"] == 6
    assert dbt("_next_batch", log_, {**job, "dry_run": True})["rows"] == 6
