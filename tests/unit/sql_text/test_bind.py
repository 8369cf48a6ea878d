"""Binding: each source at its version, each view by its text, everything else untouched."""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st

from ..kit.cases import CORNERS, GOOD, EveryTable, pinned, plain
from ..kit.harness import Dbt

# Binding: each source at its version, each view by its text, everything else untouched.


DBT = Dbt()
NAMESPACE = "spark_catalog.default"


def bind(sql: str, bindings: Any = None, namespace: str = NAMESPACE) -> Any:
    return DBT("_bind", sql, EveryTable() if bindings is None else bindings, namespace)


def table(version: int | None = 7) -> dict[str, Any]:
    return {"kind": "table", "version": version}


def view(text: str, columns: str = "id int", namespace: str = "spark_catalog.db") -> dict[str, Any]:
    pairs = [pair.split() for pair in columns.split(",")]
    return {
        "kind": "view",
        "text": text,
        "namespace": namespace,
        "columns": [{"name": name, "type": type_, "source": name} for name, type_ in pairs],
    }


@pytest.mark.parametrize("marked", GOOD)
def test_every_table_is_pinned_and_nothing_else(marked: str) -> None:
    assert bind(plain(marked))["sql"] == pinned(marked)


@pytest.mark.parametrize("marked", CORNERS.values(), ids=CORNERS.keys())
def test_every_table_is_pinned_in_corners(marked: str) -> None:
    assert bind(plain(marked))["sql"] == pinned(marked)


# A query of known tables, written by a small grammar together with its pinned form.


