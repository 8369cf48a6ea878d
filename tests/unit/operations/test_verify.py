"""mview_verify: a view compared with its definition."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import View
from ..kit.harness import Dbt, DbtError, Model
from ..kit.parsing import parse
from ..kit.plans import question
from ..kit.records import text_of
from ..kit.scenes import FITTED, SOURCE, VIEW, again, built, change_source

# mview_verify.


def test_equal(golden: Golden) -> None:
    dbt = built()
    change_source(dbt)
    lines = dbt.operation("mview_verify")
    assert lines[1].split() == ["shop.totals", "equal", "0", "0"]
    golden("verify", dbt.engine.sql("read_verify"))
    assert "shop.orders version as of 2" in dbt.engine.sql("read_verify"), "as it was read"


def test_differs() -> None:
    dbt = built()
    dbt.engine.verdict = [1, 2]
    with pytest.raises(DbtError, match=r"shop\.totals: not equal to its query at the recorded"):
        dbt.operation("mview_verify", view="totals")
    assert dbt.printed[1].split() == ["shop.totals", "DIFFERS", "1", "2"]


def test_dry_run() -> None:
    (line,) = built().operation("mview_verify", dry_run=True)
    assert line.strip().startswith("with") and line.endswith(";")


def test_not_verifiable() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["sources"][0]["version"] = None
    assert "not verifiable: a source has no version" in dbt.operation("mview_verify")[1]
    dbt.engine.states[VIEW]["last_successful_refresh_read_time"] = None
    assert "never refreshed" in dbt.operation("mview_verify")[-1]


def test_one_that_was_asked_for_is_equal_or_an_error() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["sources"][0]["version"] = None
    with pytest.raises(DbtError, match=r"a source has no version\. It cannot be"):
        dbt.operation("mview_verify", view="totals")
    del dbt.engine.states[VIEW]
    with pytest.raises(DbtError, match=r"state has no row of it, it was never built\. Refresh it"):
        dbt.operation("mview_verify", view="totals")


# One view compared with its definition.


def verify(dbt: Dbt, dry_run: bool = False) -> Any:
    found = dbt("_verify_view", VIEW, dbt("_read_state", VIEW), dry_run)
    return [found[name] for name in ("text", "missing", "surplus")]


@pytest.mark.parametrize(
    ("rows", "verdict"), [([0, 0], "equal"), ([1, 0], "DIFFERS"), (["0", "2"], "DIFFERS")]
)
def test_verdicts(rows: list[Any], verdict: str) -> None:
    dbt = built()
    dbt.engine.verdict = rows
    assert verify(dbt) == [verdict, str(rows[0]), str(rows[1])]


def test_a_dry_run_prints_the_query() -> None:
    dbt = built()
    assert verify(dbt, dry_run=True) == ["-", "-", "-"]
    assert dbt.printed[0].startswith("with wanted as (") and "read_verify" not in dbt.engine.steps


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"last_successful_refresh_read_time": None}, "never refreshed"),
        ({"definition": None}, "not verifiable: state has no definition of it"),
        ({"sources": [{"version": None}]}, "not verifiable: a source has no version"),
    ],
)
def test_nothing_to_compare(changes: dict[str, Any], verdict: str) -> None:
    dbt = built()
    dbt.engine.state(VIEW, **changes)
    assert verify(dbt) == [verdict, "-", "-"]


def test_a_query_that_does_not_run_any_more() -> None:
    """A view that it reads was dropped, which no list of sources names."""
    dbt = built()
    dbt.engine.runs = False
    assert verify(dbt) == ["not verifiable: its query does not run any more", "-", "-"]
    assert "explain" not in " ".join(dbt.engine.steps)


@pytest.mark.parametrize("name", [VIEW, SOURCE])
def test_a_table_that_was_dropped(name: str) -> None:
    dbt = built()
    del dbt.engine.tables[name]
    short = name.removeprefix("spark_catalog.")
    assert verify(dbt) == [f"not verifiable: no table {short}", "-", "-"]


def test_a_table_whose_files_are_gone() -> None:
    """The catalog still has it; its history cannot be read."""
    dbt = built()
    dbt.engine.without_files.add(VIEW)
    assert verify(dbt) == ["not verifiable: its table cannot be read any more", "-", "-"]
    assert "read_describe_history" not in dbt.engine.steps


def test_versions_that_are_gone() -> None:
    """One view that cannot be compared any more does not end the comparison of all."""
    dbt = built()
    dbt.engine.keeps_versions = False
    told = "not verifiable: a version that it read cannot be read any more"
    assert verify(dbt) == [told, "-", "-"]
    asked = dbt.engine.sql("read_versions")
    assert "shop.orders version as of 2" in asked and "`totals` version as of 0" in asked


# What the query itself leaves open.


def with_ties() -> Dbt:
    """A view whose total is of the first of equal rows; it differs from its query."""
    dbt = built()
    group = "Aggregate [customer#1], [customer#1, first(amount#2, false) AS total#3L]"
    leaf = f"Relation {SOURCE}[customer#1,amount#2] parquet"
    plan = question("customer#1, total#3L", group, leaf)
    dbt.engine.explains("customer: string, total: bigint", plan)
    dbt.engine.verdict = [2, 2]
    return dbt


def test_a_difference_in_open_columns_alone() -> None:
    dbt = with_ties()
    assert verify(dbt) == ["undetermined (total)", "2", "2"]
    wanted, present = dbt.engine.sql("read_verify_determined").split("present as")
    assert "select `customer`\n" in wanted and "select `customer`\n" in present
    dbt.engine.verdict_of_determined = [0, 1]
    assert verify(dbt) == ["DIFFERS", "2", "2"]
    dbt.engine.verdict = [0, 0]
    assert verify(dbt) == ["equal", "0", "0"], "asked only where it differs"


def test_it_is_told_and_no_error() -> None:
    dbt = with_ties()
    lines = dbt.operation("mview_verify", view="totals")
    assert lines[1].split() == ["shop.totals", "undetermined", "(total)", "2", "2"]
    assert lines[-1].startswith("shop.totals: its query leaves open what differs")


def test_without_a_determined_column_rows_are_counted() -> None:
    dbt = with_ties()
    leaf = f"Relation {SOURCE}[customer#1,total#3L] parquet"
    plan = question("customer#1, total#3L", "GlobalLimit 5", "LocalLimit 5", leaf)
    dbt.engine.explains("customer: string, total: bigint", plan)
    assert verify(dbt)[0] == "undetermined (customer, total)"
    assert "select 1 as `_mview_rows`\n" in dbt.engine.sql("read_verify_determined")


def test_open_rows_are_not_compared() -> None:
    dbt = with_ties()
    leaf = f"Relation {SOURCE}[customer#1,total#3L] parquet"
    plan = question("customer#1, total#3L", "Distinct", "GlobalLimit 5", leaf)
    dbt.engine.explains("customer: string, total: bigint", plan)
    assert verify(dbt)[0] == "undetermined (its rows)"
    assert "read_verify_determined" not in dbt.engine.steps


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        ("rand(1)", "undetermined (total)"),
        ("input_file_name()", "undetermined (total)"),
    ],
)
def test_what_changes_by_itself_in_one_column(call: str, verdict: str) -> None:
    dbt = with_ties()
    leaf = f"Relation {SOURCE}[customer#1,amount#2] parquet"
    items = "customer#1, total#3L"
    plan = question(items, f"Project [customer#1, {call} AS total#3L]", leaf)
    dbt.engine.explains("customer: string, total: bigint", plan)
    assert verify(dbt)[0] == verdict
    plan = question(items, f"Filter ({call} > 1)", leaf.replace("amount#2", "total#3L"))
    dbt.engine.explains("customer: string, total: bigint", plan)
    assert verify(dbt)[0] == f"not verifiable: its result changes by itself: {call.split('(')[0]}"


# The query that compares a view with its definition.


def verify_sql(sql: str = "select customer, total from shop.orders") -> str:
    dbt = built(Model(sql=sql))
    dbt.operation("mview_verify", view="totals")
    return dbt.engine.sql("read_verify")


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 as a from shop.orders",
        "with c as (select * from shop.orders) select * from c",
        "select 1 as a from shop.orders -- end",
    ],
)
def test_any_query_fits(sql: str) -> None:
    text = verify_sql(sql).split("*/", 1)[1]
    assert parse(text)
    compared = {"query": sql, "view": "`shop`.`totals` version as of 0"}
    assert parse(Dbt()("_versions_sql", compared)), "asked first whether they are there"
    assert "`shop`.`totals` version as of 0" in text


def test_views_are_bound_as_in_the_refresh() -> None:
    dbt = built(Model(sql="select * from shop.stg"))
    dbt.engine.tables["spark_catalog.shop.stg"] = View("select 1 from shop.orders", [("a", "int")])
    dbt.engine.reads(SOURCE, views=("spark_catalog.shop.stg",))
    dbt.engine.states[VIEW]["sources"][0]["version"] = 2
    dbt.engine.states[VIEW]["definition_hash"] = None
    dbt.operation("mview_verify", view="totals")
    assert "`shop`.`orders` version as of 2" in dbt.engine.sql("read_verify")


def test_columns_that_the_query_no_longer_has() -> None:
    """append_new_columns keeps a vanished column, as NULL."""
    before = Model(config={"on_schema_change": "append_new_columns"})
    after = Model(sql="select customer from shop.orders", config=before.config)
    dbt = built(before, after)
    dbt.engine.columns = [("customer", "string")]
    dbt.run()
    dbt.operation("mview_verify", view="totals")
    wanted, present = dbt.engine.sql("read_verify").split("present as")
    assert "select `customer`, cast(null as bigint) as `total`\n" in wanted
    assert "select `customer`, `total`\n" in present


def test_columns_as_they_were_published() -> None:
    """ignore leaves new columns out and casts to the view's types."""
    dbt = built(Model(config={"on_schema_change": "ignore"}))
    dbt.engine.columns = [("new", "int"), ("total", "int"), ("customer", "string")]
    dbt.operation("mview_verify", view="totals")
    wanted = dbt.engine.sql("read_verify").split("present as")[0]
    assert f"select `customer`, {FITTED.format('total', 'bigint')} as `total`\n" in wanted


