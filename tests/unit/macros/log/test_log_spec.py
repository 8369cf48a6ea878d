"""What a log is, from its model."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError, Model
from ...kit.log_scenes import BODY, LOG, log_model, unlogged


def spec(model: Model | None = None, **options: Any) -> Any:
    return unlogged(model or log_model(), **options)("_log_spec_from_model")


def test_spec() -> None:
    config = {"persist_docs": {"relation": True}, "tblproperties": {"a": True}}
    model = log_model(BODY + " ; -- end", location_root="/data/", **config)
    model.description = "About"
    found = spec(model, full_refresh=True)
    assert (found["mlog_id"], found["name"]) == (LOG, "`shop`.`orders_log`")
    assert (found["definition"], found["description"]) == (BODY, "About")
    assert found["full_refresh"] is True
    assert found["layout"]["location"] == "/data/orders_log"
    off = {"delta.enableChangeDataFeed": "false"}
    assert found["layout"]["tblproperties"] == {"a": "true", **off}
    assert spec()["description"] is None and spec()["full_refresh"] is False


def test_a_feed_of_the_log_itself() -> None:
    """A project may switch it on for all its tables; Delta would refuse the log's columns."""
    wanted = {"delta.enableChangeDataFeed": True}
    layout = spec(log_model(tblproperties=wanted))["layout"]
    assert layout["tblproperties"] == {"delta.enableChangeDataFeed": "false"}


@pytest.mark.parametrize(
    "config",
    [
        {"partition_by": "customer"},
        {"liquid_clustered_by": ["customer"]},
        {"contract": {"enforced": True}},
    ],
)
def test_a_layout_of_ones_own(config: dict[str, Any]) -> None:
    (name,) = config
    with pytest.raises(DbtError, match=f"{LOG}: a materialized view log takes no {name}. Leave"):
        spec(log_model(**config))


def test_a_contract_that_is_not_enforced() -> None:
    assert spec(log_model(contract={"enforced": False}))["mlog_id"] == LOG


@pytest.mark.parametrize(
    "body",
    [
        "select * from shop.orders",
        "SELECT id FROM shop.orders",
        "select a, `b c`, d.e from `x`.`y`",
        "select a -- why\n, b /* and */ from shop.orders as o",
        "select o.a, o.b from shop.orders o",
        "select\n    a,\n    b\nfrom spark_catalog.shop.orders\n",
    ],
)
def test_bodies(body: str) -> None:
    assert spec(log_model(body))["definition"] == body.strip()


@pytest.mark.parametrize(
    "body",
    [
        "select a + 1 from t",
        "select a as b from t",
        "select a b from t",
        "select 'a' from t",
        "select distinct a from t",
        "select a from t where a = 1",
        "select a from t, u",
        "select a from t join u using (a)",
        "select a from t order by a",
        "select a from t limit 1",
        "select a from t version as of 3",
        "select a from t tablesample (1 percent)",
        "select a from (select * from t)",
        "select f(a) from t",
        "select *, a from t",
        "select a, from t",
        "with t as (select 1 as a) select a from t",
        "from t select a",
        "select a from t union all select a from u",
        "select a",
        "",
    ],
)
def test_other_queries(body: str) -> None:
    rule = "a materialized view log is `select <columns> from <table>`, without expressions"
    with pytest.raises(DbtError, match=rule):
        spec(log_model(body))


def test_empty() -> None:
    """dbt itself puts a filter into the body."""
    body = "select a from (select * from shop.orders where false limit 0)"
    assert spec(log_model(body), empty=True)["definition"] == body


def test_job() -> None:
    dbt = unlogged()
    job = dbt("_log_job", {"mlog_id": LOG})
    assert (job["dry_run"], job["publish"], job["gap"]) == (False, "insert", None)
    assert len(job["id"]) == 32 and job["id"] != dbt("_log_job", {"mlog_id": "another"})["id"]
    other = Dbt(dbt.engine, log_model(), invocation_id="another")
    assert job["id"] != other("_log_job", {"mlog_id": LOG})["id"]


def test_a_job_finds_state() -> None:
    dbt = unlogged()
    dbt.engine.state_tables.clear()
    dbt("_log_job", {"mlog_id": LOG})
    assert "mlog_purge_info" in dbt.engine.state_tables


def test_contract_as_dbt_gives_it() -> None:
    dbt = unlogged()
    dbt.context["config"].values["contract"] = SimpleNamespace(enforced=False)
    assert dbt("_log_spec_from_model")["mlog_id"] == LOG
