"""Functions that a query calls, as far as their result may change by itself."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.plans import FACTS, question, tables

# What the text of a query calls that changes without a change of data.


DBT = Dbt()


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("select a, now ( ), Rand(7), uuid/* */() from t", ["now", "rand", "uuid"]),
        ("select current_date, CURRENT_TIMESTAMP from t", ["current_date", "current_timestamp"]),
        ("select AES_ENCRYPT(a, k), aes_decrypt(a, k) from t", ["aes_encrypt"]),
        ("select _metadata.file_name from t", []),
        ("select unix_timestamp(), unix_timestamp( ) from t", ["unix_timestamp"]),
        ("select unix_timestamp(a), unix_timestamp (a, 'x') from t", []),
        ("select 'now()', \"rand()\", a.now(1), my_rand(), `now`, now from t -- now()", []),
        ("select * from t where d > date'Today' or e > timestamp_ntz ' now '", None),
        ("select * from t where d = 'today' and 'x' > date '2020-01-01'", []),
        ("select user, t.current_user, session_user from t", []),
        ("select * from t where d = to_date('Today UTC')", ["to_date( 'today'"]),
        ("select TRY_TO_TIMESTAMP (' yesterday') from t", ["try_to_timestamp( 'yesterday'"]),
        ("select to_date(today), to_date('2020-01-01'), my_to_date('now') from t", []),
        ("select * from t where at > timestamp '08:00'", ["timestamp '08:00'"]),
        ("select to_timestamp('T8:15:00.5 UTC') from t", ["to_timestamp( 't8:15:00.5'"]),
        ("select * from t where s = '08:00' and at > timestamp'2020-01-01 08:00'", []),
        ("select version(), version, version(a) from t", ["version"]),
    ],
)
def test_nondeterministic_in_text(sql: str, names: list[str] | None) -> None:
    names = ["date 'today'", "timestamp_ntz 'now'"] if names is None else names
    assert DBT("_nondeterministic_in_text", sql, False) == names


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("select user, a.user, current_user from t", ["user", "current_user"]),
        ("select d > 'Yesterday' from t", ["'yesterday'"]),
        ("select _metadata.file_name from t", ["_metadata"]),
        ("select a from t", []),
    ],
)
def test_what_may_be_a_column_counts_where_the_plan_is_truncated(
    sql: str, names: list[str]
) -> None:
    assert DBT("_nondeterministic_in_text", sql, True) == names


@pytest.mark.parametrize(
    ("plan", "names"),
    [
        ("Filter (day#5 = cast(today as date))", ["today"]),
        ("Filter (day#5 = cast( today UTC as timestamp))", [" today utc"]),
        ("Filter (day#5 = cast(todays#4 as date))", []),
    ],
)
def test_moments_in_a_plan(plan: str, names: list[str]) -> None:
    assert DBT("_nondeterministic_calls", plan) == names


# Functions whose result is not a function of their arguments alone.


MORE = ["array_join", "size", "sort_array", "array_sort", "lower", "concat"]


def not_deterministic(sql: str) -> Any:
    dbt = Dbt()
    dbt.engine.functions += MORE
    return dbt("_why_not_deterministic", dbt("_tokens", sql)[1::3])


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
        "select sort_array(collect_list(a + f.b)), size(Collect_Set (a)), k from t group by k",
        "select array_join(Sort_Array(array_agg(distinct a), false), ',') from t",
        "select array_join(array_sort(collect_set(a)), ',') from t",
        "select listagg(a, ', ') within group (order by a), string_agg(a) within group(order by a)",
        "select listagg(distinct lower(a)) within group (order by lower(a) desc) from t",
        "select listagg(concat(a, '-', b), ', ') within group (order by concat(a, '-', b)) from t",
    ],
)
def test_fine(sql: str) -> None:
    dbt = Dbt()
    dbt.engine.functions += ["Cast", "row_number", *MORE]
    assert dbt("_why_not_deterministic", dbt("_tokens", sql)[1::3]) is None


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("select my_func(a) from t", "UDF_NOT_DETERMINISTIC: my_func"),
        ("select db.My_Func (a) from t", "UDF_NOT_DETERMINISTIC: db.my_func"),
        ("select `my func`(a) from t", "UDF_NOT_DETERMINISTIC: `my func`"),
        ("select `f`(a) from t", "UDF_NOT_DETERMINISTIC: `f`"),
        ("select collect_list(a) from t", "EXPRESSION_NOT_DETERMINISTIC: collect_list"),
        *(
            (f"select {sql} from t", f"EXPRESSION_NOT_DETERMINISTIC: {name}")
            for sql, name in [
                ("concat(sort_array(array(a)), collect_list(a))", "collect_list"),
                ("array_sort(collect_list(a), (x, y) -> 0)", "collect_list"),
                ("sort_array(collect_list(a) over (partition by k))", "collect_list"),
                ("sort_array(array_agg(a)[0])", "array_agg"),
                ("sort_array(first(a))", "first"),
                ("listagg(a) within group (order by b)", "listagg"),
                ("listagg(a, ',')", "listagg"),
                ("listagg('A' || a) within group (order by 'a' || a)", "listagg"),
                ("listagg(concat(a, b), ',') within group (order by concat(a))", "listagg"),
                ("collect_list(a", "collect_list"),
            ]
        ),
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
def test_why_not_deterministic(sql: str, reason: str) -> None:
    assert not_deterministic(sql) == reason


@pytest.mark.parametrize(
    ("gathered", "types", "function"),
    [
        ("sort_array(collect_set(amt#3, 0, 0), true)", {}, None),
        ("sort_array(collect_set(amt#3, 0, 0), true)", {"amt": "double"}, "collect_set"),
        ("sort_array(collect_list(amt#3, 0, 0), true)", {"amt": "array<float>"}, "collect_list"),
        ("sort_array(collect_list(cast(amt#3 as double), 0, 0), true)", {}, "collect_list"),
        ("listagg(s#4, ,, s#4 ASC, 0, 0)", {"s": "string collate UTF8_LCASE"}, "listagg"),
        ("listagg(s#4, ,, s#4 ASC, 0, 0)", {"s": "string", "amt": "double"}, None),
        ("max(amt#3)", {"amt": "double"}, None),
    ],
)
def test_a_sorted_list_of_values_of_which_equal_ones_differ(
    gathered: str, types: dict[str, str], function: str | None
) -> None:
    plan = question("k#2, l#9", f"Aggregate [k#2], [k#2, {gathered} AS l#9]", FACTS)
    reads = {"plan": plan, "columns": tables(plan, **types)}
    found = Dbt()("_why_gathered_unlike", reads)
    told = f"{function} of values of which equal ones differ"
    assert (found or {}).get("detail") == (told if function else None)


def test_the_engine_is_asked_once() -> None:
    dbt = Dbt()
    for _ in range(3):
        assert "sum" in dbt("_system_functions")
    assert dbt.engine.steps == ["read_functions"]
    assert dbt.engine.sql("read_functions").endswith("show system functions")


# Lists of functions and words.


@pytest.mark.parametrize("name", ["_unordered_functions", "_words_before_brackets"])
def test_words(name: str) -> None:
    words = DBT(name)
    assert len(set(words)) == len(words) > 10
    assert all(word == word.lower() and word.isidentifier() for word in words)


def test_what_depends_on_the_order_of_rows_is_not_fine() -> None:
    assert not set(DBT("_unordered_functions")) & set(DBT("_words_before_brackets"))


# Names of subqueries, which are no functions.


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("with t ( a ) as ( select", True),
        (") t ( a )", True),
        ("as t ( a )", True),
        (", t ( a , b ) as ( select", True),
        (", t ( a , b ) as ( values", True),
        (", t ( a ) as ( c , d )", False),
        (", t ( a ) as c", False),
        (", t ( a", False),
        ("select t ( a )", False),
        ("+ t ( a ) as ( select", False),
    ],
)
def test_alias(sql: str, found: bool) -> None:
    tokens = sql.split()
    assert Dbt()("_names_a_subquery", tokens, tokens.index("t")) is found


def test_at_the_very_start() -> None:
    assert Dbt()("_names_a_subquery", ["t", "(", ")"], 0) is False