def test_the_view_and_the_query_as_of_that_time() -> None:
    dbt = built()
    dbt.operation("mview_verify", view="totals")
    view, query = (one.sql for one in dbt.engine.log if one.step == "read_describe_query")
    assert view.endswith("from `shop`.`totals` version as of 0")
    assert "shop.orders version as of 2 group by" in query


@pytest.mark.parametrize(
    ("later", "refreshed", "version"),
    [
        (["SET TBLPROPERTIES", "VACUUM START", "VACUUM END"], False, 3),
        (["OPTIMIZE", "DELETE"], False, 2),
        (["OPTIMIZE"], True, 1),
    ],
)
def test_the_newest_version_before_the_next_refresh(
    later: list[str], refreshed: bool, version: int
) -> None:
    """What somebody else wrote is compared as well. Delta refuses an old version once there is a
    newer one, be it of a comment."""
    dbt = built()
    for operation in later:
        dbt.engine.tables[VIEW].commit(60, operation)
    if refreshed:  # and not recorded yet
        change_source(dbt)
        before = copy.deepcopy(dbt.engine.states)
        assert dbt.run()[0].message.startswith("COMPLETE v2")
        dbt.engine.states.update(before)
        dbt = again(dbt, invocation_id="later")
    dbt.operation("mview_verify", view="totals")
    assert f"`shop`.`totals` version as of {version}\n" in dbt.engine.sql("read_verify")


