"""Names and queries that are hard to get right: each works, or says what is wrong."""

from __future__ import annotations

import pytest

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]


def test_queries_and_names(project: Project) -> None:
    """One run over many odd models, so that one does not spoil another."""
    long_name = "n" * 127
    good = {
        "UpperCase": "select 1 as Id, 2 as `select`, 3 as `a.b`, 4 as `tick``ed`, 5 as `größe`",
        "order": "select 'it''s; -- no comment' as text, \"dq 'x'\" as dq,"
        " 'C:\\\\dir' as path ;\n;",
        long_name: "select 1 as id -- ends in a comment",
        "zero_rows": "select 1 as id where false /* and another ; */ ;",
        "all_types": "select map('a', 1) as m, array(1) as a, named_struct('x', 1) as s,"
        " cast(1.5 as decimal(38,10)) as d, timestamp_ntz'2020-01-01 00:00:00' as t,"
        " double('nan') as n, binary('x') as b",
    }
    for name, query in good.items():
        project.model(name, query, alias=name)
    bad = {
        "with space": ("select 1 as id", "cannot be the name of a view"),
        "dotted.name": ("select 1 as id", "cannot be the name of a view"),
        "größe": ("select 1 as id", "cannot be the name of a view"),
        "q'uote`d": ("select 1 as id", "cannot be the name of a view"),
        "m" * 230: ("select 1 as id", "cannot be the name of a view"),
        "twins": ("select 1 as id, 2 as ID", "the query has two columns named 'ID'"),
        "spaced": ("select 1 as `a b`", "Delta cannot store the column name 'a b'"),
        "me": ("select * from {{ this }}", "the query reads the view itself"),
    }
    project.sql("create table @.me using delta as select 1 as id")
    for index, (name, (query, _)) in enumerate(bad.items()):
        project.model(f"bad_{index}", query, alias=name)
    outcome = project.run(expect=False)
    for name in good:
        assert outcome.status[name] == "success", outcome.message[name]
    for name, (_, words) in bad.items():
        assert outcome.status[name] == "error", name
        assert words in outcome.text(name), outcome.text(name)
    assert tuple(project.rows("UpperCase")[0]) == (1, 2, 3, 4, 5)
    assert project.rows("order") == [("it's; -- no comment", "dq 'x'", "C:\\dir")]
    assert project.rows("zero_rows") == []
    assert project.info("me") is None or project.info("me").last_refresh_result == "failed"
    verified = project.op("mview_verify").log
    assert "DIFFERS" not in verified and verified.count("equal") >= len(good) - 1


def test_injection_through_definition_and_errors(project: Project) -> None:
    """What users write comes out of state as it went in, and changes no statement."""
    project.sql("create or replace table @.victim using delta as select 1 as id")
    nasty = "'); drop table test_bad_input.victim; -- \\ ' \" ` /* ${spark.app.name} */"
    literal = nasty.replace("\\", "\\\\").replace("'", "\\'")
    project.model(
        "nasty",
        f"select '{literal}' as text, id from test_bad_input.victim",
        tblproperties={"note": nasty},
        audit=["text like '%drop table%'", "id < 2"],
    )
    project.run()
    assert project.sql("select * from @.victim")
    assert nasty.replace("${spark.app.name}", "")[:20] in project.rows("nasty")[0][0]
    properties = project.sql("describe detail @.nasty")[0].properties
    assert properties["note"] == nasty
    assert literal[:30] in project.info("nasty").definition
    project.sql("insert into @.victim values (2)")
    project.model(
        "nasty",
        f"select if(id > 0, raise_error('{literal}'), 'x') as text, id from test_bad_input.victim",
    )
    failed = project.run(expect=False)
    assert "drop table test_bad_input.victim" in failed.text("nasty")
    assert "drop table test_bad_input.victim" in project.info("nasty").last_refresh_failed_reason
    assert len(project.sql("select * from @.victim")) == 2
