"""The shared database: one suite that SQLite and PostgreSQL pass, and what each has of its own."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, text

from dbt_mview.serve import connecting
from dbt_mview.serve import messages as m
from dbt_mview.serve.members import Database, DatabaseGone, NodeInUse
from dbt_mview.serve.ring import STALE
from dbt_mview.serve.tables import LAYOUT
from dbt_mview.serve.times import SECOND
from tests.support.postgres import Postgres

ODD = """o'dd "id" \\ % :x ; -- ünïcode 視圖 / 🧊\n"""
Make = Callable[..., Database]


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    server = Postgres(tmp_path_factory.mktemp("members"))
    server.sql("alter system set fsync = off")
    server.sql("select pg_reload_conf()")
    yield server
    server.kill()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'se rve#1?.db'}".replace("?", "%3F")
    return fresh(request.getfixturevalue("postgres"))


def fresh(server: Postgres) -> str:
    url = f"postgresql+psycopg://postgres@127.0.0.1:{server.port}/postgres"
    sql(url, "drop schema public cascade; create schema public")
    return url


@pytest.fixture
def make(url: str) -> Iterator[Make]:
    """Makes nodes, and closes them."""
    made: list[Database] = []

    def one(node: str = "a", boot: str = "1", url: str = url, **about: str) -> Database:
        database = Database(url, node, boot, **about)
        made.append(database)
        database.prepare()
        return database

    yield one
    for database in made:
        database.close()


