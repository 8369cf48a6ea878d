"""The scenes that protocol tests play in: one view, its source, and what happened before."""

from __future__ import annotations

import copy
import re
from typing import Any

from tests.support.golden import Transcript

from .engine import FEED, Delta, Engine, delta, micros
from .harness import Dbt, Model
from .state_sql import RETRIED

VIEW = "spark_catalog.shop.totals"
SOURCE = "spark_catalog.shop.orders"
FIRST = "0a1b2c3d-0000-4000-8000-000000000001"
SECOND = "0a1b2c3d-0000-4000-8000-000000000002"
_BUILT: dict[str, Engine] = {}
OTHER = "0a1b2c3d-0000-4000-8000-00000000000f"

# A value that does not fit is an error, in any mode of the session.
FITTED = (
    "coalesce(try_cast(`{0}` as {1}), if(`{0}` is null, null, raise_error('dbt_mview: a value of"
    " {0} does not fit into {1}, as which on_schema_change keeps it. Set that to"
    " \\'sync_all_columns\\'.')))"
)


def world() -> Engine:
    """State tables, one Delta source with three versions, and no view yet."""
    engine = Engine()
    engine.built_state()
    engine.tables[SOURCE] = delta(10, 20, 30, columns="customer string, amount bigint", id="t-1")
    engine.reads(SOURCE)
    return engine


def new(model: Model | None = None, **options: Any) -> Dbt:
    """A project whose view was never built."""
    return Dbt(world(), model or Model(), **options)


def outcomes(dbt: Dbt) -> dict[str, dict[str, Any]]:
    """What the views of this invocation left for on-run-end, by mview_id."""
    noted = dbt("_memory")["outcomes"].values()
    return {outcome["mview_id"]: outcome for outcome in noted}


def built(before: Model | None = None, model: Model | None = None, **options: Any) -> Dbt:
    """The next invocation after a first build. model: where it is not the one of the build."""
    before = before or Model()
    if repr(before) not in _BUILT:
        dbt = new(before)
        results = dbt.run()
        assert [result.status for result in results] == ["success"], results
        _BUILT[repr(before)] = dbt.engine
    engine = copy.deepcopy(_BUILT[repr(before)])
    engine.forget()
    return Dbt(engine, model or before, **{"invocation_id": SECOND, **options})


def again(dbt: Dbt, *models: Model, **options: Any) -> Dbt:
    """The next invocation on the same engine."""
    dbt.engine.forget()
    dbt.engine.on.clear()
    return Dbt(dbt.engine, *(models or dbt.models), **{"invocation_id": SECOND, **options})


def with_feed(dbt: Dbt) -> Dbt:
    """The source keeps what changes in it."""
    dbt.engine.tables[SOURCE].properties.update(FEED)
    return dbt


def of_rows(dbt: Dbt) -> Dbt:
    """As if the query took the rows of its source one by one."""
    dbt.engine.explains(
        "customer: string, total: bigint",
        "Project [customer#1, total#2L]\n+- Filter false\n"
        "   +- Relation spark_catalog.shop.orders[customer#1,total#2L] parquet",
    )
    return dbt


def change_source(dbt: Dbt, minute: float = 40) -> None:
    """One more commit on the source."""
    table = dbt.engine.tables[SOURCE]
    assert isinstance(table, Delta)
    table.commit(minute, "WRITE", 10, parameters={"mode": "Append"})


def changed(**config: Any) -> Dbt:
    """A view of groups with this config whose source changed, and says how."""
    dbt = with_feed(built(Model(config=config)))
    change_source(dbt)
    return dbt


def small(dbt: Dbt) -> Dbt:
    """The view is small: FAST need not stage what changed."""
    dbt.engine.tables[VIEW].bytes = 1000
    return dbt


def lock(dbt: Dbt, **values: Any) -> dict[str, Any]:
    """A lock that another run holds; its lease runs unless values say otherwise."""
    spec = dbt.engine.states.get(VIEW, {}).get("spec")
    held = {
        "lock_owner": OTHER,
        "lock_token": 5,
        "lock_time": micros(700),
        "lease_until": micros(760),
        "last_refresh_result": "running",
        "refresh_job_id": "job-of-the-other",
        "intent": {"definition": "select 1", "spec": spec},
    }
    return dbt.engine.state(VIEW, **{**held, **values})


def transcript(dbt: Dbt, title: str) -> Transcript:
    """All statements of an invocation in order, and what it told people."""
    told = [*dbt.messages.values(), *dbt.warned, *dbt.logged]
    lines = [line for text in told for line in text.splitlines()]
    sent = [(one.step, _folded(dbt, one.sql).rstrip("\n")) for one in dbt.engine.log]
    return Transcript(title, lines, sent)


def shown(dbt: Dbt, title: str, printed: list[str]) -> Transcript:
    """The statements that a dry run prints."""
    sent = []
    for text in printed:
        found = re.match(r"/\* dbt_mview step=(\w+)", text)
        assert found and text.endswith(";"), text
        sent.append((found[1], _folded(dbt, text.removesuffix(";"))))
    return Transcript(title, [], sent)


def _folded(dbt: Dbt, sql: str) -> str:
    """A script that repeats its statement on conflicts, as that statement alone."""
    header, _, body = sql.partition("\n")
    found = RETRIED.search(body)
    if found and dbt("_retry_on_conflict_sql", found.group(1)).strip() == body.strip():
        return f"{header}\n-- retried on conflicts:\n{found.group(1)}"
    return sql


# A view over the view, which only the graph knows: no run builds it.
FOLLOWER = Model("over", parents=["model.shop.totals"], materialized="materialized_view")
GROUPED = {"refresh_group": "sales"}
MEMBERS = (Model("totals", config=GROUPED), Model("sums", config=GROUPED))
MEMBER_IDS = (VIEW, "spark_catalog.shop.sums")


def group(*models: Model, **options: Any) -> Dbt:
    """The next invocation after the first build of a refresh group; its source has changed."""
    engine = world()
    assert {result.status for result in Dbt(engine, *(models or MEMBERS)).run()} == {"success"}
    engine.forget()
    dbt = Dbt(engine, *(models or MEMBERS), **{"invocation_id": SECOND, **options})
    change_source(dbt)
    return dbt


def refreshes(dbt: Dbt, mview_id: str) -> int:
    """How many refreshes the view's table holds."""
    return len([commit for commit in dbt.engine.tables[mview_id].commits if commit.ours])
