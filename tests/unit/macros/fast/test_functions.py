"""Functions whose result is not a function of their arguments alone."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt


def unsure(sql: str) -> Any:
    dbt = Dbt()
    return dbt("_unsure_functions", dbt("_tokens", sql)[1::3])


@pytest.mark.parametrize(
    "sql",
    [
        "select k, count(*), Sum(amt) from shop.orders group by k",
        "select max (a) from t where b in (1, 2) and exists (select 1) or not (c)",
        "with c as (select 1) select * from (select 1) union all (select 2)",
        "select row_number() over (partition by k order by (x)) from t join u using (k)",
        "select case when (a) then (b) else (c) end, if(a, b, c), trim(s), try_cast(a as int)",
        "select cast(a as decimal(10, 2)), interval (1) day, array(1), f.x from t as f",
        "select 'my_func(1)', `my_func` /* my_func(1) */ from t -- my_func(1)",
        "with my_t (a, b) as (select 1, 2), other (c) as (select 3) select a, c from my_t, other",
        "select c from (select 1) as my_t (c) join (select 2) second (d) on c = d",
    ],
)
def test_fine(sql: str) -> None:
    dbt = Dbt()
    dbt.engine.functions += ["Cast", "row_number"]
    assert dbt("_unsure_functions", dbt("_tokens", sql)[1::3]) is None


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("select my_func(a) from t", "UDF_NOT_DETERMINISTIC: my_func"),
        ("select db.My_Func (a) from t", "UDF_NOT_DETERMINISTIC: db.my_func"),
        ("select `my func`(a) from t", "UDF_NOT_DETERMINISTIC: `my func`"),
        ("select `f`(a) from t", "UDF_NOT_DETERMINISTIC: `f`"),
        ("select collect_list(a) from t", "EXPRESSION_NOT_DETERMINISTIC: collect_list"),
        ("select a, my_func(b) as c, d from t", "UDF_NOT_DETERMINISTIC: my_func"),
        ("select a, my_func(b) as (c, d) from t", "UDF_NOT_DETERMINISTIC: my_func"),
        ("select (a), my_func(b) from t", "UDF_NOT_DETERMINISTIC: my_func"),
        ("select FIRST(a) from t", "EXPRESSION_NOT_DETERMINISTIC: first"),
        (
            "select count(*) from t group by Session_Window (at, '1 hour')",
            "OPERATOR_NOT_INCREMENTAL: session_window",
        ),
        ("select session_window, a from t, f(x)", "UDF_NOT_DETERMINISTIC: f"),
        ("select theta_sketch_agg(a) from t", "EXPRESSION_NOT_DETERMINISTIC: theta_sketch_agg"),
        ("select max_by(a, b) from t", "EXPRESSION_NOT_DETERMINISTIC: max_by"),
    ],
)
def test_unsure(sql: str, reason: str) -> None:
    assert unsure(sql) == reason


def test_the_engine_is_asked_once() -> None:
    dbt = Dbt()
    for _ in range(3):
        assert "sum" in dbt("_system_functions")
    assert dbt.engine.steps == ["read_functions"]
    assert dbt.engine.sql("read_functions").endswith("show system functions")