def sql(url: str, statement: str, **values: object) -> None:
    """Does what no method does."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(statement), values)
    engine.dispose()


def let_pass(url: str, seconds: float, node: str) -> None:
    """A node was not heard of for so long."""
    sql(
        url,
        "update mview_node set beat = beat - :past where name = :node",
        past=int(seconds * SECOND),
        node=node,
    )


def two_nodes(url: str, make: Make) -> tuple[Database, Database]:
    """Also in SQLite, which refuses a second one while the first is alive."""
    a, b = make("a"), make("b")
    a.register()
    let_pass(url, 31, "a")
    b.register()
    a.beat(0, 0)
    return a, b


# Nodes


def test_heartbeats_are_of_the_databases_clock(url: str, make: Make) -> None:
    a, b = two_nodes(url, make)
    first = b.beat(7, 2)
    assert abs(first.clock - time.time() * SECOND) < 60 * SECOND
    assert set(first.last) == {"a", "b"}
    assert all(0 <= first.clock - at < 5 * SECOND for at in first.last.values())
    let_pass(url, 31, "a")
    second = b.beat(7, 2)
    assert second.clock - second.last["a"] > STALE
    assert 0 <= second.clock - second.last["b"] < SECOND
    assert a.beat(0, 0).last["a"] > second.last["a"]


def test_nodes_are_shown_with_what_they_said_last(url: str, make: Make) -> None:
    a = make("a", address="10.0.0.1:8580", version="1.2.3")
    a.register()
    let_pass(url, 31, "a")
    b = make("b")
    b.register()
    b.beat(7, 2)
    was, is_ = b.nodes()
    assert (was.name, was.address, was.version) == ("a", "10.0.0.1:8580", "1.2.3")
    assert 31 <= was.age < 40 and not was.is_alive
    assert (is_.name, is_.owned, is_.running, is_.is_alive) == ("b", 7, 2, True)
    assert 0 <= is_.age < 5


def test_a_node_that_starts_says_why_it_takes_no_work(url: str, make: Make) -> None:
    a, b = make("a"), make("b")
    a.register("it loads")
    let_pass(url, 31, "a")
    b.register("it loads")
    assert b.beat(0, 0, "it loads still").starting == {"a", "b"}
    assert [one.starting for one in b.nodes()] == ["it loads", "it loads still"]
    assert b.beat(0, 0).starting == {"a"} and a.beat(0, 0).starting == frozenset()
    assert [one.starting for one in b.nodes()] == ["", ""]


def test_runs_of_a_process_that_lives_are_no_orphans(url: str, make: Make) -> None:
    """A node was heard of as starting, and took work before its runs were looked for."""
    first, again, z = make("a", "1"), make("a", "2"), make("z")
    first.register()
    first.begin_run("a/1/1", "view", ("v",), 1)
    let_pass(url, 31, "a")
    again.register()
    again.begin_run("a/2/1", "view", ("v",), 2)
    again.keep_attempt("a/2/1", ("v",), "all", "")
    assert z.find_runs(m.FindRuns("a")).runs == (m.Orphan("a/1/1", ("v",)),)
    let_pass(url, 31, "a")
    assert len(z.find_runs(m.FindRuns("a")).runs) == 2


def test_who_left_is_gone_and_stays_so(url: str, make: Make) -> None:
    a, b = two_nodes(url, make)
    a.leave()
    assert set(a.beat(0, 1).last) == {"b"} == set(b.beat(0, 0).last)
    b.leave()
    assert not a.beat(0, 1).last
    a.register()
    assert set(a.beat(0, 1).last) == {"a"}


def test_a_node_that_was_stale_for_a_day_is_forgotten(url: str, make: Make) -> None:
    _, b = two_nodes(url, make)
    let_pass(url, 24 * 3600 - 60, "a")
    assert set(b.beat(0, 0).last) == {"a", "b"}
    let_pass(url, 61, "a")
    assert set(b.beat(0, 0).last) == {"b"}


def test_a_node_id_is_one_process(url: str, make: Make) -> None:
    first, second = make("a", "1"), make("a", "2")
    first.register()
    let_pass(url, 3, "a")
    with pytest.raises(NodeInUse, match=r"^node 'a' is in use .* alive [34] seconds ago"):
        second.register()
    first.register()
    let_pass(url, 31, "a")
    second.register()
    with pytest.raises(NodeInUse, match="another process has become node 'a'"):
        first.beat(0, 0)
    # Also after the second has died: its runs are to be looked for, by a start.
    let_pass(url, 31, "a")
    with pytest.raises(NodeInUse):
        first.beat(0, 0)
    first.leave()
    assert [node.name for node in second.nodes()] == ["a"]


def test_of_many_that_register_at_once_one_has_the_id(make: Make) -> None:
    boots = [make("a", str(number)) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(is_registered, boots)) == 1


def is_registered(database: Database) -> bool:
    """Whether it can be."""
    try:
        database.register()
    except NodeInUse:
        return False
    return True


def test_a_heartbeat_comes_again_where_it_was_lost(url: str, make: Make) -> None:
    a = make("a")
    a.register()
    sql(url, "delete from mview_node")
    assert set(a.beat(0, 0).last) == {"a"}


def test_who_has_not_registered_only_reads(make: Make) -> None:
    assert not make("a").beat(0, 0).last


# The layout


def test_preparing_twice_changes_nothing(make: Make) -> None:
    make().set("workers", "4")
    assert make().settings() == {"workers": "4"}


def test_nodes_may_prepare_at_once(url: str) -> None:
    databases = [Database(url, f"n{number}", "1") for number in range(4)]
    barrier = threading.Barrier(4)

    def prepare(database: Database) -> dict[str, str]:
        barrier.wait()
        database.prepare()
        return database.settings()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(prepare, databases)) == [{}] * 4
    for database in databases:
        database.close()


def test_a_newer_layout_is_refused(url: str, make: Make) -> None:
    make()
    sql(url, "update mview_layout set layout = layout + 1")
    newer = LAYOUT + 1
    with pytest.raises(ValueError, match=f"layout {newer}, .* up to {LAYOUT}. Upgrade"):
        make()


def test_an_older_layout_is_upgraded(url: str, make: Make) -> None:
    """From each one; a node of that release that still runs goes on beating."""
    make("a").register()
    sql(url, "alter table mview_node drop column starting")
    sql(url, "update mview_layout set layout = 1")
    let_pass(url, 31, "a")
    new = make("b")
    new.register()
    columns = "name, boot, address, version, beat, owned, running"
    old = f"select 'old', {columns[6:]} from mview_node limit 1"
    sql(url, f"insert into mview_node ({columns}) {old}")
    assert set(new.beat(0, 0).last) == {"a", "b", "old"}
    assert make("b").settings() == {}, "once"


def test_a_database_is_one_services(make: Make) -> None:
    make()
    make(service="shop/prod/mview")
    make()
    make(service="shop/prod/mview")
    with pytest.raises(ValueError, match=r"of the service 'shop/prod/mview', this one is '"):
        make(service="shop/dev/mview")


# Runs


def test_a_run_from_begin_to_end(make: Make) -> None:
    a = make("a", "1")
    a.begin_run("a/1/1", "view", ("c.s.v", "c.s.w"), 1000)
    a.begin_run("a/1/1", "log", (), 2000)
    assert a.invocation_of("a/1/1") is None is a.invocation_of("a/1/2")
    a.name_run("a/1/1", "inv")
    assert a.invocation_of("a/1/1") == "inv"
    (line,) = a.runs()
    assert (line.run, line.node, line.invocation, line.kind) == ("a/1/1", "a", "inv", "view")
    assert (line.ids, line.began, line.ended) == (("c.s.v", "c.s.w"), 1000, None)
    assert (line.how, line.outcomes, line.problem) == ("", {}, "")
    outcomes = {"c.s.v": "success", "c.s.w": "failed"}
    a.end_run("a/1/1", "done", outcomes, "no such column", 3000)
    a.end_run("a/1/1", "died", {}, "", 4000)
    (line,) = a.runs()
    assert (line.ended, line.how, line.outcomes) == (3000, "done", outcomes)
    assert line.problem == "no such column"


def test_what_a_crash_left_is_found_with_its_outbox(make: Make) -> None:
    a = make("a/b", "1")
    for number in (1, 2, 3):
        a.begin_run(f"a/b/1/{number}", "view", (f"v{number}",), number)
    a.keep_attempt("a/b/1/2", ("v2",), "holders", "timeout")
    a.keep_attempt("a/b/1/2", ("v2", "w2"), "all", "its process died")
    a.keep_attempt("a/b/1/4", ("v4",), "nobody", "never begun: the database was gone")
    a.begin_run("a/b/1/5", "view", ("v5", "w5"), 5)
    a.keep_attempt("a/b/1/5", ("w5",), "all", "cancelled by request")
    a.end_run("a/b/1/3", "done", {}, "", 9)
    make("a").begin_run("a/1/1", "view", ("other",), 1)
    left = (
        m.Orphan("a/b/1/1", ("v1",)),
        m.Orphan("a/b/1/2", ("v2", "w2"), "all", "its process died"),
        m.Orphan("a/b/1/4", ("v4",), "nobody", "never begun: the database was gone"),
        m.Orphan("a/b/1/5", ("v5", "w5"), "all", "cancelled by request", ("w5",)),
    )

    def found(database: Database) -> m.Orphans:
        orphans = database.find_runs(m.FindRuns("a/b"))
        return m.Orphans(orphans.node, tuple(sorted(orphans.runs, key=lambda one: one.run)))

    assert found(make("z")) == m.Orphans("a/b", left)
    again = make("a/b", "2")
    again.begin_run("a/b/2/1", "view", ("v1",), 10)
    again.keep_attempt("a/b/2/1", ("v1",), "all", "")
    assert found(again) == m.Orphans("a/b", left)
    assert found(a).runs == (m.Orphan("a/b/2/1", ("v1",), "all"),)


def test_the_end_of_a_run_empties_its_outbox(make: Make) -> None:
    a, z = make("a"), make("z")
    for run in ("a/1/1", "a/1/2"):
        a.begin_run(run, "log", ("l",), 1)
        a.keep_attempt(run, ("l",), "all", "r")
    a.keep_attempt("a/1/3", ("l",), "all", "without a row")
    z.end_run("a/1/1", "died", {}, "", 2)
    z.end_run("a/1/3", "died", {}, "", 2)
    assert [orphan.run for orphan in z.find_runs(m.FindRuns("a")).runs] == ["a/1/2"]


def test_history_is_of_the_newest_200(url: str, make: Make) -> None:
    a = make("a")
    a.begin_run("a/1/0", "view", ("v",), 0)
    sql(
        url,
        "insert into mview_run (run, node, boot, invocation, kind, ids, began, ended, how,"
        " outcomes, problem) with recursive n(i) as (select 1 union all select i + 1 from n"
        " where i < 230) select 'a/1/' || i, 'a', '1', '', 'view', '[]', i, i, 'done', '{}', ''"
        " from n",
    )
    a.begin_run("a/1/231", "view", ("v",), 231)
    a.end_run("a/1/231", "done", {}, "", 231)
    shown = [line.run for line in a.runs()]
    assert shown == ["a/1/0", *(f"a/1/{number}" for number in range(231, 181, -1))]
    engine = create_engine(url)
    with engine.begin() as connection:
        kept = connection.scalars(text("select began from mview_run order by began")).all()
    engine.dispose()
    assert kept == [0, *range(32, 232)]


# Settings and commands


def test_settings_are_everybodys(make: Make) -> None:
    a, b = make("a"), make("b")
    a.set("workers", "4")
    b.set("timeout", "30m")
    b.set("workers", "8")
    assert a.settings() == b.settings() == {"timeout": "30m", "workers": "8"}


def test_a_command_is_taken_once_and_answered(make: Make) -> None:
    a, b = make("a"), make("b")
    first, second = a.ask("run", "c.s.v", "cli"), b.ask("drain", "a", "page")
    assert [(c.id, c.verb, c.subject, c.by) for c in b.commands()] == [
        (first, "run", "c.s.v", "cli"),
        (second, "drain", "a", "page"),
    ]
    assert a.take(first) and not b.take(first) and not a.take(first)
    assert [command.id for command in a.commands()] == [second]
    assert b.answer_of(first) is None
    a.answer(first, False, "it is running")
    assert b.answer_of(first) == (False, "it is running")
    assert b.answer_of(second) is None
    assert not a.take(second + 1)


def test_of_many_that_take_a_command_at_once_one_has_it(make: Make) -> None:
    nodes = [make(name) for name in "abcd"]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            asked = nodes[0].ask("run", "v", "cli")
            assert sum(pool.map(lambda node, one=asked: node.take(one), nodes * 2)) == 1


COMMAND = """
import sys
from dbt_mview.serve.members import Database
database = Database(sys.argv[1], "c", "")
database.prepare()
print(database.settings())
database.close()
"""


def test_a_command_line_that_ends_takes_nothing_away(tmp_path: Path) -> None:
    """As the last client of SQLite's file it would delete the log that the node still writes."""
    url = f"sqlite:///{tmp_path / 'serve.db'}"
    a = Database(url, "a", "1")
    try:
        a.prepare()
        a.register()
        a.belong_to("shop, target dev")
        for value in ("1", "2"):
            a.set("workers", value)
            done = subprocess.run(
                [sys.executable, "-c", COMMAND, url], capture_output=True, text=True, check=True
            )
            assert done.stdout.strip() == str({"workers": value})
    finally:
        a.close()


