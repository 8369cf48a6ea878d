"""All terms as one query."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.jobs import TERMS, columns
from ...kit.parsing import parse

DBT = Dbt()


def test_terms() -> None:
    sql = DBT("_terms_sql", TERMS, columns("k", "s"))
    items = "`k`, cast(`s` as string) as `s`"
    assert sql == (
        f"select {items}, 1 as _mview_sign\nfrom (\nselect k, s from came -- new\n)"
        "\nunion all\n"
        f"select {items}, -1 as _mview_sign\nfrom (\nselect k, s from went\n)"
    )
    assert parse(sql)


def test_one() -> None:
    sql = DBT("_terms_sql", TERMS[1:], columns("k"))
    assert sql == "select `k`, -1 as _mview_sign\nfrom (\nselect k, s from went\n)"
