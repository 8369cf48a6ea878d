"""diff, versions_between and mview_diff: by the feed where it covers both ends, else all rows."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import FEED, Foreign, Table, View
from ..kit.harness import Dbt, DbtError, Model, Relation
from .test_as_of import NAME, ON, T, V, project, table

CAME = "select 'came' as _change, *\nfrom "
WENT = "select 'went' as _change, *\nfrom "


def fed(*minutes: float) -> Dbt:
    """A table whose changes are kept."""
    dbt = project(*minutes)
    table(dbt).properties.update(FEED)
    return dbt


def refused(dbt: Dbt, name: str, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(DbtError) as error:
        dbt(name, *args, **kwargs)
    return str(error.value).removeprefix("dbt_mview: ")


@pytest.mark.parametrize("name", ["diff", "versions_between"])
def test_parsing_and_unit_tests_give_the_relation(name: str) -> None:
    dbt = project(variables={})
    key = ["id"] if name == "versions_between" else []
    dbt.context["execute"] = False
    assert dbt(name, T, "x", "y", *key) is T
    dbt.context.update(execute=True, model={"resource_type": "unit_test", "unique_id": "u"})
    assert dbt(name, T, "x", "y", *key) is T and dbt.engine.log == []


def test_by_the_feed() -> None:
    dbt = fed()
    table(dbt).commits[2].parameters = {"mode": "Overwrite"}
    sql = dbt("diff", T, 0, 2)
    came, went = sql.strip("()\n").split("\nunion all\n")
    assert came.startswith(CAME) and went.startswith(WENT)
    feed = "table_changes('`spark_catalog`.`shop`.`t`', 1, 2)"
    assert came.count(feed) == went.count(feed) == 1
    assert "_mview_n > 0" in came and "_mview_n < 0" in went, "consolidated"


def test_back_in_time_what_came_went() -> None:
    dbt = fed()
    came, went = dbt("diff", T, 2, 0).split("\nunion all\n")
    assert "in ('delete', 'update_preimage')" in came
    assert "in ('insert', 'update_postimage')" in went


@pytest.mark.parametrize("feed", [True, False])
def test_all_rows_where_there_is_no_feed_or_it_is_not_wanted(feed: bool) -> None:
    dbt = fed() if not feed else project()
    at = "select * from `spark_catalog`.`shop`.`t` version as of "
    assert dbt("diff", T, 0, 2, feed=feed) == (
        f"(\n{CAME}(\n    {at}2\n    except all\n    {at}0\n)\nunion all\n"
        f"{WENT}(\n    {at}0\n    except all\n    {at}2\n)\n)"
    )


def test_by_times() -> None:
    dbt = project()
    sql = dbt("diff", T, "2024-03-01 00:15", "2024-03-01 00:25")
    assert "version as of 0" in sql and "version as of 1" in sql
    assert "reader" in dbt.engine.steps


def test_the_same_version_twice_is_no_difference() -> None:
    assert "version as of 1\n    except all" in fed()("diff", T, 1, 1)


def test_of_a_view() -> None:
    dbt = project()
    dbt.engine.tables[V] = View("select id, n from shop.t", [("id", "int"), ("n", "int")])
    dbt.engine.reads(NAME, views=(V,))
    sql = dbt("diff", Relation(None, "shop", "v"), "2024-03-01 00:15", "2024-03-01 00:25")
    assert "version as of 0" in sql and "version as of 1" in sql and "except all" in sql


def test_columns_that_changed() -> None:
    dbt = fed()
    table(dbt).older_columns[0] = [("id", "int")]
    assert refused(dbt, "diff", T, 0, 2) == (
        f"{NAME}: its columns changed from v0 to v2 (new: n int), so that their rows cannot be"
        " compared. Compare the columns that both have, in a query over two as_of."
    )


def test_columns_that_moved() -> None:
    dbt = fed()
    table(dbt).older_columns[0] = [("n", "int"), ("id", "int")]
    assert "(their order)" in refused(dbt, "diff", T, 0, 2)


def test_rows_that_cannot_be_compared() -> None:
    dbt = project()
    table(dbt).columns = [("id", "int"), ("m", "map<string,int>")]
    assert refused(dbt, "diff", T, 0, 2) == (
        f"{NAME}: rows with m cannot be compared. Leave the column out, in a query over two as_of."
    )


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((0, 7), "it has no v7"),
        (("soon", 2), "'soon' is no time"),
        ((True, 2), "'True' is no time"),
        (("2024-03-02", 2), "is in the future"),
    ],
)
def test_what_is_no_time(ends: tuple[Any, Any], message: str) -> None:
    assert message in refused(project(), "diff", T, *ends)


def test_disabled() -> None:
    assert "flashback is disabled" in refused(project(variables={}), "diff", T, 0, 1)
    assert "flashback is disabled" in refused(
        project(variables={}), "versions_between", T, 0, 1, "id"
    )


# versions_between


def test_versions_of_rows() -> None:
    sql = fed()("versions_between", T, 0, 2, ["id", "n"])
    order = "order by _commit_version, if(_change_type = 'delete', 0, 1)"
    assert f"lead(_commit_timestamp) over (partition by `id`, `n` {order})" in sql
    assert "from table_changes('`spark_catalog`.`shop`.`t`', 1, 2)" in sql
    assert "where _change_type != 'update_preimage'" in sql


def test_versions_between_one_and_itself() -> None:
    assert "where false" in fed()("versions_between", T, 1, 1, "id")


def test_versions_without_a_feed() -> None:
    assert refused(project(), "versions_between", T, 0, 2, "id").startswith(
        f"{NAME}: its change data feed does not go from v0 to v2 (CHANGE_DATA_UNAVAILABLE: no"
        " change data feed (alter table shop.t set tblproperties ('delta.enableChangeDataFeed' ="
        " 'true'))). Switch its delta.enableChangeDataFeed on"
    )


def test_versions_back_in_time() -> None:
    assert "'2' is later than '0'. Give the earlier time first." in refused(
        fed(), "versions_between", T, 2, 0, "id"
    )


# mview_diff


class Rows(Table):
    """A result with the names of its columns."""

    column_names = ("_change", "id", "n")


def operated(dbt: Dbt, **args: Any) -> list[str]:
    def answer(sql: str) -> Table:
        if "count_if" in sql:
            return Table([[2, 1]])
        found = Rows([["came", 1, 2]], Rows.column_names)
        for row in found.rows:
            row.values = lambda row=row: tuple(row)
        return found

    dbt.engine._read_diff = answer
    return dbt.operation("mview_diff", **{"from": 0, "to": 2, **args})


def test_operation() -> None:
    dbt = project()
    assert operated(dbt, table="shop.t") == [
        f"{NAME}: 2 came, 1 went", "_change  id  n", "came     1   2"
    ]  # fmt: skip
    assert "reader" not in dbt.engine.steps, "a version, no time"


def test_operation_takes_back_what_it_said() -> None:
    dbt = project()
    operated(dbt, table="shop.t", **{"from": "2024-03-01 00:15"})
    assert dbt.engine.steps.count("reader") == 2


def test_a_dry_run_of_the_operation() -> None:
    (printed,) = operated(project(), table="shop.t", limit=3, dry_run=True)
    assert printed.startswith("select *\nfrom (") and printed.endswith("limit 3;")


def test_operation_by_the_name_of_a_model() -> None:
    dbt = project()
    model = Model("renamed", config={"alias": "t"}, materialized="table")
    named = Dbt(dbt.engine, model, variables=ON)
    assert operated(named, table="renamed")[0].startswith(f"{NAME}: 2 came")


def test_operation_of_what_is_not_there() -> None:
    with pytest.raises(DbtError, match="x: is no model, seed, snapshot or source of this project"):
        operated(project(), table="x")
    dbt = project()
    dbt.engine.tables["spark_catalog.shop.p"] = Foreign()
    with pytest.raises(DbtError, match="it is no Delta table"):
        operated(dbt, table="shop.p")
