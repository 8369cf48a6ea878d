"""What a log is, from its model; its base, its properties, its views."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ..kit.engine import FEED, Foreign, View
from ..kit.harness import Dbt, DbtError, Model
from ..kit.log_scenes import (
    BODY,
    LOG,
    base,
    change,
    later,
    log_model,
    run_log,
    started,
    told,
    unlogged,
    writes,
)
from ..kit.records import as_capture
from ..kit.scenes import SOURCE

# What a log is, from its model.


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
    assert (job["dry_run"], job["gap"], job["unique_id"]) == (False, None, "model.shop.orders_log")
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


# Which table is logged.


def look(dbt: Dbt) -> tuple[dict[str, Any], dict[str, Any]]:
    spec = dbt("_log_spec_from_model")
    job: dict[str, Any] = {}
    dbt("_inspect_base", spec, job)
    return spec, job


def test_base() -> None:
    dbt = unlogged()
    spec, job = look(dbt)
    assert spec["base"] == SOURCE and job["base"] == "`spark_catalog`.`shop`.`orders`"
    assert [column["name"] for column in job["columns"]] == ["customer", "amount"]
    assert job["feed_is_on"] is True
    assert job["now"]["relation"] == SOURCE and job["now"]["version"] == 2
    looks = ["read_explain", "read_properties", "read_describe_history", "read_describe_query"]
    assert dbt.engine.steps == looks


@pytest.mark.parametrize(
    ("value", "on"), [("true", True), ("True", True), ("false", False), (None, False)]
)
def test_feed(value: str | None, on: bool) -> None:
    dbt = unlogged()
    base(dbt).properties = {} if value is None else dict.fromkeys(FEED, value)
    assert look(dbt)[1]["feed_is_on"] is on


def refused(dbt: Dbt, message: str) -> None:
    with pytest.raises(DbtError, match=message):
        look(dbt)


def test_what_is_no_table() -> None:
    dbt = unlogged()
    stg = "spark_catalog.shop.stg"
    dbt.engine.tables[stg] = View("select 1", [])
    dbt.engine.reads(SOURCE, views=(stg,))
    refused(dbt, "is one Delta table, not spark_catalog.shop.stg. Log the tables that the views")
    dbt.engine.reads("spark_catalog.shop.a", "spark_catalog.shop.b")
    refused(dbt, "is one Delta table, not spark_catalog.shop.a, spark_catalog.shop.b")
    dbt.engine.explains("a: int", "Project [a#1]\n+- Filter false\n   +- Relation [a#1] parquet")
    refused(dbt, "is one Delta table, not a file read by its path")


def test_another_format() -> None:
    dbt = unlogged()
    dbt.engine.tables[SOURCE] = Foreign()
    refused(dbt, "spark_catalog.shop.orders is no Delta table, but parquet. Only Delta tables")


@pytest.mark.parametrize("name", ["_change_type", "_Commit_Version", "_commit_timestamp"])
def test_a_column_named_as_one_of_the_logs_own(name: str) -> None:
    dbt = unlogged()
    dbt.engine.described[BODY] = [("a", "int"), (name, "int")]
    refused(dbt, f"the base has a column {name}, which Delta's change data feed needs")


def test_change_columns() -> None:
    columns = ["_change_type", "_commit_version", "_commit_timestamp"]
    assert unlogged()("_change_columns") == columns


# The change data feed of the base.


def switch(dbt: Dbt, on: bool) -> dict[str, Any]:
    spec = {"base": SOURCE, "mlog_id": "c.s.log"}
    job = as_capture({"id": "j", "base": "`shop`.`orders`", "feed_is_on": on})
    dbt("_switch_feed_on", spec, job)
    return job


def test_off() -> None:
    dbt = unlogged(feed=False)
    job = switch(dbt, on=False)
    assert base(dbt).properties == FEED
    assert job["now"]["version"] == 3, "the version from which changes are kept"
    assert "alter table `shop`.`orders` set" in dbt.engine.sql("switch_feed_on")
    assert dbt.logged == [
        "dbt_mview: switched the change data feed of spark_catalog.shop.orders on, for the"
        " materialized view log c.s.log"
    ]


def test_on() -> None:
    dbt = unlogged()
    assert switch(dbt, on=True)["now"] is None, "nothing came since the log was looked at"
    assert dbt.engine.steps == []
    assert dbt.engine.writes == [] and dbt.logged == []


def test_not_where_no_row_is_asked_for() -> None:
    """With --empty, CI logs a table that may be another target's."""
    dbt = Dbt(unlogged(feed=False).engine, log_model(), empty=True)
    dbt.engine.forget()
    switch(dbt, on=False)
    assert dbt.engine.writes == [] and dbt.logged == []


