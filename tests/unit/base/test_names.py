"""Names: quoted so that they are one name, whatever is in them; what dbt calls a model."""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from ..kit.harness import Dbt, DbtError, Model, Relation
from ..kit.lexer import lex, unquote
from ..kit.nasty import NASTY
from ..kit.scenes import VIEW

# Names: quoted so that they are one name, whatever is in them.


DBT = Dbt()


@given(st.one_of(st.text(), st.sampled_from(NASTY)))
def test_a_quoted_name_is_one_name(text: str) -> None:
    quoted = DBT("_quote", text)
    assert unquote(quoted) == text
    tokens = sqlglot.tokenize(quoted, dialect="spark")
    assert [token.token_type.name for token in tokens] == ["IDENTIFIER"]


@given(st.lists(st.text(), min_size=1, max_size=3))
def test_a_list_of_names(names: list[str]) -> None:
    tokens = [token for token in lex(DBT("_quote_all", names)) if token.kind == "quoted"]
    assert [unquote(token.text) for token in tokens] == names


@pytest.mark.parametrize(
    ("relation", "name", "mview_id"),
    [
        (Relation(None, "Shop", "Totals"), "`Shop`.`Totals`", "spark_catalog.shop.totals"),
        (Relation("Cat", "s", "t"), "`Cat`.`s`.`t`", "cat.s.t"),
        (Relation(None, "a`b", "select"), "`a``b`.`select`", "spark_catalog.a`b.select"),
    ],
)
def test_relations(relation: Relation, name: str, mview_id: str) -> None:
    assert DBT("_name", relation) == name
    assert DBT("_mview_id", relation) == mview_id


def test_current_catalog() -> None:
    """That of the target; dbt-spark's has none."""
    assert DBT("_current_catalog") == "spark_catalog"
    assert Dbt(catalog="Main")("_current_catalog") == "main"


@pytest.mark.parametrize(
    ("catalog", "text"),
    [(None, "`a.b`"), ("", "`a.b`"), ("Spark_Catalog", "`a.b`"), ("x`y", "`x``y`.`a.b`")],
)
def test_schema_in(catalog: str | None, text: str) -> None:
    assert DBT("_schema_in", catalog, "a.b") == text


@pytest.mark.parametrize(
    ("value", "items"),
    [(None, []), (False, []), ("a", ["a"]), (["a", "b"], ["a", "b"]), ([], []), (("a",), ["a"])],
)
def test_as_list(value: Any, items: list[str]) -> None:
    assert DBT("_as_list", value) == items


# Columns as configs name them.


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (None, []),
        ("", []),
        ([""], [""]),
        ("day", ["day"]),
        ("day, , region", ["day", "region"]),
        ("day, region", ["day", "region"]),
        ("`day`", ["day"]),
        ("`a,b`, c", ["a,b", "c"]),
        (["day", "`of``it`"], ["day", "of`it"]),
        (["a,b", "b`c"], ["a,b", "b`c"]),
    ],
)
def test_columns_of(value: Any, names: list[str]) -> None:
    assert Dbt()("_columns_of", value) == names


# What `dbt run --select` takes.


def test_a_model_is_not_called_as_its_table() -> None:
    dbt = Dbt(None, Model("daily", config={"alias": "totals"}))
    assert dbt("_model_name", VIEW) == "daily"
    assert dbt("_model_name", "spark_catalog.shop.gone") == "gone"


def test_one_of_several_versions() -> None:
    dbt = Dbt(None, Model("dim", config={"alias": "dim_v1"}))
    dbt.context["graph"]["nodes"]["model.shop.dim"]["version"] = 1
    assert dbt("_model_name", "spark_catalog.shop.dim_v1") == "dim.v1"


def test_the_way_out_names_it() -> None:
    dbt = Dbt(None, Model("daily", config={"alias": "totals"}))
    dbt.engine.built_state()
    with pytest.raises(DbtError, match="Build the view once with `dbt run --select daily`"):
        dbt.operation("mview_explain", view="totals")