def test_commands_expire(url: str, make: Make) -> None:
    a = make("a")
    asked = a.ask("run", "v", "cli")
    a.answer(asked, True, "done")
    past = "update mview_command set asked = asked - :past"
    sql(url, past, past=40 * SECOND)
    assert [command.id for command in a.commands()] == [asked]
    sql(url, past, past=30 * SECOND)
    assert not a.commands()
    a.beat(0, 0)
    assert a.answer_of(asked) == (True, "done")
    sql(url, past, past=600 * SECOND)
    a.beat(0, 0)
    assert a.answer_of(asked) is None
    assert a.ask("run", "v", "cli") > asked


# Names


@pytest.mark.parametrize("name", [ODD, "x" * 500, "é" * 500])
def test_names_may_be_odd(make: Make, name: str) -> None:
    a = make(name, "1", address=name, version=name, service=name)
    a.register()
    assert set(a.beat(0, 0).last) == {name}
    run = f"{name}/1/1"
    a.begin_run(run, "view", (name, name + "2"), 1)
    a.name_run(run, name)
    a.keep_attempt(run, (name,), "all", name)
    a.be_lost()
    found = make("z").find_runs(m.FindRuns(name))
    both = name, name + "2"
    assert found == m.Orphans(name, (m.Orphan(run, both, "all", name, (name,)),))
    a.end_run(run, "died", {name: "failed"}, name, 2)
    (line,) = a.runs()
    assert (line.node, line.ids, line.outcomes) == (name, (name, name + "2"), {name: "failed"})
    a.set(name, name)
    assert a.settings() == {name: name}
    a.answer(a.ask("run", name, name), True, name)
    a.leave()
    assert not a.nodes()


