"""The life of a view: built, skipped, refreshed, rebuilt; what each leaves in state."""

from __future__ import annotations

import hashlib
import re

import pytest

from tests.support.project import Project

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", autouse=True)
def orders(module_project: Project) -> None:
    """Two Delta sources that the tests change."""
    module_project.sql("create table @.orders (id bigint, customer string, amount int) using delta")
    module_project.sql("insert into @.orders values (1, 'ann', 10), (2, 'bob', 20), (3, 'ann', 5)")


def totals(project: Project, **config: object) -> None:
    """A view over a staging view over the orders."""
    project.write(
        "models/stg.sql",
        "{{ config(materialized='view') }} select * from {{ target.schema }}.orders",
    )
    project.model(
        "totals",
        "select customer, sum(amount) as total from {{ ref('stg') }} group by customer ; -- end",
        **config,
    )


@pytest.mark.smoke
def test_life_of_a_view(project: Project) -> None:
    totals(project)
    first = project.run()
    assert first.text("totals").startswith("COMPLETE v0, 2 rows: first build")
    assert project.rows("totals") == [("ann", 15), ("bob", 20)]

    info = project.info("totals")
    assert (info.last_refresh_result, info.last_refresh_type) == ("success", "complete")
    assert [(s.relation, s.version) for s in info.sources] == [
        ("spark_catalog.test_refresh.orders", 1)
    ]
    assert info.sources[0].table_id and info.sources[0].commit_time
    assert info.target_version == 0 and info.lock_owner is None and info.lock_token == 1
    assert "group by customer" in info.definition and ";" not in info.definition

    skipped = project.run()
    assert skipped.text("totals") == f"SKIP nothing changed since {project.schema}.orders v1"
    assert len(project.commits("totals")) == 1
    assert project.info("totals") == info, "within an hour state is not told"
    assert project.info("totals").lock_token == 1
    assert len(project.history("totals")) == 1
    sent = project.root / "target/run/p/models/totals.sql"
    assert sent.read_text() == f"-- SKIP nothing changed since {project.schema}.orders v1\n\n"

    table_id = project.sql("describe detail @.totals")[0].id
    project.sql("insert into @.orders values (4, 'cid', 1)")
    again = project.run()
    assert again.text("totals").startswith("COMPLETE v1, 3 rows: test_refresh.orders v1 -> v2")
    assert project.sql("describe detail @.totals")[0].id == table_id
    assert re.findall(r"step=(\w+)", sent.read_text()) == ["acquire", "publish"]
    newest = project.commits("totals")[0]
    assert newest.operation == "WRITE" and '"refresh_job_id"' in newest.userMetadata

    full = project.run(args=("--full-refresh",))
    assert full.text("totals").startswith("COMPLETE v2, 3 rows: full refresh asked for")

    project.model("totals", "select customer, 1 as total from {{ ref('stg') }} group by customer")
    assert "DEFINITION_CHANGED" in project.run().text("totals")
    assert {row.refresh_status for row in project.history("totals")} == {"success"}
    assert len(project.history("totals")) == 4
    assert project.op("mview_verify").log.count("equal") == 1
    project.sql("update @.totals set total = total + 1 where customer = 'cid'")
    told = project.op("mview_verify", expect=False).log
    assert re.search(r"totals +DIFFERS +1 +1\b", told), told


@pytest.mark.smoke
def test_definition_of_a_staging_view_counts(project: Project) -> None:
    totals(project)
    project.run()
    project.write(
        "models/stg.sql",
        "{{ config(materialized='view') }}"
        " select id, customer, amount * 2 as amount from {{ target.schema }}.orders",
    )
    assert "DEFINITION_CHANGED" in project.run().text("totals")


def test_what_depends_on_the_clock(project: Project) -> None:
    """The moment is another one in each run; the day is followed, and computed anew after it."""
    project.sql("create or replace table @.days using delta as select 1 as id, current_date() as d")
    days = f"select id, d, current_date as today from {project.schema}.days where d = current_date"
    project.model("aged", days + "()", change_feed=True)
    project.model("timed", f"select id, current_timestamp() as at from {project.schema}.days")
    project.run()
    assert "EXPRESSION_NOT_DETERMINISTIC: current_timestamp" in project.run().text("timed")
    assert project.run("aged").text("aged").startswith("SKIP")
    set_feed = "alter table @.days set tblproperties (delta.enableChangeDataFeed = true)"
    project.sql(set_feed)
    project.sql("insert into @.days values (2, current_date()), (3, current_date() - 1)")
    project.run("aged")
    project.sql("insert into @.days values (4, current_date()), (5, current_date() - 1)")
    assert project.run("aged").text("aged").startswith("FAST v2, 1 rows")
    assert [row[0] for row in project.rows("aged")] == [1, 2, 4]

    day, before = (str(day) for day in project.sql("select current_date(), current_date() - 1")[0])
    text = project.info("aged").definition
    words = " ".join(["", *re.findall(r"'[^']*'|[\w.]+|\S", text), ""])
    assert hashlib.md5(words.encode()).hexdigest() == project.info("aged").definition_hash
    yesterday = hashlib.md5(words.replace(day, before).encode()).hexdigest()
    project.sql(
        f"update {project.state}.mview_refresh_info set definition_hash = '{yesterday}', definition"
        f" = replace(definition, '{day}', '{before}'), spec = replace(spec, '{day}', '{before}')"
        " where mview_id like '%.aged'"
    )
    assert f"DATE_CHANGED: {before} -> {day}" in project.run("aged").text("aged")
    assert project.info("aged").definition == text
    assert project.run("aged").text("aged").startswith("SKIP")
    assert project.op("mview_verify", view="aged").log.count("equal") == 1


def test_run_reads_one_snapshot(project: Project) -> None:
    """A source changes between two views of one run: both see it as of the run's start."""
    project.sql("create or replace table @.late using delta as select 1 as id")
    change = f"insert into {project.schema}.late values (2)"
    late = f"select count(*) as n from {project.schema}.late"
    project.model("one", late, post_hook=change)
    project.model("two", "-- depends_on: {{ ref('one') }}\n" + late)
    project.model("newest", "-- depends_on: {{ ref('one') }}\n" + late, read_consistency="latest")
    project.write(
        "models/built.sql",
        "{{ config(materialized='table', file_format='delta') }}"
        " -- depends_on: {{ ref('one') }}\n select 1 as id",
    )
    project.model("chain", "select count(*) as n from {{ ref('built') }}")
    project.run()
    assert project.rows("one") == project.rows("two") == [(1,)]
    assert project.rows("newest") == [(2,)]
    assert project.rows("chain") == [(1,)]
    assert project.info("two").sources[0].version == 0
    assert project.info("newest").sources[0].version == 1
    assert "late v0 -> v1" in project.run("two").text("two")


def test_empty_defer_and_deferred_build(project: Project) -> None:
    totals(project)
    project.run(args=("--empty",))
    assert project.rows("totals") == []
    project.run()
    assert project.rows("totals")
    project.model("lazy", f"select * from {project.schema}.orders", build="deferred")
    assert "DEFERRED v0, 0 rows" in project.run("lazy").text("lazy")
    assert project.rows("lazy") == []
    assert project.info("lazy").last_successful_refresh_read_time is None
    assert "first refresh of a deferred view" in project.run("lazy").text("lazy")
    assert len(project.rows("lazy")) >= 3


@pytest.mark.smoke
def test_runs_without_views_pay_nothing(project: Project) -> None:
    project.write("models/plain.sql", "{{ config(materialized='view') }} select 1 as id")
    outcome = project.run("plain")
    assert "dbt_mview step=" not in outcome.log