# Why a view that is not equal to its query may be right all the same.


STALE = "a view that it reads has changed since"


@pytest.mark.parametrize(
    ("bound", "reads", "state", "why"),
    [
        ({}, {}, {}, None),
        ({"unbound": ["a file"]}, {}, {}, "no version of a file"),
        ({}, {"nondeterministic": ["rand"]}, {}, "its result changes by itself: rand"),
        ({"sql": "select now()"}, {}, {}, "its result changes by itself: now"),
        ({}, {}, {"definition_hash": "another"}, STALE),
        ({}, {}, {"definition_hash": None}, None),
    ],
)
def test_reasons(bound: Any, reads: Any, state: Any, why: str | None) -> None:
    dbt = Dbt()
    bound = {"sql": "select 1", "unbound": [], "travelled": {}, "at_two_times": {}, **bound}
    state = {"definition_hash": dbt("_definition_hash", bound), **state}
    reads = {"nondeterministic": [], "truncated": False, **reads}
    assert text_of(dbt("_why_not_comparable", state, reads, bound)) == why


def test_what_a_refresh_notes_is_what_is_compared() -> None:
    dbt = built(Model(sql="select customer, total from shop.orders -- words alone count"))
    assert verify(dbt)[0] == "equal"
    dbt.engine.state(VIEW, definition_hash="another")
    assert verify(dbt) == [
        f"not verifiable: {STALE}", "-", "-"
    ]  # fmt: skip


# A query compared with a table.