# Table properties of a log that the model changed.


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


# dbt's line of a log.


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "CAPTURE v7, 12 rows: v4 -> v7"),
        ({"rows": 0}, "CAPTURE v7, 0 rows: v4 -> v7"),
        ({"was": {"version": 7}}, "SKIP nothing changed since v7"),
        ({"empty": "--empty"}, "SKIP --empty captures nothing"),
        ({"gap": "first capture", "was": None}, "START v7: first capture"),
    ],
)
def test_tell(changes: dict[str, Any], line: str) -> None:
    dbt = unlogged()
    job = {"was": {"version": 4}, "coverage": {"captured": {"version": 7}}, "rows": 12}
    dbt("_report_capture", as_capture({**job, **changes}))
    assert dbt.messages == {"model.shop.orders_log": line}


# Tables of other targets are left as they are.


@pytest.mark.parametrize("defers", [True, False])
@pytest.mark.parametrize(("here", "there"), [("dev", "shop"), ("shop", "prod"), ("shop", "shop")])
def test_only_what_defer_puts_in_the_place_of_a_parent(here: str, there: str, defers: bool) -> None:
    parent = Model("orders", schema=here, materialized="table")
    log = log_model()
    log.parents = ["source.shop.raw.x", parent.unique_id]
    dbt = unlogged(log, parent, feed=False)
    dbt.context["invocation_args_dict"]["defer"] = defers
    deferred = {"database": None, "schema": there, "alias": "Orders", "relation_name": "x"}
    dbt.context["graph"]["nodes"][parent.unique_id]["defer_relation"] = deferred
    if not defers or (here, there) != ("dev", "shop"):
        run_log(dbt)
        assert base(dbt).properties == FEED
        return
    (result,) = dbt.run()
    assert "--defer takes that base, spark_catalog.shop.orders, from" in result.message
    assert base(dbt).properties == {} and writes(dbt) == []


# The views of a project that read a table.


SOURCE_NODE = {"unique_id": "source.p.orders", "resource_type": "source", "database": None}
SOURCE_NODE |= {"schema": "shop", "name": "orders", "identifier": "orders"}


def project(kinds: dict[str, str], parents: dict[str, list[str]]) -> Dbt:
    models = [Model(name, materialized=kind) for name, kind in kinds.items()]
    dbt = Dbt(None, *models)
    graph: Any = dbt.context["graph"]
    graph["sources"] = {SOURCE_NODE["unique_id"]: SOURCE_NODE}
    for name, found in parents.items():
        ids = [one if "." in one else f"model.shop.{one}" for one in found]
        graph["nodes"][f"model.shop.{name}"]["depends_on"] = {"nodes": ids}
    return dbt


def over(dbt: Dbt, base: str = "spark_catalog.shop.orders") -> list[str]:
    return sorted(name.split(".")[2] for name in dbt("_views_over", base))


def test_direct_and_through_views() -> None:
    kinds = {"direct": "mview", "staging": "view", "passing": "ephemeral", "far": "mview"}
    kinds |= {"table": "table", "behind": "mview", "log": "materialized_view_log"}
    dbt = project(
        kinds,
        {
            "direct": ["source.p.orders"],
            "staging": ["source.p.orders"],
            "passing": ["staging"],
            "far": ["passing"],
            "table": ["staging"],
            "behind": ["table"],
            "log": ["source.p.orders"],
        },
    )
    assert over(dbt) == ["direct", "far"]
    assert over(dbt, "spark_catalog.shop.table") == ["behind"]
    assert over(dbt, "spark_catalog.shop.nothing") == []


def test_two_ways_to_one_view() -> None:
    dbt = project(
        {"left": "view", "right": "view", "both": "mview"},
        {
            "left": ["source.p.orders", "right"],
            "right": ["source.p.orders"],
            "both": ["left", "right"],
        },
    )
    assert over(dbt) == ["both"]
