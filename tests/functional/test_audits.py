"""Audits of single rows and constraints, asserted by FAST on the rows that it writes, and what no
FAST refresh can break."""

from __future__ import annotations

import pytest

from tests.support.on_spark import on_spark
from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

TELLS = {
    "n > 0 and k is not null -- some": True,
    "exists(array(n, 1), x -> x > 0)": True,
    "s.a > 0 or m['x'] is null": True,
    "k <> 'max(n) > 0'": True,
    "max(n) > 0": False,
    "count(*) over () > 0": False,
    "n > (select 1)": False,
    "n in (select id from range(3))": False,
    "explode(array(n)) > 0": False,
    "n > rand()": False,
    "day <= current_date": False,
    "nothing > 0": False,
}
MODEL = """models:
  - name: summed
    config: {contract: {enforced: true}}
    constraints: [{type: check, name: few, expression: c < 99, warn_unsupported: false}]
    columns:
      - {name: k, data_type: int}
      - {name: c, data_type: bigint}
      - {name: total, data_type: bigint}
"""


def test_asserted_on_the_rows_that_are_written(project: Project) -> None:
    """A row that a join leaves out meets no audit, and the view of it is published; a group that
    does not is none. A constraint keeps no view from FAST."""
    project.sql(
        "create table @.facts using delta tblproperties ('delta.enableChangeDataFeed' = 'true') as"
        " select cast(id as int) as id, cast(id % 4 as int) as k, cast(id as int) as n"
        " from range(40)"
    )
    project.sql("create table @.dims using delta as select id as k from range(3)")
    project.write("models/summed.yml", MODEL)
    audited = {"unique_key": "k", "audit": ["total < 900", "total >= 0 -- no debts"]}
    facts = "{{ target.schema }}.facts"
    summed = f"select k, count(*) as c, sum(n) as total from {facts} where k < 3 group by k"
    project.model("summed", summed, **audited)
    project.model(
        "joined",
        f"select f.id, f.n from {facts} f join {{{{ target.schema }}}}.dims d on f.k = d.k",
        audit="n >= 0",
    )
    project.run()
    project.sql("insert into @.facts values (100, 3, -1), (101, 1, 2000)")
    project.sql("delete from @.facts where id = 4")
    before = project.rows("summed")
    failed = project.run(expect=False)
    assert failed.text("joined").startswith("FAST")
    assert "audit failed: total < 900 (not met 1 times). Nothing" in failed.text("summed")
    assert project.rows("summed") == before
    project.sql("delete from @.facts where id = 101")
    outcome = project.run()
    assert outcome.text("summed").startswith("FAST") and len(project.rows("joined")) == 29
    assert project.holds("summed", summed.replace("{{ target.schema }}", "@"))


@pytest.mark.nightly
def test_what_no_change_can_break(project: Project) -> None:
    """State is put back from a backup, so that rows go twice: AUTO mends it."""
    project.sql(
        "create table @.moves using delta tblproperties ('delta.enableChangeDataFeed' = 'true') as"
        " select id, cast(id % 100 as int) as k from range(1000)"
    )
    queries = {
        "listed": "select id, k from @.moves",
        "strict": "select id, k from @.moves where id >= 0",
        "counted": "select k, count(*) as n from @.moves group by k",
    }
    for name, query in queries.items():
        refresh = "fast" if name == "strict" else "auto"
        project.model(name, query.replace("@", project.schema), refresh=refresh)
    project.run()
    project.sql(
        "create table @.kept using delta as select mview_id, sources, spec from"
        " @_mview.mview_refresh_info where mview_id like any ('%.listed', '%.strict', '%.counted')"
    )
    project.sql("delete from @.moves where k = 3 or id = 1")
    followed = project.run()
    assert all(followed.text(name).startswith("FAST") for name in queries), followed.log
    project.sql(
        "merge into @_mview.mview_refresh_info as t using @.kept as k on t.mview_id = k.mview_id"
        " when matched then update set sources = k.sources, spec = k.spec"
    )
    project.sql("insert into @.moves values (1000, 1)")
    before = project.rows("strict")
    outcome = project.run(expect=False)
    rows = "INVARIANT_BROKEN: rows to delete that the view does not have: 11"
    assert f"cannot be: {rows}. Set refresh to 'auto', or run once with" in outcome.text("strict")
    assert project.rows("strict") == before
    groups = "INVARIANT_BROKEN: groups in which n falls below zero: 1"
    for name, why in {"listed": rows, "counted": groups}.items():
        text = outcome.text(name)
        assert text.startswith("COMPLETE") and text.endswith(f"not FAST: {why}"), text
        assert project.holds(name, queries[name]), name
    project.run("strict", args=("--full-refresh",))
    project.sql("delete from @.moves where id = 2")
    followed = project.run()
    for name, query in queries.items():
        assert followed.text(name).startswith("FAST") and project.holds(name, query), followed.log


@pytest.mark.nightly
def test_what_the_engine_says_of_a_condition(project: Project) -> None:
    types = {"n": "int", "k": "string", "s": "struct<a:int>", "m": "map<string,int>", "day": "date"}
    columns = [{"name": name, "type": type_} for name, type_ in types.items()]
    dbt = on_spark(project.spark, project.schema)
    found = {text: dbt("_is_row_condition", text, columns) for text in TELLS}
    assert found == TELLS
