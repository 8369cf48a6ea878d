"""The layout of state: created, upgraded, refused where it is not ours."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import Engine, delta
from ..kit.harness import Dbt, DbtError
from ..kit.log_engine import LogEngine
from ..kit.parsing import parse
from ..kit.scenes import VIEW

# The layout of state.


INFO = """mview_id definition definition_hash sources last_successful_refresh_read_time
    last_refresh_result last_refresh_type last_refresh_time last_refresh_failed_reason
    target_version next_time lock_owner lock_token lease_until
    schedule failures retry_time paused_time""".split()
HIST = """refresh_job_id mview_id refresh_method refresh_reason refresh_time refresh_endtime
    refresh_rows refresh_status refresh_failed_reason sources invocation_id""".split()

PURGE_INFO = """mlog_id next_time last_purged_version lock_owner lock_token lock_time
    lease_until schedule failures retry_time paused_time""".split()
PURGE_HIST = """purge_job_id mlog_id purge_method purge_time purge_endtime purge_rows purge_status
    purge_failed_reason""".split()


def test_public_columns() -> None:
    """The columns that users, tests and schedulers rely on."""
    tables = Dbt()("_state_layout")["tables"]
    info = [name for name, _ in tables["mview_refresh_info"]]
    hist = [name for name, _ in tables["mview_refresh_hist"]]
    assert [name for name in info if name in INFO] == INFO
    assert [name for name in hist if name in HIST] == HIST


def test_public_columns_of_logs() -> None:
    tables = Dbt()("_state_layout")["tables"]
    assert [name for name, _ in tables["mlog_purge_info"] if name != "base"] == PURGE_INFO
    assert [name for name, _ in tables["mlog_purge_hist"]] == PURGE_HIST


def test_every_table_has_its_key_to_be_partitioned_by() -> None:
    keys = {
        "mview_refresh_info": "mview_id",
        "mview_refresh_hist": "mview_id",
        "mlog_purge_info": "mlog_id",
        "mlog_purge_hist": "mlog_id",
        "mview_trackpoints": "day",
        "mview_flashback_info": "relation",
        "mview_flashback_readers": "reader",
    }
    tables = Dbt()("_state_layout")["tables"]
    assert {table: Dbt()("_state_partition", table) for table in tables} == keys
    for table, columns in tables.items():
        assert keys[table] in dict(columns), table


def test_layout_has_a_number() -> None:
    assert Dbt()("_state_layout")["version"] == 6, "a change of columns takes a new number"


# Where state and stages live.


@pytest.mark.parametrize(
    ("variables", "state", "stage"),
    [
        ({}, "shop_mview", "shop_mview"),
        ({"dbt_mview:state_schema": "st"}, "st", "st"),
        ({"dbt_mview:stage_schema": "sg"}, "shop_mview", "sg"),
        ({"dbt_mview:state_schema": "a`b", "dbt_mview:stage_schema": "c`d"}, "a`b", "c`d"),
    ],
)
def test_schemas(variables: Any, state: str, stage: str) -> None:
    dbt = Dbt(variables=variables)
    quoted_state, quoted_stage = (f"`{name.replace('`', '``')}`" for name in (state, stage))
    assert dbt("_state_schema") == state
    assert dbt("_stage_schema") == stage
    assert dbt("_state_table", "any") == f"{quoted_state}.`any`"
    assert dbt("_info_table") == f"{quoted_state}.`mview_refresh_info`"
    assert dbt("_hist_table") == f"{quoted_state}.`mview_refresh_hist`"
    assert dbt("_log_info_table") == f"{quoted_state}.`mlog_purge_info`"
    owner = "" if stage == state else hashlib.md5(state.encode()).hexdigest()[:8] + "_"
    assert dbt("_stage_name", "j1") == f"{quoted_stage}.`mview_stage_{owner}j1`"


@pytest.mark.parametrize("name", ["dbt_mview:state_schema", "dbt_mview:stage_schema"])
def test_a_var_is_the_same_for_all_packages_of_a_run(name: str) -> None:
    """dbt looks vars up for the package of each node; hooks and models would part."""
    dbt = Dbt()
    dbt("_stage_schema")
    dbt.variables[name] = "of_a_package"
    with pytest.raises(
        DbtError, match=rf"the var {name}: it is 'shop_mview' in one .*'of_a_package'"
    ):
        dbt("_stage_schema")


def test_vars_below_the_name_of_the_package() -> None:
    """dbt's usual form: only the package's own hooks would see them."""
    dbt = Dbt(variables={"dbt_mview": {"state_schema": "x"}})
    with pytest.raises(DbtError, match=r"it is set below dbt_mview, .* directly below vars"):
        dbt("_state_schema")


# The statement that creates a state table.


def test_create_state(golden: Golden) -> None:
    columns = Dbt()("_state_layout")["tables"]["mview_refresh_hist"]
    sql = Dbt()("_create_state_sql", "mview_refresh_hist", columns, 1).strip()
    golden("create_state", sql)
    assert "partitioned by (mview_id)" in sql, "so that different views never conflict"
    assert parse(sql)


def test_tables_of_logs() -> None:
    columns = Dbt()("_state_layout")["tables"]["mlog_purge_info"]
    sql = Dbt()("_create_state_sql", "mlog_purge_info", columns, 1)
    assert "partitioned by (mlog_id)" in sql, "so that different logs never conflict"
    assert parse(sql.strip())


@pytest.mark.parametrize("table", ["mview_refresh_info", "mlog_purge_info"])
def test_what_is_due_is_found_by_statistics(table: str) -> None:
    """Each view has a file: without them, ten thousand are read."""
    sql = Dbt()("_create_state_sql", table, Dbt()("_state_layout")["tables"][table], 1)
    kept = re.findall(r"'delta.dataSkippingStatsColumns' = '(.*)'", sql)[0].split(",")
    asked = re.findall(r"\w+(?= is not null| is null| <=?)", Dbt()("_may_be_due_sql"))
    assert len(set(asked)) == 5 and set(asked) <= set(kept)


# State is created where it is missing, and refused where it is not ours.


def created(dbt: Dbt) -> list[str]:
    return [one.sql.split("\n")[1] for one in dbt.engine.log if "create schema" in one.sql]


def test_created_once() -> None:
    dbt = Dbt()
    dbt("_ensure_state")
    made = ["ensure_state", "read_extensions", "read_place", "ensure_state", "ensure_state"]
    assert dbt.engine.steps == ["read_schemas", *made]
    dbt("_ensure_state")
    assert len(dbt.engine.log) == 6
    assert set(dbt.engine.state_tables) == {"mview_refresh_info", "mview_refresh_hist"}


def test_in_a_schema_that_is_there() -> None:
    dbt = Dbt()
    dbt.engine.schemas.add("shop_mview")
    dbt("_ensure_state")
    made = ["read_extensions", "read_place", "ensure_state", "ensure_state"]
    assert dbt.engine.steps == ["read_schemas", "read_tables", *made]


def test_a_stage_schema_of_its_own_is_created_too() -> None:
    dbt = Dbt(variables={"dbt_mview:stage_schema": "stages"})
    dbt("_ensure_state")
    assert created(dbt) == [
        "create schema if not exists `shop_mview`",
        "create schema if not exists `stages`",
    ]


def test_where_all_is_there_nothing_is_written() -> None:
    engine = Engine()
    engine.built_state()
    Dbt(engine)("_ensure_state")
    assert engine.steps == ["read_schemas", "read_tables", "read_layout", "read_layout"]


def test_what_is_refused_is_not_used() -> None:
    dbt = Dbt()
    dbt.engine.built_state()
    dbt.engine.state_tables["mview_refresh_hist"] = {}
    with pytest.raises(DbtError, match="is not a state table of dbt_mview"):
        dbt("_ensure_state")
    assert not dbt("_memory")["ensured"]


LOG_TABLES = {"mlog_purge_info", "mlog_purge_hist"}


def test_tables_of_logs_come_with_the_first_log() -> None:
    """Also where the state of views was ensured before, in the same run."""
    dbt = Dbt()
    dbt("_ensure_state")
    assert not LOG_TABLES & set(dbt.engine.state_tables)
    dbt("_ensure_state", logs=True)
    assert set(dbt.engine.state_tables) >= LOG_TABLES
    assert dbt.engine.steps.count("ensure_state") == 5
    count = len(dbt.engine.log)
    dbt("_ensure_state", logs=True)
    assert len(dbt.engine.log) == count


def test_where_the_tables_of_logs_are_there_they_are_checked() -> None:
    engine = LogEngine()
    engine.built_state()
    Dbt(engine)("_ensure_state", logs=True)
    assert engine.steps == [
        "read_schemas", *["read_tables", "read_layout", "read_layout"] * 2
    ]  # fmt: skip
    engine.state_tables["mlog_purge_hist"] = {"dbt_mview.layout": "99"}
    dbt = Dbt(engine)
    with pytest.raises(DbtError, match="state has layout 99"):
        dbt("_ensure_state", logs=True)
    assert not dbt("_memory")["ensured_logs"]
    dbt("_ensure_state")


def test_a_dry_run_of_logs_creates_nothing() -> None:
    dbt = Dbt()
    dbt("_ensure_state", True, logs=True)
    assert dbt.engine.writes == []
    assert [line.split("exists ")[1].split(" ")[0] for line in dbt.printed] == [
        "`shop_mview`;", *(f"`shop_mview`.`{name}`" for name in dbt("_state_layout")["tables"]
                           if name.startswith(("mview_refresh", "mlog")))
    ]  # fmt: skip


OPERATIONS = ["info", "history", "verify", "recover", "drop_orphans", "maintain"]


@pytest.mark.parametrize("stages", [None, "stages"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_dry_run_creates_nothing(operation: str, stages: str | None) -> None:
    """It prints the statements and goes on as if state were there, and empty."""
    dbt = Dbt(variables={"dbt_mview:stage_schema": stages})
    printed = dbt.operation(f"mview_{operation}", dry_run=True)
    assert dbt.engine.writes == []
    steps = [line.split("step=")[1].split()[0] for line in printed if "step=" in line]
    assert steps.count("ensure_state") == (3 if stages is None else 4)
    assert {one.step for one in dbt.engine.log} == {"read_schemas"}


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("refresh", "state has no definition of it. Build the view once with `dbt run"),
        ("recover", "state has no row of it, and no table of it to restore one from"),
        ("drop", "state does not know it as a materialized view"),
    ],
)
def test_a_dry_run_for_a_view_without_state_says_so(operation: str, message: str) -> None:
    dbt = Dbt()
    with pytest.raises(DbtError, match=f"{VIEW}: {message}"):
        dbt.operation(f"mview_{operation}", view="totals", dry_run=True)
    assert dbt.engine.writes == []


def test_a_dry_run_reads_what_is_there() -> None:
    """Only the table of rows is needed to go on."""
    dbt = Dbt()
    dbt.engine.built_state()
    del dbt.engine.state_tables["mview_refresh_hist"]
    dbt.engine.state("spark_catalog.old.gone", target_version=1)
    printed = dbt.operation("mview_drop", view="gone", dry_run=True)
    assert [line.split("step=")[1].split()[0] for line in printed] == [
        "ensure_state", "acquire", "forget"
    ]  # fmt: skip


# A state table is refused where it is not ours.


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({}, r"`mview_refresh_info`: a table of this name exists and is not a state table of"),
        ({"owner": "x"}, r"Rename it, or set the var dbt_mview:state_schema to another schema\."),
        (
            {"dbt_mview.layout": "2"},
            r"state has layout 2, this release of dbt_mview knows up to 1\. Upgrade the package",
        ),
    ],
)
def test_refused(properties: dict[str, str], message: str) -> None:
    engine = Engine()
    engine.built_state()
    engine.state_tables["mview_refresh_info"] = properties
    with pytest.raises(DbtError, match=message):
        Dbt(engine)("_check_layout", "mview_refresh_info", 1)


@pytest.mark.parametrize("layout", ["0", "1"])
def test_known(layout: str) -> None:
    engine = Engine()
    engine.state_tables["mview_refresh_hist"] = {"x": "y", "dbt_mview.layout": layout}
    assert Dbt(engine)("_check_layout", "mview_refresh_hist", 1) == int(layout)


# State of an older release gets the columns that are new.


def old_state() -> Engine:
    engine = Engine()
    engine.built_state()
    engine.state_tables["mview_refresh_info"] = {"dbt_mview.layout": "1"}
    older = delta(1, columns="mview_id string, INTENT string")
    engine.tables["spark_catalog.shop_mview.mview_refresh_info"] = older
    return engine


def test_columns_that_are_missing_are_added_once() -> None:
    dbt = Dbt(old_state())
    dbt(
        "_upgrade_layout",
        "mview_refresh_info",
        [["intent", "string"], ["failures", "bigint"]],
        2,
        False,
    )
    added, number = (one.sql for one in dbt.engine.writes)
    assert "alter table `shop_mview`.`mview_refresh_info` add columns (failures bigint)" in added
    assert "handler" in added, "another run may have been quicker"
    assert "set tblproperties ('dbt_mview.layout' = '2',\n" in number
    assert "handler" in number, "of two metadata commits at once Delta fails one"


def test_what_could_not_be_added_is_an_error_of_the_engine() -> None:
    """The number of the layout is not written before all of its columns are there."""
    dbt = Dbt(old_state())
    dbt.engine.without_rights.add("spark_catalog.shop_mview.mview_refresh_info")
    with pytest.raises(RuntimeError, match="INSUFFICIENT_PERMISSIONS"):
        dbt("_upgrade_layout", "mview_refresh_info", [["failures", "bigint"]], 2, False)
    tried, added = (one.sql for one in dbt.engine.writes)
    assert "handler" in tried
    assert "handler" not in added and added.endswith(" add columns (failures bigint)")


def test_on_first_use() -> None:
    dbt = Dbt(old_state())
    dbt("_ensure_state")
    assert sum("add columns" in one.sql for one in dbt.engine.writes) == 20


def test_not_in_a_dry_run() -> None:
    dbt = Dbt(old_state())
    with pytest.raises(DbtError, match="state has the layout of an older release"):
        dbt("_ensure_state", dry_run=True)
    assert dbt.engine.writes == []


# A Spark without Delta's extension, on the first run.


@pytest.mark.parametrize("value", ["", None])
def test_refused_before_a_table_is_made(value: str | None) -> None:
    engine = Engine()
    engine.extensions = value
    with pytest.raises(DbtError, match=r"this engine: spark\.sql\.extensions is not set"):
        Dbt(engine)("_ensure_state")
    assert engine.state_tables == {}


def test_an_extension_of_any_name_is_one() -> None:
    engine = Engine()
    engine.extensions = "com.shop.Extensions,io.delta.sql.DeltaSparkSessionExtension"
    Dbt(engine)("_ensure_state")
    assert "mview_refresh_info" in engine.state_tables


def test_databricks_is_not_asked() -> None:
    engine = Engine()
    engine.extensions = None
    Dbt(engine, catalog="main")("_ensure_state")
    assert "read_extensions" not in engine.steps and engine.state_tables


# State on a store that loses commits of two writers.


ONES_OWN = "dbt_mview.ConditionalLogStore"


def begin(place: str, settings: dict[str, str] | None = None, **options: Any) -> Engine:
    """The first run of a project whose schema of state lies there."""
    engine = Engine()
    engine.place, engine.settings = place, settings or {}
    Dbt(engine, **options)("_ensure_state")
    return engine


@pytest.mark.parametrize("scheme", ["s3", "S3A", "s3n"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"spark.delta.logStore.gs.impl": ONES_OWN},
        {"spark.delta.logStore.class": "io.delta.storage.S3SingleDriverLogStore"},
        {"spark.delta.logStore.{}.impl": "io.delta.storage.GCSLogStore"},
    ],
)
def test_refused_before_anything_is_made(scheme: str, settings: dict[str, str]) -> None:
    named = {key.format(scheme.lower()): value for key, value in settings.items()}
    engine = Engine()
    engine.schemas.add("shop_mview")
    engine.place, engine.settings = f"{scheme}://bucket/state", named
    with pytest.raises(DbtError) as error:
        Dbt(engine)("_ensure_state")
    text = str(error.value)
    assert f"shop_mview: state would lie in {scheme}://bucket/state, and Delta's own log" in text
    assert f"spark.delta.logStore.{scheme.lower()}.impl" in text
    assert "contrib/s3-log-store" in text
    assert "dbt_mview:single_writer: true" in text
    assert engine.writes == []


@pytest.mark.parametrize("place", ["file:/x", "/x", "hdfs://n/x", "abfss://c@a/x", "gs://b/x", ""])
def test_other_stores_exclude_by_themselves(place: str) -> None:
    assert "read_log_store" not in begin(place).steps


@pytest.mark.parametrize(
    "settings",
    [
        {"spark.delta.logStore.s3a.impl": "io.delta.storage.S3DynamoDBLogStore"},
        {"spark.delta.logStore.class": ONES_OWN},
    ],
)
def test_a_log_store_that_excludes(settings: dict[str, str]) -> None:
    assert "ensure_state" in begin("s3a://bucket/state", settings).steps


@pytest.mark.parametrize("said", [True, "true", "True"])
def test_one_writer(said: Any) -> None:
    engine = begin("s3a://bucket/state", variables={"dbt_mview:single_writer": said})
    assert "ensure_state" in engine.steps and "read_place" not in engine.steps


def test_what_is_no_answer() -> None:
    with pytest.raises(DbtError, match=r"single_writer: 'yes' is neither true nor false\."):
        begin("s3a://bucket/state", variables={"dbt_mview:single_writer": "yes"})


def test_state_that_is_there_is_not_asked_for() -> None:
    engine = begin("file:/x")
    engine.place = "s3a://bucket/state"
    engine.forget()
    Dbt(engine)("_ensure_state")
    assert "read_place" not in engine.steps
