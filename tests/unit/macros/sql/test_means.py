"""Means by sums and counts; tests/functional/test_means.py computes them."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.jobs import SPEC, means
from ...kit.parsing import parse

DBT = Dbt()
DERIVED = "try_cast(round(`total` / nullif(`mean`, 0)) as decimal(10, 0))"
COUNTED = "try_cast(`c` as decimal(10, 0))"


def test_how_many_values_a_mean_is_of() -> None:
    """Told from sum and mean where the mean's last digit decides between two numbers."""
    assert DBT("_values_behind_sql", "mean", means()) == (
        "case\n        when `mean` is null then 0\n"
        f"        when abs(`mean` * {DERIVED} - `total`) <= {DERIVED} * 0.0000005\n"
        f"            and abs(`mean`) > ({DERIVED} + 1) * 8 * 0.0000005\n"
        f"        then {DERIVED}\n    end"
    )


def test_one_row_has_one_value() -> None:
    sql = DBT("_values_behind_sql", "mean", means(of={"rows": "n"}))
    assert "\n        when `mean` is null then 0\n        when `n` = 1 then 1\n" in sql


def test_a_count_beside_it() -> None:
    """It is not believed where sum and mean contradict it."""
    assert DBT("_values_behind_sql", "mean", means(of={"count": "c"})) == (
        "case\n        when `mean` is null then 0\n"
        f"        when abs(`mean` * {COUNTED} - `total`) <= {COUNTED} * 0.0000005\n"
        f"        then {COUNTED}\n    end"
    )


def test_whole_numbers() -> None:
    """A double has digits enough to tell any two numbers of values apart."""
    sql = DBT("_values_behind_sql", "mean", means("double"))
    quotient = f"cast(`total` as double) / nullif(cast({DERIVED} as double), 0)"
    assert f"when `mean` = {quotient} and {DERIVED} <= 4194304\n        then" in sql


@pytest.mark.parametrize(
    ("type_", "half"),
    [
        ("decimal(14,6)", "0.0000005"),
        ("decimal(14,4)", "0.00005"),
        ("double", ""),
    ],
)
def test_half_a_digit(type_: str, half: str) -> None:
    assert DBT("_half_a_digit", type_).strip() == half


def test_the_terms_say_of_how_many_values_they_are() -> None:
    """One of which it is not known makes the change unknown."""
    sql = DBT("_stage_changes_sql", SPEC, means())
    column = "_mview_count_3"
    assert f"    end as {column}\nfrom (\nselect `k`, `n`, `total`, `mean`, `c`, 1 as" in sql
    signed = f"sum(case when _mview_sign < 0 then - {column} else {column} end)"
    assert f"case when count({column}) = count(*) then {signed} end as _mview_sum_3" in sql
    assert parse(sql)


def test_a_group_that_was_not_there_had_none() -> None:
    sql = DBT("_combined_sql", SPEC, means())
    assert (
        "try_cast(case when v._mview_there then v._mview_count_3 else 0 end + s._mview_sum_3"
        " as decimal(10, 0)) as _mview_count_3,"
    ) in sql
    assert "left join (select *, true as _mview_there,\n    case\n" in sql
    assert parse(sql)


def test_a_mean_that_avg_may_round_otherwise_is_in_doubt() -> None:
    sql = DBT("_combined_sql", SPEC, means())
    count = "_mview_count_3"
    assert f"cast(`total` / nullif({count}, 0) as decimal(14,6)) as `mean`\nfrom (" in sql
    assert (
        f"_mview_doubt or not (\n        coalesce({count} = 0"
        f" or abs(`mean` * {count} - `total`) < {count} * 0.0000005, false)\n"
        "    ) as _mview_doubt,"
    ) in sql


def test_rows_that_only_came_may_leave_a_mean_in_doubt() -> None:
    came = means(changes=[{"deletes": False}])
    assert "count_if(_mview_doubt)" in DBT("_staged_changes_sql", SPEC, came, [])