def test_an_error_may_hold_anything(make: Make) -> None:
    a = make()
    a.begin_run("a/1/1", "view", ("v",), 1)
    a.keep_attempt("a/1/1", ("v",), "all", "no \0 and \ud800")
    a.end_run("a/1/1", "done", {"v": "failed"}, "no \0 and \ud800", 2)
    assert a.runs()[0].problem == "no \ufffd and ?"


# Threads


def test_threads_may_share_it(make: Make) -> None:
    a = make("a")
    a.register()
    until = time.monotonic() + 1

    def work(thread: int) -> int:
        number = 0
        while time.monotonic() < until:
            run = f"a/1/{thread}-{number}"
            a.beat(number, 1)
            a.begin_run(run, "view", ("v",), number)
            a.name_run(run, "inv")
            a.end_run(run, "done", {}, "", number)
            a.take(a.ask("run", "v", "cli"))
            a.commands()
            number += 1
        return number

    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(work, range(2)))
    assert all(line.how == "done" for line in a.runs())


# SQLite


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "serve.db"


def test_sqlite_serves_one_node(file: Path) -> None:
    a, b = Database(f"sqlite:///{file}", "a", "1"), Database(f"sqlite:///{file}", "b", "1")
    a.prepare()
    a.register()
    with pytest.raises(NodeInUse, match=r"^SQLite serves one node, and node 'a' was alive .* sec"):
        b.register()
    a.leave()
    b.register()
    a.close()
    b.close()


