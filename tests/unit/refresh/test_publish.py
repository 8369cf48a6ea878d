"""Step publish: one commit, and what became of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import Delta, Table
from ..kit.harness import Dbt, DbtError, Model
from ..kit.lexer import skeleton, strings
from ..kit.nasty import NASTY
from ..kit.parsing import parse
from ..kit.records import as_job, as_reason
from ..kit.scenes import VIEW, built, change_source, changed, new, small

# Step publish: one commit.


@pytest.mark.parametrize("scene", [new, built])
def test_one_commit_on_the_view(scene: object) -> None:
    dbt: Dbt = scene()  # type: ignore[operator]
    change_source(dbt)
    dbt.run()
    assert dbt.engine.steps.count("publish") == 1
    assert "raise_error('dbt_mview: lock lost" in dbt.engine.sql("publish")


def at_once(**config: Any) -> Dbt:
    """Changes of groups of a small view: they are read where they are published."""
    return small(changed(**config))


def steps(dbt: Dbt) -> list[str]:
    """Those that write to the view or a stage."""
    return [step for step in dbt.engine.steps if step in ("stage", "publish", "sweep")]


SAID = "6 rows: shop.orders v2 -> v3 (aggregate delta, 10 changed rows)"


def test_changes_without_a_stage() -> None:
    dbt = at_once()
    (result,) = dbt.run()
    assert result.message == f"FAST v1, {SAID}"
    assert steps(dbt) == ["publish"]


@pytest.mark.parametrize("config", [{}, {"refresh": "fast"}])
def test_an_undecided_group_is_looked_at(config: Any) -> None:
    """The statement fails on it; then the changes are staged, and the group is computed again."""
    dbt = at_once(**config)
    dbt.engine.undecided, dbt.engine.staged = True, [3, 1]
    (result,) = dbt.run()
    assert result.message == f"FAST v1, {SAID}"
    assert steps(dbt) == ["publish", "stage", "publish", "sweep"]
    sent = [statement.sql for statement in dbt.engine.log if statement.step == "publish"]
    assert ["a._mview_undecided" in sql for sql in sent] == [False, True]


def test_any_other_error_comes_again() -> None:
    """The text of the first one is lost, as a script's are; the second one is the user's."""
    dbt = at_once()

    def refuse(sql: str) -> None:
        if "is undecided" not in sql:
            raise RuntimeError("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")

    dbt.engine.undecided = True
    dbt.engine.on["publish"] = refuse
    (result,) = dbt.run()
    assert result.message == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert steps(dbt) == ["publish", "stage", "publish", "sweep"]


def test_changes_that_are_gone_are_not_read_twice() -> None:
    """Neither by the publish nor by the stage: the view is built anew."""
    dbt = at_once()
    dbt.engine.feed_is_there = False
    (result,) = dbt.run()
    assert result.message.startswith("COMPLETE v1, 3 rows") and steps(dbt)[:2] == [
        "publish",
        "stage",
    ]


# Seeing what became of the publish in the view's history.


SPEC = {"mview_id": VIEW, "name": "`shop`.`totals`"}


def job(dbt: Dbt, **changes: Any) -> dict[str, Any]:
    """The job of the last refresh of the view."""
    state = dbt.engine.states[VIEW]
    held = {"id": state["refresh_job_id"], "token": state["lock_token"], "state": state}
    return as_job({**held, **changes})


def test_seen() -> None:
    dbt = built()
    ours = job(dbt)
    dbt("_check_published", SPEC, ours)
    assert (ours["commit"]["version"], ours["commit"]["rows"]) == (0, 3)
    assert ours["ended"] == dbt("_now_micros")


def test_nothing_changed() -> None:
    """No commit, and the lock is still ours: the view is as it was."""
    dbt = built()
    dbt.engine.state(VIEW, refresh_job_id="next", lock_token=2, lock_owner="run")
    ours = job(dbt)
    dbt("_check_published", SPEC, ours)
    assert ours["commit"] == {"version": 0, "rows": 0}


@pytest.mark.parametrize("publish", ["create", "replace", "swap"])
def test_an_engine_that_drops_the_metadata(publish: str) -> None:
    """What builds a table leaves a commit: one that says nothing of the refresh is its own."""
    dbt = built()
    dbt.engine.tables[VIEW].commit(700, "CREATE OR REPLACE TABLE AS SELECT", 3)
    dbt.engine.state(VIEW, refresh_job_id="next", lock_token=2, lock_owner="run")
    with pytest.raises(DbtError) as error:
        dbt("_check_published", SPEC, job(dbt, publish=publish))
    text = "version 1 of its history, by CREATE OR REPLACE TABLE AS SELECT, lacks the metadata"
    assert text in str(error.value) and "mview_doctor" in str(error.value)


@pytest.mark.parametrize("changes", [{"id": "another"}, {"id": "next", "token": 1}])
def test_dropped_without_an_error(changes: Any) -> None:
    dbt = built()
    dbt.engine.state(VIEW, refresh_job_id="next", lock_token=2, lock_owner="run")
    with pytest.raises(DbtError, match="lock lost: another run took over the refresh, nothing"):
        dbt("_check_published", SPEC, job(dbt, **changes))


def test_a_row_of_state_that_is_gone() -> None:
    dbt = built()
    ours = job(dbt, id="next")
    dbt.engine.states.clear()
    with pytest.raises(DbtError, match="lock lost"):
        dbt("_check_published", SPEC, ours)


@pytest.mark.parametrize(
    ("operation", "fast", "version"), [("DELETE", {"x": 1}, 0), ("DELETE", None, 2),
                                       ("OPTIMIZE", {"x": 1}, 2)]
)  # fmt: skip
def test_somebody_wrote_meanwhile(operation: str, fast: Any, version: int) -> None:
    """FAST built on a view that is no more: the next look finds it changed."""
    dbt = built()
    view = dbt.engine.tables[VIEW]
    seen = dbt(
        "_target",
        {"database": None, "schema": "shop", "identifier": "totals", "name": SPEC["name"]},
    )
    view.commit(700, operation)
    view.commit(701, "WRITE", 5, view.commits[0].meta)
    ours = job(dbt, fast=fast, target=seen)
    dbt.engine.states[VIEW]["target_version"] = 0
    dbt("_check_published", SPEC, ours)
    assert ours["commit"]["version"] == version


def test_a_dry_run_has_nothing_to_see() -> None:
    dbt, dry = Dbt(), {"id": "j", "dry_run": True}
    dbt("_check_published", SPEC, dry)
    assert dry["commit"] == {"version": None, "rows": None}
    assert dbt.engine.log == []
    dbt("_check_lock_is_ours", SPEC, dry)


@pytest.mark.parametrize("token", [2, 3])
def test_an_older_token_is_dropped_by_delta(token: int) -> None:
    """Without an error: then the view is not as its new sources have it."""
    dbt = built()
    dbt.engine.state(VIEW, refresh_job_id="next", lock_token=2, lock_owner="run")
    dbt.engine.tables[VIEW].commits[-1].meta = json.dumps({"dbt_mview": {"lock_token": token}})
    with pytest.raises(DbtError, match=f"its history holds token {token}, so that Delta dropped"):
        dbt("_check_published", SPEC, job(dbt))


# The statement that builds the view's table.


JOB = as_job(
    {
        "id": "job1",
        "publish": "create",
        "owner": "run1",
        "token": 3,
        "method": "complete",
        "reason": "first build",
        "started": 1,
        "read_time": 2,
        "deferred": False,
        "staged": False,
        "sources": [],
        "definition_hash": "h",
        "query": "select a, b from shop.orders version as of 2",
        "columns": [
            {"name": "a", "type": "string", "expression": "`a`"},
            {"name": "b", "type": "int", "expression": "`b`"},
        ],
        "holder": None,
        "target": {"kind": "missing"},
    }
)


def create(model: Model, **changes: Any) -> str:
    dbt = Dbt(None, model)
    text: str = dbt("_create_table_sql", dbt("_spec_from_model"), {**JOB, **changes})
    return text.strip()


def model(text: str = "it's", **config: Any) -> Model:
    given = {
        "partition_by": [text],
        "location_root": "/data/" + text,
        "tblproperties": {"key " + text: text},
        "persist_docs": {"relation": True},
        "contract": {"enforced": True},
        **config,
    }
    check = {"type": "check", "name": "c_" + text, "expression": f"a <> {len(text)}"}
    constraint = {"columns": [], "warn_unenforced": False, **check}
    return Model(config=given, description="About " + text, constraints=[constraint])


def test_create_table(golden: Golden) -> None:
    sql = create(model())
    golden("create_table", sql)
    assert parse(sql)


def test_liquid_clustering() -> None:
    sql = create(Model(config={"liquid_clustered_by": ["a", "b`c"]}))
    assert "\ncluster by (`a`, `b``c`)\n" in sql
    assert parse(sql)


def test_aside_for_a_swap() -> None:
    sql = create(Model(), publish="swap", target={"kind": "view"})
    assert sql.startswith("create or replace table `shop`.`dbt_mview_new_job1`\n")


@pytest.mark.parametrize("text", NASTY)
def test_no_text_changes_the_statement(text: str) -> None:
    sql = create(model(text))
    assert skeleton(sql) == skeleton(create(model("plain")))
    values = strings(sql)
    assert "About " + text in values and text in values and "key " + text in values
    assert "delta.constraints." + ("c_" + text).lower() in values
    assert ("/data/" + text).rstrip("/") + "/totals" in values


def test_the_real_thing_is_this_text() -> None:
    """What a run sends is what the golden file shows, up to ids."""
    dbt = new()
    dbt.run()
    spec = dbt("_memory")["jobs"]["model.shop.totals"]["spec"]
    job = dbt("_memory")["jobs"]["model.shop.totals"]
    assert dbt.engine.sql("publish").endswith(dbt("_create_table_sql", spec, job).strip())
    assert spec["mview_id"] == VIEW


def test_properties() -> None:
    layout = {"tblproperties": {"b": "2", "a": "1"}, "constraints": {"c": "x > 'y'"}}
    properties = Dbt()("_properties", layout)
    assert properties == {"b": "2", "a": "1", "delta.constraints.c": "x > 'y'"}
    assert layout["tblproperties"] == {"b": "2", "a": "1"}
    assert Dbt()("_properties_sql", properties) == (
        "'b' = '2', 'a' = '1', 'delta.constraints.c' = 'x > \\'y\\''"
    )


def test_sibling_name() -> None:
    spec = {"database": None, "schema": "sh`op"}
    assert Dbt()("_chain_relation", spec, "a`b") == "`sh``op`.`a``b`"
    spec["database"] = "c`d"
    assert Dbt()("_chain_relation", spec, "a`b") == "`c``d`.`sh``op`.`a``b`"


# The statement that replaces the view's rows.


REPLACING = {**JOB, "publish": "insert"}


def test_insert_replace(golden: Golden) -> None:
    dbt = Dbt()
    sql = dbt("_insert_replace_sql", dbt("_spec_from_model"), REPLACING)
    golden("insert_replace", sql)


def test_what_the_commit_says_of_itself() -> None:
    dbt = Dbt()
    sql = dbt(
        "_insert_replace_sql",
        dbt("_spec_from_model"),
        {**REPLACING, "reason": as_reason("it's \\ ${x}")},
    )
    meta = json.loads(strings(sql)[1])
    assert list(meta) == ["dbt_mview"], "the key by which the package knows its own commits"
    assert dbt("_commit_meta", strings(sql)[1]) == meta["dbt_mview"]
    assert meta["dbt_mview"] == {
        "mview_id": "spark_catalog.shop.totals",
        "refresh_job_id": "job1",
        "lock_token": 3,
        "method": "complete",
        "reason": "it's \\ ${x}",
        "started": 1,
        "read_time": 2,
        "sources": [],
        "definition_hash": "h",
        "invocation_id": "run1",
    }


def test_both_guards_against_dynamic_overwrite() -> None:
    dbt = Dbt()
    sql = dbt("_insert_replace_sql", dbt("_spec_from_model"), REPLACING)
    assert "'partitionOverwriteMode' = 'static'" in sql and "\nreplace where 1 = 1\n" in sql


# The result with its guard: a branch without rows that fails if the lock was lost.


def result(**changes: Any) -> str:
    dbt = Dbt()
    text: str = dbt("_guarded_result_sql", dbt("_spec_from_model"), {**JOB, **changes})
    assert parse(text)
    return text.strip()


def test_from_the_query() -> None:
    assert result().startswith(
        "select cast(`a` as string) as `a`, `b`\n"
        "from (\nselect a, b from shop.orders version as of 2\n)\n"
        "union all\nselect null, null\nwhere case\n"
    )


def test_from_the_stage() -> None:
    sql = result(staged=True)
    assert sql.startswith(
        "select cast(`a` as string) as `a`, `b`\n"
        "from `shop_mview`.`mview_stage_job1`\nunion all\nselect null, null\n"
    )
    assert "shop.orders" not in sql


def test_deferred_has_no_rows() -> None:
    assert "\n)\nwhere false\nunion all\n" in result(deferred=True)


def test_the_guard_names_this_refresh_only() -> None:
    guard = result().split("union all\n", 1)[1]
    assert "where mview_id = 'spark_catalog.shop.totals'\n" in guard
    assert "and lock_token = 3\n" in guard and "and refresh_job_id = 'job1'\n" in guard
    assert "select count(*) = 1\n" in guard, "a missing row must fail as well"
    assert "then false\n    else raise_error('dbt_mview: lock lost: " in guard


@pytest.mark.parametrize(
    "query", ["select 1 as a -- end", "with c as (select 1 as a) select * from c"]
)
def test_any_query_fits(query: str) -> None:
    assert f"\n{query}\n)" in result(query=query)


def test_expressions_get_the_names_of_the_view() -> None:
    columns = [
        {"name": "a", "type": "int", "expression": "cast(`a` as int)"},
        {"name": "b`c", "type": "string", "expression": "null"},
        {"name": "d", "type": "date", "expression": "`d`"},
    ]
    assert result(columns=columns, publish="insert").startswith(
        "select cast(`a` as int) as `a`, null as `b``c`, `d`\nfrom ("
    )


def test_a_table_that_is_there_keeps_its_columns() -> None:
    """Only a new one would take over the length of a VARCHAR."""
    for staged in (False, True):
        assert result(publish="insert", staged=staged).startswith("select `a`, `b`\nfrom")


# Comments of the table and of its columns.


NAME = "spark_catalog.shop.totals"


def docs(text: str, present: Any = None, publish: str = "insert", **persist: bool) -> Dbt:
    columns = {"a": {"description": text}, "B": {"description": "same"}, "c": {"description": "x"}}
    model = Model(description=text, columns=columns, config={"persist_docs": persist})
    dbt = Dbt(None, model)
    dbt.engine.tables[NAME] = Delta([])
    rows = present or [["A", "int", None], ["b", "int", "same"], ["d", "int", None]]
    answer = Table(rows)
    dbt.engine._read_describe_query = lambda sql: answer  # type: ignore[method-assign]
    spec = dbt("_spec_from_model")
    state = {"spec": {"description": "before"}}
    job = as_job({"id": "j", "publish": publish, "state": state})
    dbt("_persist_docs", spec, job, dbt("_known_comment", spec, job))
    return dbt


def statements(dbt: Dbt) -> list[str]:
    return [one.sql.split("\n", 1)[1] for one in dbt.engine.writes]


def test_off() -> None:
    assert docs("text").engine.log == []


def test_relation() -> None:
    assert statements(docs("it's", relation=True)) == [
        "comment on table `shop`.`totals` is 'it\\'s'"
    ]
    assert statements(docs("before", relation=True)) == [], "only what differs"
    assert statements(docs("x", publish="replace", relation=True)) == [], "said by the publish"


def test_columns_that_differ_in_one_commit() -> None:
    assert statements(docs("it's", columns=True)) == [
        "alter table `shop`.`totals` alter column `a` comment 'it\\'s'"
    ]
    two = [["a", "int", None], ["b", "int", "x"]]
    assert statements(docs("n", two, columns=True)) == [
        "alter table `shop`.`totals` alter column `a` comment 'n', `B` comment 'same'"
    ]
    same = [["a", "int", "n"], ["b", "int", "same"]]
    assert statements(docs("n", same, columns=True)) == []


@pytest.mark.parametrize("text", [text for text in NASTY if text])
def test_no_description_changes_the_statements(text: str) -> None:
    plain = docs("plain", relation=True, columns=True)
    nasty = docs(text, relation=True, columns=True)
    for one, two in zip(statements(plain), statements(nasty), strict=True):
        assert skeleton(one) == skeleton(two)
        assert strings(two) == [text]