PRESENT = [
    {"name": "a", "type": "int", "expression": "`a`"},
    {"name": "m", "type": "array<map<string,int>>", "expression": "`m`"},
]
FED = [PRESENT[0], {**PRESENT[1], "expression": "cast(null as array<map<string,int>>)"}]


def compare(query: str) -> str:
    sides = {"query": query, "wanted": FED, "view": "`s`.`v` version as of 3", "present": PRESENT}
    sql: str = Dbt()("_compare_sql", sides)
    assert parse(Dbt()("_differences_sql", sides))
    assert parse(sql)
    return sql


def test_maps_are_compared_as_json() -> None:
    wanted, present = compare("select 1 as a").split("present as")
    assert "select `a`, to_json(cast(null as array<map<string,int>>)) as `m`\n" in wanted
    assert "select `a`, to_json(`m`) as `m`\n    from `s`.`v` version as of 3\n" in present


def test_compare_any_query_fits() -> None:
    assert "    from (\nselect 1 as a -- end\n    )\n" in compare("select 1 as a -- end")
    compare("with c as (select 1 as a) select * from c")


def test_both_ways() -> None:
    sql = compare("select 1 as a")
    assert "(select * from wanted except all select * from present)\n    ) as missing" in sql
    assert "(select * from present except all select * from wanted)\n    ) as surplus" in sql


# Floats.


FLOATS = [
    {"name": "k", "type": "int", "expression": "`k`"},
    {"name": "f", "type": "float", "expression": "`f`"},
    {"name": "d", "type": "double", "expression": "`d`"},
]


def near(columns: list[dict[str, str]], tolerance: float = 1e-9) -> str:
    sides = {"query": "select 1", "wanted": columns, "view": "`s`.`v`", "present": columns}
    assert parse(Dbt()("_nearly_differences_sql", sides, tolerance))
    sql: str = Dbt()("_compare_nearly_sql", sides, tolerance)
    assert parse(sql)
    return sql


def test_rows_are_paired_by_what_is_exact() -> None:
    sql = near(FLOATS)
    assert "partition by `k`\n        order by `f`, `d`" in sql
    assert "m._mview_n = s._mview_n\n        and m.`k` <=> s.`k`" in sql
    most = "greatest(abs(m.`d`), abs(s.`d`))"
    assert f"(m.`d` <=> s.`d` or abs(m.`d` - s.`d`) <= 1e-09D * {most})" in sql
    assert "abs(m.`f` - s.`f`) <= 1e-06D" in sql, "a float has seven digits"
    assert "abs(m.`f` - s.`f`) <= 0.01D" in near(FLOATS, 0.01)
    assert "partition by 1" in near(FLOATS[2:])


@pytest.mark.parametrize(
    ("type_", "rest", "said"),
    [
        ("double", [0, 0], ["equal (floats within 1e-09)", "0", "0"]),
        ("double", [1, 2], ["DIFFERS", "1", "2"]),
        ("bigint", [0, 0], ["DIFFERS", "3", "3"]),
    ],
)
def test_floats_that_differ_are_looked_at_again(
    type_: str, rest: list[int], said: list[str]
) -> None:
    dbt = built()
    dbt.engine.verdict, dbt.engine.verdict_within_tolerance = [3, 3], rest
    dbt.engine.tables[VIEW].columns = [("customer", "int"), ("total", type_)]
    assert verify(dbt) == said
    assert ("read_verify_nearly" in dbt.engine.steps) is (type_ == "double")


def test_the_tolerance_is_a_var() -> None:
    dbt = built()
    dbt.engine.tables[VIEW].columns = [("customer", "int"), ("total", "double")]
    dbt.engine.verdict = [3, 3]
    assert verify(again(dbt)) == ["equal (floats within 1e-09)", "0", "0"]
    exact = again(dbt, variables={"dbt_mview:float_tolerance": 0})
    assert verify(exact) == ["DIFFERS", "3", "3"]
    assert again(dbt)("_float_tolerance", "1e-3") == 0.001


@pytest.mark.parametrize("value", ["little", -1, 1, "1 or 2", "", "nan"])
def test_no_tolerance(value: Any) -> None:
    with pytest.raises(DbtError, match=r"the var dbt_mview:float_tolerance: '.*' is no number"):
        Dbt(variables={"dbt_mview:float_tolerance": value})("_float_tolerance")
    with pytest.raises(DbtError, match="dbt_mview: tolerance: "):
        Dbt()("_float_tolerance", value)
