"""Columns of the query against columns of the view."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt, DbtError, Model
from ..kit.scenes import FITTED, VIEW, built

# Columns that a view can have.


def columns(given: list[str], **config: Any) -> Any:
    dbt = Dbt(None, Model(config=config))
    dbt.engine.columns = [(name, "int") for name in given]
    spec = dbt("_spec_from_model")
    return dbt("_query_columns", spec, {"query": spec["definition"]})


def test_columns() -> None:
    assert columns(["a", "b`c", "ünï", "select"]) == [
        {"name": "a", "type": "int", "expression": "`a`"},
        {"name": "b`c", "type": "int", "expression": "`b``c`"},
        {"name": "ünï", "type": "int", "expression": "`ünï`"},
        {"name": "select", "type": "int", "expression": "`select`"},
    ]


def test_duplicates() -> None:
    with pytest.raises(DbtError, match=r"the query has two columns named 'A'\. Give each column"):
        columns(["a", "b", "A"])


@pytest.mark.parametrize("name", ["a b", "a,b", "a;b", "{a}", "(a)", "a\nb", "a\tb", "a=b"])
def test_names_that_delta_cannot_store(name: str) -> None:
    with pytest.raises(DbtError, match="Delta cannot store the column name"):
        columns([name])
    mapped = columns([name], tblproperties={"delta.columnMapping.mode": "name"})
    assert mapped[0]["name"] == name


def test_describe_query() -> None:
    dbt = Dbt()
    dbt("_describe_query", "select 1 -- x")
    assert dbt.engine.sql("read_describe_query").endswith("describe query\nselect 1 -- x")


def test_a_contract_orders_the_columns() -> None:
    model = Model(config={"contract": {"enforced": True}}, columns={"b": {}, "a": {}})
    dbt = Dbt(None, model)
    dbt.engine.columns = [("a", "int"), ("b", "int")]
    spec = dbt("_spec_from_model")
    found = dbt("_query_columns", spec, {"query": spec["definition"]})
    assert [column["name"] for column in found] == ["b", "a"]


# Columns of the view against columns of the query.


DBT = Dbt()


def typed_columns(text: str) -> list[dict[str, str]]:
    pairs = [pair.split() for pair in text.split(",") if pair]
    return [{"name": name, "type": type_, "expression": f"`{name}`"} for name, type_ in pairs]


@pytest.mark.parametrize(
    ("present", "wanted", "text", "added", "vanished"),
    [
        ("a int,b int", "a int,b int", "", [], []),
        ("a int,b int", "B int,A int", "", [], []),
        ("a int", "a int,b string", "new: b string", ["b"], []),
        ("a int,b int", "a int", "gone: b", [], ["b"]),
        ("a int", "a bigint", "a: int -> bigint", [], []),
        ("a int,c int", "b int,a string", "new: b int, a: int -> string, gone: c", ["b"], ["c"]),
    ],
)
def test_schema_diff(
    present: str, wanted: str, text: str, added: list[str], vanished: list[str]
) -> None:
    diff = DBT("_schema_diff", typed_columns(present), typed_columns(wanted))
    assert diff["text"] == text
    assert [column["name"] for column in diff["added"]] == added
    assert [column["name"] for column in diff["vanished"]] == vanished


@pytest.mark.parametrize(
    ("cast", "expressions"),
    [
        (False, {"a": "`a`", "B": "`b`", "c": "null"}),
        (True, {"a": FITTED.format("a", "int"), "B": "`b`", "c": "cast(null as int)"}),
    ],
)
def test_in_order_of_the_view(cast: bool, expressions: Any) -> None:
    found = DBT(
        "_in_order_of",
        typed_columns("a int,B int,c int"),
        typed_columns("b int,d int,a bigint"),
        cast,
    )
    assert {column["name"]: column["expression"] for column in found} == expressions


# What on_schema_change makes of other columns.


NEW = [("customer", "string"), ("total", "bigint"), ("n", "int")]
LESS = [("customer", "string")]
RETYPED = [("customer", "string"), ("total", "int")]
SWAPPED = [("total", "bigint"), ("customer", "string")]
TOTAL = FITTED.format("total", "bigint")


def run(mode: str | None, columns: Any) -> tuple[str, str]:
    """The message, and the first two lines of the result that was published.

    A new table takes texts without the length of their source; what it takes is told here.
    """
    config = {} if mode is None else {"on_schema_change": mode}
    dbt = built(Model(config=config), Model(sql="select 2", config=config))
    dbt.engine.columns = columns
    (result,) = dbt.run()
    sql = dbt.engine.sql("publish") if "publish" in dbt.engine.steps else ""
    statement = sql.split("\n")[1].split(" `")[0] if sql else ""
    select = next((line for line in sql.split("\n") if line.startswith("select ")), "")
    select = select.replace("cast(`customer` as string) as `customer`", "`customer`")
    return result.message if result.status == "error" else statement, select


@pytest.mark.parametrize(
    ("mode", "columns", "statement", "select"),
    [
        ("fail", SWAPPED, "insert into", "select `customer`, `total`"),
        (None, NEW, "create or replace table", "select `customer`, `total`, `n`"),
        (None, SWAPPED, "create or replace table", "select `total`, `customer`"),
        ("sync_all_columns", SWAPPED, "create or replace table", "select `total`, `customer`"),
        ("append_new_columns", SWAPPED, "insert into", "select `customer`, `total`"),
        ("sync_all_columns", LESS, "create or replace table", "select `customer`"),
        ("sync_all_columns", RETYPED, "create or replace table", "select `customer`, `total`"),
        ("ignore", NEW, "insert into", "select `customer`, `total`"),
        ("ignore", RETYPED, "insert into", f"select `customer`, {TOTAL} as `total`"),
        (
            "append_new_columns",
            NEW,
            "create or replace table",
            "select `customer`, `total`, `n`",
        ),
        (
            "append_new_columns",
            LESS,
            "insert into",
            "select `customer`, cast(null as bigint) as `total`",
        ),
    ],
)
def test_published(mode: str | None, columns: Any, statement: str, select: str) -> None:
    assert run(mode, columns) == (statement, select)


@pytest.mark.parametrize(
    ("mode", "columns", "text"),
    [
        ("fail", NEW, "new: n int"),
        ("fail", RETYPED, "total: bigint -> int"),
        ("fail", LESS, "gone: total"),
        ("ignore", LESS, "gone: total"),
    ],
)
def test_refused(mode: str, columns: Any, text: str) -> None:
    message, select = run(mode, columns)
    assert message == (
        f"dbt_mview: {VIEW}: the columns of the query changed ({text}) and on_schema_change is"
        f" '{mode}'. Set it to 'sync_all_columns' or 'append_new_columns', or use --full-refresh."
    )
    assert select == ""


def test_an_operation_knows_no_other_order_than_that_of_the_query() -> None:
    """An enforced contract may have given the view its own, which state does not keep."""
    dbt = built()
    dbt.engine.columns = SWAPPED
    dbt.operation("mview_refresh", view="totals", method="complete")
    assert "select `customer`, `total`\n" in dbt.engine.sql("publish")