def test_of_several_that_come_at_once_sqlite_serves_one(file: Path) -> None:
    for _ in range(5):
        nodes = [Database(f"sqlite:///{file}", name, "1") for name in "abcd"]
        for node in nodes:
            node.prepare()
        barrier = threading.Barrier(4)

        def is_in(node: Database, barrier: threading.Barrier = barrier) -> bool:
            barrier.wait()
            return is_registered(node)

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(is_in, nodes)) == 1
        for node in nodes:
            node.leave()
            node.close()


def test_the_file_is_its_owners_alone(file: Path) -> None:
    file.touch(0o644)
    database = Database(f"sqlite:///{file}", "a", "1")
    database.prepare()
    database.set("workers", "4")
    for one in (file, *file.parent.glob("serve.db-*")):
        assert stat.S_IMODE(one.stat().st_mode) == 0o600
    with closing(sqlite3.connect(file)) as reader:
        assert reader.execute("pragma journal_mode").fetchone() == ("wal",)
    database.close()


def test_a_locked_file_is_gone_for_a_while(file: Path) -> None:
    database = Database(f"sqlite:///{file}?timeout=0.1", "a", "1")
    database.prepare()
    database.register()
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("begin immediate")
        for _ in range(2):
            with pytest.raises(DatabaseGone, match=r"serve\.db: database is locked"):
                database.beat(0, 0)
        other.execute("rollback")
    assert set(database.beat(0, 0).last) == {"a"}
    database.close()


def test_a_file_that_nobody_made_is_not_made_by_reading(file: Path) -> None:
    database = Database(f"sqlite:///{file}", "a", "1")
    with pytest.raises(DatabaseGone, match="unable to open database file"):
        database.nodes()
    assert not file.exists()
    database.prepare()
    assert not database.nodes()
    database.close()