def _text(*parts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(parts)


def _spaced(*strategies: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    gap = _text(" ", "\n", " /* from x, y */ ", " -- join z\n", "\n\t")
    glued = [strategies[0]]
    for strategy in strategies[1:]:
        glued += [gap, strategy]
    return st.tuples(*glued).map("".join)


NAMES = _text("[[db.src]]", "[[`db`.`or ders`]]", "[[t1]]", "[[`a``b`]]", "[[c.d.e_2]]")
EXPRESSIONS = _text(
    "1", "src.from_x", "'from db.src'", '"join t1"', "extract(year from db.src)", "t1.`from`",
    "trim(both 'x' from y)", "f(a, b)", "a is distinct from b", "case when a then t1.x end",
    "count(*) filter (where a > 1)", "sum(x) over (partition by t1.a order by b)",
)  # fmt: skip
ALIASES = _text("", " a", " as b", " `t1`", " AS from_x")


def _queries(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    source = st.one_of(
        st.tuples(NAMES, ALIASES).map("".join),
        inner.map(lambda query: f"({query}) as s"),
    )
    sources = st.one_of(
        source,
        _spaced(
            source, _text("join", "left join", "JOIN", "cross join"), source, _text("on 1 = 1")
        ),
        _spaced(source, _text(","), source),
    )
    condition = st.one_of(
        _text("a = 'from t1'", "src.x in (1, 2)"),
        inner.map(lambda query: f"x in ({query})"),
        inner.map(lambda query: f"not exists ({query})"),
    )
    columns = st.one_of(EXPRESSIONS, inner.map(lambda query: f"({query}) as q"), _text("*"))
    select = _spaced(_text("select", "SELECT distinct"), columns, _text("from", "FROM"), sources)
    filtered = st.one_of(select, _spaced(select, _text("where"), condition, _text("group by a, b")))
    return st.one_of(
        filtered,
        _spaced(filtered, _text("union all", "except"), filtered),
        st.tuples(inner, filtered).map(lambda pair: f"with w as ({pair[0]}) {pair[1]}"),
    )


QUERIES = st.recursive(_text("select a, b from [[db.src]]", "select 1"), _queries, max_leaves=6)


@settings(max_examples=80)
@given(QUERIES)
def test_binding_leaves_everything_but_tables_untouched(marked: str) -> None:
    bound = bind(plain(marked))
    assert bound["sql"] == pinned(marked)


@settings(max_examples=40)
@given(QUERIES)
def test_binding_to_nothing_changes_nothing(marked: str) -> None:
    assert bind(plain(marked), {}) == {"sql": plain(marked), "found": [], "own": {}}


# Names


def test_names_are_looked_up_in_the_namespace() -> None:
    bindings = {"spark_catalog.default.src": table(1), "spark_catalog.db.src": table(2)}
    bound = bind("select * from SRC, DB.src, Spark_Catalog.`DB`.Src, other.src, src2", bindings)
    assert bound["sql"] == (
        "select * from SRC version as of 1, DB.src version as of 2,"
        " Spark_Catalog.`DB`.Src version as of 2, other.src, src2"
    )
    places = ["spark_catalog.default.src", "spark_catalog.db.src", "spark_catalog.db.src"]
    assert bound["found"] == places


def test_a_table_without_a_version_is_found_and_left_alone() -> None:
    bindings = {"spark_catalog.db.src": table(None)}
    assert bind("select * from db.src", bindings) == {
        "sql": "select * from db.src",
        "found": ["spark_catalog.db.src"],
        "own": {"spark_catalog.db.src": [None]},
    }


def test_version_zero_is_a_version() -> None:
    bindings = {"spark_catalog.db.src": table(0)}
    assert bind("select 1 from db.src", bindings)["sql"].endswith("db.src version as of 0")


def test_a_name_of_with_hides_a_table() -> None:
    bindings = {"spark_catalog.default.c": table(1), "spark_catalog.db.c": table(2)}
    bound = bind("with c as (select 1) select * from c join db.c", bindings)
    assert bound["sql"] == "with c as (select 1) select * from c join db.c version as of 2"
    assert bound["found"] == ["spark_catalog.db.c"]


# Views


def test_a_view_becomes_its_text_with_its_own_names_and_types() -> None:
    bindings = {
        "spark_catalog.db.v": view("select id, n as m from db.src", "id int, m bigint"),
        "spark_catalog.db.src": table(3),
    }
    bindings["spark_catalog.db.v"]["columns"][1]["source"] = "`n"
    bound = bind("select * from db.v", bindings)
    assert bound["sql"] == (
        "select * from (select cast(`id` as int) as `id`, cast(```n` as bigint) as `m` from (\n"
        "select id, n as m from `spark_catalog`.`db`.`src` version as of 3\n)) as `v`"
    )
    assert bound["found"] == ["spark_catalog.db.v", "spark_catalog.db.src"]


@pytest.mark.parametrize(
    ("after", "alias"),
    [
        (" a", ""),
        (" as a", ""),
        (" `a`", ""),
        (" a (x)", ""),
        ("", " as `v`"),
        (" where true", " as `v`"),
        (" join db.w on true", " as `v`"),
        (" left join db.w on true", " as `v`"),
        (", db.w", " as `v`"),
        (" union all select 1", " as `v`"),
        (" lateral view explode(a) e as x", " as `v`"),
        (" limit 1", " as `v`"),
        (" |> where true", " as `v`"),
        (" /* a */ -- b\n", " as `v`"),
    ],
)
def test_a_view_keeps_or_gets_an_alias(after: str, alias: str) -> None:
    bindings = {"spark_catalog.db.v": view("select 1 as id")}
    subquery = "(select cast(`id` as int) as `id` from (\nselect 1 as id\n))"
    assert bind(f"select * from db.v{after}", bindings)["sql"] == (
        f"select * from {subquery}{alias}{after}"
    )


def test_views_over_views_are_bound_to_the_tables_below() -> None:
    bindings = {
        "spark_catalog.db.top": view("select id from db.low where x > 1 -- end"),
        "spark_catalog.db.low": view("with c as (select * from db.src) select id from c"),
        "spark_catalog.db.src": table(5),
    }
    bound = bind("select * from db.top t, db.low", bindings)
    assert bound["sql"].count("`spark_catalog`.`db`.`src` version as of 5") == 2
    assert "db.low" not in bound["sql"] and "db.top" not in bound["sql"]
    assert sorted(set(bound["found"])) == [
        "spark_catalog.db.low",
        "spark_catalog.db.src",
        "spark_catalog.db.top",
    ]
    assert len(sqlglot.parse(bound["sql"], dialect="spark")) == 1


def test_names_of_a_view_are_looked_up_where_the_view_was_made() -> None:
    bindings = {"spark_catalog.db.v": view("select id from src"), "spark_catalog.db.src": table(3)}
    assert "spark_catalog.db.src" in bind("select * from db.v", bindings)["found"]


@pytest.mark.parametrize("version", [3, None])
def test_names_of_a_view_name_the_same_table_in_the_query(version: int | None) -> None:
    """`src` in the text of db.v is db.src, not default.src and not a name of the outer WITH."""
    bindings = {
        "spark_catalog.db.v": view("select id from src"),
        "spark_catalog.db.src": table(version),
    }
    bound = bind("with src as (select 1 as id) select * from db.v", bindings)["sql"]
    at = "" if version is None else f" version as of {version}"
    assert f"from `spark_catalog`.`db`.`src`{at}\n" in bound


@pytest.mark.parametrize(
    ("marked", "bound"),
    [
        ("table db.src", "(select * from db.src version as of 3)"),
        ("TABLE /* a */ `db`.src;", "(select * from /* a */ `db`.src version as of 3);"),
        (
            "select 1 union all table db.src order by 1",
            "select 1 union all (select * from db.src version as of 3) order by 1",
        ),
        (
            "select * from (table db.src) s, (table db.src |> where true)",
            "select * from ((select * from db.src version as of 3)) s,"
            " ((select * from db.src version as of 3) |> where true)",
        ),
        (
            "with c as (table db.src) table c",
            "with c as ((select * from db.src version as of 3)) table c",
        ),
        (
            "table db.v",
            "(select * from (select cast(`id` as int) as `id` from (\nselect 1 as id\n)) as `v`)",
        ),
        ("select * from f(table db.src)", "select * from f(table db.src)"),
    ],
)
def test_table_as_a_query(marked: str, bound: str) -> None:
    bindings = {"spark_catalog.db.v": view("select 1 as id"), "spark_catalog.db.src": table(3)}
    assert bind(marked, bindings)["sql"] == bound


def test_with_without_as_hides_a_view() -> None:
    bindings = {"spark_catalog.default.v": view("select 1 as id")}
    bound = bind("with v (select 2 as id) select * from v", bindings)
    assert bound["sql"] == "with v (select 2 as id) select * from v"


def test_with_in_the_text_of_a_view_hides_its_tables_only_there() -> None:
    bindings = {
        "spark_catalog.db.v": view("with src as (select * from src) select id from src"),
        "spark_catalog.db.src": table(3),
    }
    bound = bind("with v as (select * from db.v) select * from v join db.src", bindings)
    assert bound["sql"] == (
        "with v as (select * from (select cast(`id` as int) as `id` from (\n"
        "with src as (select * from `spark_catalog`.`db`.`src` version as of 3)"
        " select id from src\n)) as `v`) select * from v join db.src version as of 3"
    )


def test_each_place_is_found_once() -> None:
    bindings = {"spark_catalog.db.src": table(3)}
    bound = bind("select * from db.src a, lateral (select 1) l, db.src timestamp as of 1", bindings)
    assert bound["sql"].count("version as of 3") == len(bound["found"]) == 1


TRAVELLED = (
    "select * from db.src version  as of 5 a, (select 1 from db.src version as of 6), db.src"
)


@pytest.mark.parametrize(
    ("binding", "versions"),
    [
        (table(None), ["5", "6", ""]),
        (table(9), ["9", "9", "9"]),
        ({**table(9), "keeps_own": True}, ["5", "6", "9"]),
        ({**table(0), "keeps_own": True}, ["5", "6", "0"]),
        ({**table(None), "keeps_own": True}, ["5", "6", ""]),
    ],
)
def test_a_version_of_its_own(binding: dict[str, Any], versions: list[str]) -> None:
    """It is part of the name: what replaces one replaces the other."""
    bound = bind(TRAVELLED, {"spark_catalog.db.src": binding})
    first, second, third = (f" version as of {one}" if one else "" for one in versions)
    assert bound["sql"] == (
        f"select * from db.src{first} a, (select 1 from db.src{second}), db.src{third}"
    )
    assert bound["own"] == {"spark_catalog.db.src": [5, 6, None]}
    assert bound["found"] == ["spark_catalog.db.src"] * 3


def test_rows_stand_for_a_version_as_well() -> None:
    rows = {"kind": "rows", "sql": "(select 1)"}
    bindings = {
        "spark_catalog.db.src": {"kind": "occurrences", "occurrences": [table(4), rows, dict(rows)]}
    }
    assert bind(TRAVELLED, bindings)["sql"] == (
        "select * from db.src version as of 4 a,"
        " (select 1 from (select 1) as `src`), (select 1) as `src`"
    )


def test_versions_in_a_view_are_told_with_those_of_the_query() -> None:
    bindings = {
        "spark_catalog.db.src": table(None),
        "spark_catalog.db.v": view("select id from src version as of 2"),
    }
    bound = bind("select * from db.src join db.v on true", bindings)
    assert bound["own"] == {"spark_catalog.db.src": [None, 2]}
    assert "from `spark_catalog`.`db`.`src` version as of 2\n" in bound["sql"]


def test_a_quoted_name_without_a_blank_after_it() -> None:
    bound = bind("select * from`t`where x = 1", {"spark_catalog.default.t": table(3)})["sql"]
    assert bound == "select * from`t` version as of 3 where x = 1"


# Where a view can be replaced by its text.


LEFT_ALONE = {
    "column with its schema": "select db.v.id from db.v where db.v.id > 1",
    "column with its catalog": "select 1 from db.v where spark_catalog . db.`V`.id > 1",
    "all columns with their schema": "select db.v.* from db.v",
    "field of such a column": "select max(struct(db.v.id)) from db.w, db.v",
    "sample": "select * from db.v tablesample (5 rows)",
    "sample with an alias": "select * from db.v tablesample (5 rows) as s",
    "options": "select * from db.v with ('a' = 'b') v",
    "TABLE as an argument": "select * from f(table db.v)",
}


@pytest.mark.parametrize("sql", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_a_view_where_no_subquery_can_stand_is_left_alone(sql: str) -> None:
    """It is not found then, so that its tables count as not bound."""
    bindings = {"spark_catalog.db.v": view("select 1 as id")}
    assert bind(sql, bindings) == {"sql": sql, "found": [], "own": {}}


@pytest.mark.parametrize(
    "sql",
    [
        "select db.v.id from db.v as db",
        "select v.id, 'db.v.id', 1.5 from db.v -- db.v.id",
        "select other.v.id, v.db.v.id from db.v, other.v",
        "select db.w.id from db.v join db.w on true",
    ],
)
def test_only_its_own_schema_keeps_a_view_from_being_replaced(sql: str) -> None:
    bindings = {"spark_catalog.db.v": view("select 1 as id")}
    assert bind(sql, bindings)["found"] == ["spark_catalog.db.v"]


@pytest.mark.parametrize("word", ["a", "`where`", "version", "timestamp", "1a"])
def test_alias(word: str) -> None:
    assert Dbt()("_is_alias", word)


@pytest.mark.parametrize("word", ["", ",", ")", "|>", "where", "left", "select", "lateral"])
def test_no_alias(word: str) -> None:
    assert not Dbt()("_is_alias", word)


# A view's text as a subquery.


def test_own_names_and_types() -> None:
    columns = [
        {"name": "i`d", "type": "int", "source": "ID"},
        {"name": "n", "type": "decimal(10,2)", "source": "`n"},
    ]
    assert Dbt()("_view_sql", "select 1 -- x", columns) == (
        "(select cast(`ID` as int) as `i``d`, cast(```n` as decimal(10,2)) as `n` from (\n"
        "select 1 -- x\n))"
    )


def test_nested_types_are_not_cast() -> None:
    """DESCRIBE shows them without quotes, and cut after 25 fields."""
    columns = [
        {"name": "s", "type": "struct<a b:int,c:int,... 4 more fields>", "source": "s"},
        {"name": "a", "type": "array<int>", "source": "b"},
    ]
    bound = Dbt()("_view_sql", "select 1", columns)
    assert bound == "(select `s` as `s`, `b` as `a` from (\nselect 1\n))"


def test_a_char_keeps_what_pads_it() -> None:
    columns = [{"name": "c", "type": "char(5)", "source": "c"}]
    assert Dbt()("_view_sql", "select 1", columns).startswith("(select `c` as `c` from")
