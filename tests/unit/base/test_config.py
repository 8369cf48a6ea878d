"""What a model may say: configs, vars, constraints, layout."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Engine
from ..kit.harness import Dbt, DbtError, Model

# Configs with few values: understood, or refused with all that is allowed.


SPEC = {"mview_id": "spark_catalog.shop.totals"}


def dbt_with(**config: Any) -> Dbt:
    return Dbt(None, Model(config=config))


def test_configs_may_stand_in_meta() -> None:
    """Where dbt v2 and dbt-databricks want those that they do not know; what stands beside wins."""
    dbt = dbt_with(build="deferred", meta={"refresh": "fast", "build": "immediate", "audit": False})
    assert dbt("_refresh_method", SPEC) == "fast"
    assert [dbt("_config", name, "d") for name in ("build", "audit", "purge")] == [
        "deferred",
        False,
        "d",
    ]
    assert dbt("_config", "purge", configs={"meta": {"purge": "x"}}) == "x"
    assert dbt("_config", "purge", configs={}) is None


@pytest.mark.parametrize(
    ("given", "method"),
    [
        (None, "auto"),
        ("auto", "auto"),
        ("AUTO", "auto"),
        ("force", "auto"),
        ("complete", "complete"),
        ("Full", "complete"),
        ("fast", "fast"),
        ("Incremental", "fast"),
    ],
)
def test_refresh_method(given: str | None, method: str) -> None:
    config = {} if given is None else {"refresh": given}
    assert dbt_with(**config)("_refresh_method", SPEC) == method


def test_the_method_of_a_run_operation_goes_before_the_config() -> None:
    assert dbt_with(refresh="auto")("_refresh_method", SPEC, "complete") == "complete"


@pytest.mark.parametrize("given", ["sometimes", "", 3])
def test_an_unknown_word_is_refused(given: Any) -> None:
    message = f"totals: refresh is '{given}'. Use one of: auto, complete, fast.".lower()
    if given == "":
        assert dbt_with(refresh=given)("_one_of", SPEC, "x", "a", ["a"]) == "a"
        return
    with pytest.raises(DbtError) as error:
        dbt_with(refresh=given)("_refresh_method", SPEC)
    assert message in str(error.value).lower()


def test_one_of() -> None:
    dbt = Dbt()
    assert dbt("_one_of", SPEC, "build", "Deferred", ["immediate", "deferred"]) == "deferred"
    with pytest.raises(
        DbtError, match=r"totals: build is 'late'\. Use one of: immediate, deferred\."
    ):
        dbt("_one_of", SPEC, "build", "late", ["immediate", "deferred"])


@pytest.mark.parametrize(
    ("config", "mode"),
    [
        ({}, "sync_all_columns"),
        ({"on_schema_change": "ignore"}, "ignore"),
        ({"on_schema_change": "Append_New_Columns"}, "append_new_columns"),
    ],
)
def test_on_schema_change_counts_only_where_the_user_wrote_it(config: Any, mode: str) -> None:
    assert dbt_with(**config)("_on_schema_change", SPEC) == mode


def test_on_schema_change_unknown() -> None:
    with pytest.raises(DbtError, match="on_schema_change is 'drop'"):
        dbt_with(on_schema_change="drop")("_on_schema_change", SPEC)


# Vars that count something.


NAME = "dbt_mview:some_days"


@pytest.mark.parametrize(("given", "count"), [(7, 7), ("9", 9), (" 12 ", 12), ("007", 7)])
def test_numbers(given: Any, count: int) -> None:
    assert Dbt(variables={NAME: given})("_count_from_var", NAME, 30) == count


def test_default() -> None:
    assert Dbt()("_count_from_var", NAME, 30) == 30


@pytest.mark.parametrize(
    "given",
    ["a month", "", 0, "0", -1, "1.5", 1.5, True, None, "1); drop table x; --", "1\n2", "\u0661"],
)
def test_what_is_refused(given: Any) -> None:
    with pytest.raises(DbtError) as error:
        Dbt(variables={NAME: given})("_count_from_var", NAME, 30)
    assert str(error.value) == (
        f"dbt_mview: the var {NAME}: '{str(given).strip()}' is no whole number above 0."
        " Correct it in dbt_project.yml or in --vars; the default is 30."
    )


# Constraints that Delta enforces in the publishing commit.


CONSTRAINED = {"mview_id": "spark_catalog.shop.totals", "definition": "select 1"}


def constraint(type_: str, **values: Any) -> dict[str, Any]:
    given = {"name": None, "expression": None, "columns": [], "warn_unenforced": True}
    return {**given, "type": type_, **values}


def constraints(*of_model: dict[str, Any], **of_columns: list[dict[str, Any]]) -> tuple[Any, Dbt]:
    columns = {name: {"constraints": given} for name, given in of_columns.items()}
    config = {"contract": {"enforced": True}}
    dbt = Dbt(Engine(), Model(config=config, constraints=list(of_model), columns=columns))
    return dbt("_constraints", CONSTRAINED), dbt


def test_not_null_and_check() -> None:
    found, dbt = constraints(
        constraint("check", name="Positive", expression="total > 0"),
        constraint("not_null", columns=["a", "b c"]),
        total=[constraint("not_null"), constraint("check", expression="total < 9")],
        other=[constraint("not_null", name="other_is_there")],
    )
    assert found == {
        "positive": "total > 0",
        "not_null_a": "`a` is not null",
        "not_null_b c": "`b c` is not null",
        "not_null_total": "`total` is not null",
        "check_" + dbt.context["local_md5"]("total < 9")[:8]: "total < 9",
        "other_is_there": "`other` is not null",
    }
    assert dbt.warned == []


def test_a_named_not_null_over_two_columns() -> None:
    found, _ = constraints(constraint("not_null", name="there", columns=["a", "b"]))
    assert found == {"there": "(`a` is not null) and (`b` is not null)"}


def test_conditions_of_one_name_all_hold() -> None:
    found, _ = constraints(
        constraint("check", name="fine", expression="a > 0 or b > 0"),
        constraint("check", name="FINE", expression="A > 0 or b > 0"),
        a=[constraint("not_null"), constraint("not_null")],
    )
    assert found == {
        "fine": "(a > 0 or b > 0) and (A > 0 or b > 0)",
        "not_null_a": "`a` is not null",
    }


@pytest.mark.parametrize("type_", ["primary_key", "foreign_key", "unique", "custom"])
def test_others_are_noted_only(type_: str) -> None:
    found, dbt = constraints(constraint(type_, columns=["a"]))
    assert found == {}
    assert len(dbt.warned) == 1 and f"Delta does not enforce {type_}" in dbt.warned[0]
    _, quiet = constraints(constraint(type_, columns=["a"], warn_unenforced=False))
    assert quiet.warned == []


# The columns of an enforced contract.


CONTRACT = {"mview_id": "spark_catalog.shop.totals", "definition": "select 1"}


def test_columns_of_a_contract() -> None:
    dbt = Dbt(Engine(), Model(columns={"B": {}, "a": {}}))
    columns = [{"name": "A"}, {"name": "b"}]
    assert dbt("_contract_columns", CONTRACT, columns) == [{"name": "b"}, {"name": "A"}]
    assert dbt.engine.steps == ["contract"]


# What the table is made of, and what Delta cannot be made of.


LAID_OUT = {"mview_id": "spark_catalog.shop.totals", "identifier": "totals"}


def layout(**config: Any) -> Any:
    return Dbt(None, Model(config=config))("_layout_from_model", LAID_OUT)


def test_without_configs() -> None:
    assert layout() == {
        "partition_by": [],
        "liquid_clustered_by": [],
        "location": None,
        "tblproperties": {},
        "change_feed": None,
        "constraints": {},
    }


def test_with_configs() -> None:
    found = layout(
        partition_by="day",
        location_root="/data/",
        tblproperties={"delta.appendOnly": False, "n": 1},
        file_format="delta",
    )
    assert found["partition_by"] == ["day"]
    assert found["location"] == "/data/totals"
    assert found["tblproperties"] == {"delta.appendOnly": "false", "n": "1"}
    assert layout(liquid_clustered_by=["a", "b"])["liquid_clustered_by"] == ["a", "b"]
    agreed = {"tblproperties": {"delta.enableChangeDataFeed": False}}
    assert layout(change_feed=False, **agreed)["change_feed"] is False
    assert layout(**agreed)["change_feed"] is None
    assert layout(meta={"change_feed": "false"})["change_feed"] is False


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"clustered_by": "a"}, "Delta tables have no buckets"),
        ({"buckets": 4}, "Delta tables have no buckets"),
        ({"file_format": "parquet"}, "file_format is 'parquet'"),
        ({"partition_by": "a", "liquid_clustered_by": "b"}, "exclude each other"),
        ({"change_feed": "maybe"}, "change_feed is 'maybe'. Use one of: true, false"),
        (
            {"change_feed": False, "tblproperties": {"delta.EnableChangeDataFeed": True}},
            "change_feed is false and tblproperties say delta.enableChangeDataFeed: true. Leave",
        ),
        (
            {"change_feed": True, "tblproperties": {"delta.columnMapping.mode": "name"}},
            "change_feed is true and tblproperties map columns",
        ),
    ],
)
def test_refused(config: Any, message: str) -> None:
    with pytest.raises(DbtError, match=message):
        layout(**config)


# Whether dbt lets a model read no more than a part.


@pytest.mark.parametrize(("argument", "cut"), [("empty", True), ("sample", True), ("quiet", False)])
def test_arguments(argument: str, cut: bool) -> None:
    """dbt makes a flag of some of them only."""
    dbt = Dbt()
    assert dbt("_is_partial_run") is False
    dbt.context["invocation_args_dict"].update({"empty": False, argument: True})
    dbt.context["flags"].EMPTY = argument == "empty"
    assert dbt("_is_partial_run") is cut