def test_a_file_that_is_none_of_sqlites_is_refused(file: Path) -> None:
    file.write_text("no database " * 100)
    with pytest.raises(DatabaseGone, match="file is not a database"):
        Database(f"sqlite:///{file}", "a", "1").prepare()


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("serve.db", "not a URL"),
        ("postgresql://h:port/d", "not a URL"),
        ("mysql://u:secret@h/d", "of 'mysql', which is not served"),
        ("sqlite://", "of 'sqlite', which is not served"),
        ("sqlite:///:memory:", "of 'sqlite', which is not served"),
    ],
)
def test_other_databases_are_refused(url: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as refused:
        Database(url, "a", "1")
    assert "secret" not in str(refused.value)


# PostgreSQL


@pytest.fixture
def address(postgres: Postgres) -> str:
    return fresh(postgres)


def test_several_nodes_live_in_postgresql(address: str) -> None:
    nodes = [Database(address, name, "1") for name in "abc"]
    for node in nodes:
        node.prepare()
        node.register()
    assert set(nodes[0].beat(0, 0).last) == {"a", "b", "c"}
    for node in nodes:
        node.close()


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_plain_addresses_are_taken(address: str, scheme: str) -> None:
    database = Database(address.replace("postgresql+psycopg", scheme), "a", "1")
    database.prepare()
    database.close()


def test_postgresql_may_go_and_come_back(postgres: Postgres, address: str) -> None:
    """All calls fail while it is gone, none does after it is back, whatever the pool had."""
    database = Database(address.replace("@", ":secret@"), "a", "1")
    database.prepare()
    with ThreadPoolExecutor(4) as pool:  # so that the pool has several connections
        list(pool.map(lambda _: database.settings(), range(16)))
        ended = "pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"
        postgres.sql(f"select {ended} and backend_type = 'client backend'")
        assert list(pool.map(lambda _: database.settings(), range(16))) == [{}] * 16
    database.register()
    postgres.kill()
    try:
        began = time.monotonic()
        for call in (database.settings, database.commands, database.nodes):
            # A child of the killed server may still take a connection, to close it at once.
            with pytest.raises(DatabaseGone, match=r"127\.0\.0\.1.* (refused|closed)") as gone:
                call()
            assert "secret" not in str(gone.value)
        assert time.monotonic() - began < 5
    finally:
        postgres.start()
    assert set(database.beat(0, 0).last) == {"a"}
    database.close()


@pytest.mark.timeout(60)
def test_a_server_that_hangs_is_given_up(
    postgres: Postgres, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stopped, as a disk or a pooler does it: connections open, nothing is answered."""
    monkeypatch.setattr(connecting, "PATIENCE", 0.3)
    database = Database(f"{address}?connect_timeout=2", "a", "1")
    database.prepare()
    postmaster = int((postgres.files / "postmaster.pid").read_text().split()[0])
    stopped = [postmaster, *children(postmaster)]
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        began = time.monotonic()
        with pytest.raises(DatabaseGone):
            database.settings()
        assert time.monotonic() - began < 10
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
    assert database.settings() == {}
    database.close()


def test_who_is_stopped_in_a_transaction_holds_up_nobody_for_long(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "WAIT", 0.3)
    stopped, other = Database(address, "a", "1"), Database(address, "a", "1")
    stopped.prepare()
    stopped.register()
    before_commit, goes_on = threading.Event(), threading.Event()

    def stop(connection: Connection) -> None:
        if threading.current_thread() is not threading.main_thread():
            before_commit.set()
            goes_on.wait(20)

    event.listen(Engine, "commit", stop)
    try:
        with ThreadPoolExecutor(1) as pool:
            beat = pool.submit(stopped.beat, 9, 9)
            before_commit.wait(20)
            with pytest.raises(DatabaseGone, match="statement timeout"):
                other.register()
            wait_for(lambda: has_beaten(other))
            goes_on.set()
            with pytest.raises(DatabaseGone):
                beat.result()
    finally:
        event.remove(Engine, "commit", stop)
    assert [node.owned for node in other.nodes()] == [1]
    stopped.close()
    other.close()


def has_beaten(database: Database) -> bool:
    """Whether it could write."""
    try:
        database.register()
        database.beat(1, 1)
    except DatabaseGone:
        return False
    return True


def wait_for(is_so: Callable[[], bool]) -> None:
    """Each try waits by itself."""
    for _ in range(20):
        if is_so():
            return
    raise AssertionError("it never was")


def children(process: int) -> list[int]:
    """Ids of the processes that it started."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(one) for one in listed.split()]
