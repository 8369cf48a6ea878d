"""What is odd about the values, keys and columns of a source, and FAST is exact all the same."""

from __future__ import annotations

import pytest

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]


def test_zeros_of_both_signs_are_two_values(tables: Project) -> None:
    """They are equal, and their texts are not: a change of one into the other is a change."""
    tables.sql(
        "create table @.floats using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
        " as select id, 0.0D as x from range(100)"
    )
    tables.model("texts", f"select id, cast(x as string) as text from {tables.schema}.floats")
    tables.run("texts")
    tables.sql("update @.floats set x = -0.0D where id = 1")
    tables.sql("delete from @.floats where id = 2")
    tables.sql("insert into @.floats values (100, -0.0D)")
    assert tables.run("texts").text("texts").startswith("FAST")
    negative = tables.sql("select id from @.texts where text = '-0.0' order by id")
    assert [row.id for row in negative] == [1, 100]
    assert tables.op("mview_verify", view="texts").success


def test_a_column_that_is_always_null(tables: Project) -> None:
    """Delta's MERGE finds no row by NULL of type void: such rows stayed beside their new ones."""
    tables.sql(
        "create table @.loads using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
        " as select id, id % 5 as k from range(100)"
    )
    here = tables.schema
    total = "select 'all' as what, null as k, max(k) as most, count(*) as n from"
    queries = {
        "void_rows": f"select id, null as later, k from {here}.loads",
        "void_groups": f"select k, null as later, count(*) as n from {here}.loads group by 1, 2",
        "void_totals": f"{total} {here}.loads union all {total} {here}.dims",
    }
    for name, query in queries.items():
        tables.model(name, query, refresh="fast")
    tables.run(*queries)
    tables.sql("update @.loads set k = 9 where id % 10 = 3")
    tables.sql("delete from @.loads where id = 7")
    outcome = tables.run(*queries)
    for name, query in queries.items():
        assert outcome.text(name).startswith("FAST")
        assert tables.holds(name, query), name


def test_keys_that_occur_twice(tables: Project) -> None:
    """What comes by FAST is compared with the view's rows; nothing of it is published."""
    feed = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    for name in ("ones", "twos", "sums"):
        tables.sql(f"create table @.{name} {feed} as select id, id % 3 as k from range(6)")
    tables.sql(f"create table @.names {feed} as select id as k, 'x' as name from range(3)")
    here = tables.schema
    queries = {
        "of_rows": (f"select id, k from {here}.ones", "id"),
        "of_joins": (
            f"select a.id, b.name from {here}.twos a left join {here}.names b using (k)",
            "id",
        ),
        "of_groups": (f"select id, k, count(*) as n from {here}.sums group by 1, 2", "id"),
    }
    for name, (query, key) in queries.items():
        tables.model(name, query, unique_key=key, refresh="fast")
    tables.run(*queries)
    held = {name: tables.rows(name) for name in queries}
    tables.sql("insert into @.ones values (3, 1)")
    tables.sql("insert into @.names values (1, 'y')")
    tables.sql("insert into @.sums values (4, 0)")
    outcome = tables.run(*queries, expect=False)
    for name in queries:
        text = outcome.text(name)
        assert "keys occur more than once" in text or "UNIQUE_KEY_OVER_ALL_ROWS" in text, text
        assert tables.rows(name) == held[name]
        assert tables.info(name).last_refresh_result == "failed"
    tables.sql("delete from @.ones where id = 3 and k = 1")
    tables.sql("delete from @.names where name = 'y'")
    tables.sql("delete from @.sums where id = 4 and k = 0")
    outcome = tables.run(*queries)
    assert all(outcome.text(name).startswith("FAST") for name in queries), outcome.log
    for name, (query, _) in queries.items():
        assert tables.holds(name, query), name


# One dimension in two roles: which rows change is known by that of the window alone.
TWO_ROLES = "from {0}facts f join d a on a.k = f.k join d b on b.k = f.id % 8"
BOTH = "a.name as here, b.name as there, f.id"
ROLES = {
    "ranked": "select here, there, id, amt from (select {1}, f.amt, row_number() over"
    " (partition by a.name order by f.amt desc, f.id) as rn {2}) where rn <= 2",
    "ranked_in_ctes": ", joined as (select {1}, f.amt {2}), ranked as (select *, row_number() over"
    " (partition by here order by amt desc, id) as rn from joined) select here, there, id from"
    " ranked where rn <= 2 and amt > 0",
    "second_role": "select {1}, count(*) over (partition by b.name) as n {2}",
    "in_unchanged": "select id, amt from {0}facts where k in (select k from d where name > 'a')",
    "not_exists": "select k, count(*) as n from {0}facts f where not exists"
    " (select 1 from d where d.k = f.k and d.name > 'b') group by k",
    "left_semi": "select f.id from {0}facts f left semi join d on d.k = f.k",
    "left_anti": "select f.id, f.s from {0}facts f left anti join d on d.k = f.k and f.amt > 50",
}


@pytest.mark.nightly
def test_roles_of_a_dimension(tables: Project) -> None:
    """A CTE that is read twice: the same column of both is not the same value. And what a query
    asks of a table that does not change.
    """
    texts = {}
    for name, query in ROLES.items():
        text = f"with d as (select * from {{0}}dims) {query}".format("{0}", BOTH, TWO_ROLES)
        texts[name] = text
        tables.model(name, text.format("{{ target.schema }}."))
    tables.run(*ROLES)
    for statement in (
        "insert into @.facts select id + 7000, cast(id % 10 as int), 90 + id, 's', null"
        " from range(12)",
        "delete from @.facts where id >= 7003",
        "update @.facts set amt = 95, k = k + 1 where id % 17 = 5",
    ):
        tables.sql(statement)
        for name in ROLES:
            # The model cannot insist on it: changes of the dimension are not followed.
            tables.op("mview_refresh", view=name, method="fast")
            assert tables.holds(name, texts[name].format("@.")), (name, statement)


OVER_PARTITIONS = {
    "of_numbers": ("x", "FAST"),
    "of_whole_numbers": ("cast(x as int)", "FAST"),
    "of_their_texts": ("cast(x as string)", "FAST"),  # as a derived table, of rows as they are
}


def test_values_that_are_equal_and_not_the_same(tables: Project) -> None:
    """0.0 and -0.0 are one partition, and two texts above it."""
    tables.sql(
        "create table @.alike (id int, x double) using delta"
        " tblproperties ('delta.enableChangeDataFeed' = 'true')"
    )
    tables.sql("insert into @.alike values (1, 0.0), (2, -0.0D)")
    tables.sql("insert into @.alike select id, id / 4 from range(100, 200)")
    for name, (key, _) in OVER_PARTITIONS.items():
        by, source = "x", f"{tables.schema}.alike"
        if "int" in key:
            by, key, source = "t", "t", f"(select {key} as t from {source})"
        low = f"select *, count(*) over (partition by {by}) as n from {source}"
        tables.model(name, f"select {key} as t, max(n) as n from ({low}) group by 1")
    tables.run(*OVER_PARTITIONS)
    tables.sql("insert into @.alike select id, 0.0D from range(4, 6)")
    done = tables.run(*OVER_PARTITIONS)
    for name, (_, outcome) in OVER_PARTITIONS.items():
        text = done.text(name)
        assert text.startswith(outcome.split()[0]) and outcome.split()[-1] in text, (name, text)
        verified = tables.op("mview_verify", view=name, expect=None)
        assert verified.success, (name, verified.log[-2000:])


def test_rows_of_two_time_zones_do_not_meet(tables: Project) -> None:
    """The same text means another day elsewhere: nothing is skipped, and nothing is added to it."""
    tables.sql(
        "create table @.events using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
        " as select timestamp'2024-05-01 03:00:00' + make_interval(0, 0, 0, id) as at"
        " from range(60)"
    )
    query = f"select date(at) as day, count(*) as n from {tables.schema}.events group by 1"

    def run() -> str:
        text = tables.run("days").text("days")
        assert sorted(tables.sql(query)) == sorted(tables.sql("select * from @.days"))
        return text

    tables.model("days", query)
    run()
    key, there = "spark.sql.session.timeZone", "America/New_York"
    tables.spark.conf.set(key, there)
    try:
        assert f"TIME_ZONE_CHANGED: UTC -> {there}" in run()
        tables.sql("insert into @.events values (timestamp'2024-05-01 03:00:00Z')")
        assert run().startswith("FAST")
    finally:
        tables.spark.conf.set(key, "UTC")
    verified = tables.op("mview_verify", view="days", expect=False).log
    assert f"not verifiable: time zone {there} -> UTC. Refresh it, then verify it." in verified
    assert f"TIME_ZONE_CHANGED: {there} -> UTC" in run()


ODD = {
    # A struct of more fields than the engine prints.
    "odd_first": "select k, st, id from (select *, row_number() over (partition by k order by id"
    " desc) as rn from {odd}) where rn = 1",
    "odd_unused": "with c as (select *, st.c2 as second from {odd}) select k, count(*) as n,"
    " max(id) as top from c group by k",
    # Bytes that are no UTF-8, as keys: with a minimum, they are staged.
    "odd_bytes": "select cast(unhex(bytes) as string) as s, min(id) as lo, count(*) as n from {odd}"
    " group by 1",
    # Texts that look like the end of a list, or its begin, beside columns that nobody asks for.
    "odd_opened": "select id, short from (select id, split_part(bytes, '(', 1) as short,"
    " upper(bytes) as other from {odd})",
    "odd_closed": "select id, short from (select id, replace(bytes, ')]', '') as short, `o(`"
    " from (select id, bytes, big as `o(` from {odd}))",
    # One more than the greatest value, and it is NULL.
    "odd_sums": "select k, count(*) as n, sum(big) as total from {odd} group by k",
}


@pytest.mark.nightly
def test_odd_values(tables: Project) -> None:
    """Types that cannot be written, bytes that are no text, sums that overflow."""
    fields = ", ".join(f"'c{turn}', id + {turn}" for turn in range(30))
    feed = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    rows = (
        f"select id, id % 3 as k, named_struct({fields}) as st, if(id % 2 = 0, 'C328', '61') as"
        " bytes, cast(if(id % 3 = 1, '5e33', '1') as decimal(38, 4)) as big from range({})"
    )
    tables.sql(f"create table @.odd {feed} as {rows.format('0, 3')}")
    tables.sql(f"insert into @.odd {rows.format('6, 60, 3')}")
    odd = f"{tables.schema}.odd"
    for name, query in ODD.items():
        tables.model(name, query.format(odd=odd), refresh="fast")
    tables.run(*ODD)
    for change in (
        # k = 1 overflows, and is what it was again.
        [f"insert into @.odd {rows.format('100, 103')}", "update @.odd set id = id where id = 6"],
        ["delete from @.odd where id = 101"],
        ["delete from @.odd where id in (9, 102)", f"insert into @.odd {rows.format('200, 206')}"],
        ["delete from @.odd where id between 200 and 203", "update @.odd set big = 2 where k = 0"],
        ["update @.odd set bytes = '62' where id between 12 and 20"],
    ):
        for statement in change:
            tables.sql(statement)
        done = tables.run(*ODD)
        assert {done.text(view)[:4] for view in ODD} == {"FAST"}
        for view, query in ODD.items():
            assert tables.holds(view, query.format(odd=odd)), (view, change)


@pytest.mark.nightly
def test_columns_of_a_source_that_changed_without_a_row(tables: Project) -> None:
    """Rows that nobody touched have other values: SCHEMA_CHANGED, but for what is not used."""
    wide = "'delta.enableChangeDataFeed' = 'true', 'delta.enableTypeWidening' = 'true'"
    for name in ("goods", "others"):
        tables.sql(
            f"create table @.{name} using delta tblproperties ({wide}) as select id,"
            " cast(70000 as int) as qty, cast(70000 as int) as price, 'n' as note from range(100)"
        )
    goods, others = (f"{tables.schema}.{name}" for name in ("goods", "others"))
    queries = {
        "worth": f"select id, cast(qty * price as bigint) as worth from {goods}",
        "noted": f"select id, note from {goods}",
        "in_turn": f"select id, qty, price from (select * from {goods}) union all (select id, qty,"
        f" price from (select * from {others}))",
        "by_place": f"select id, qty, price, note from (select * from {others} union all select *"
        f" from {others})",
        "all_of_it": f"select id, to_json(array(*)) as parts from (select id, qty, price from"
        f" {goods})",
        "counted_parts": f"select id, hash(*) as parts from {goods}",
    }
    for name, query in queries.items():
        tables.model(name, query)
    tables.run(*queries)
    expected = {
        "alter table @.goods alter column qty comment 'how many'": "",
        "alter table @.goods alter column qty type bigint": "worth in_turn all_of_it counted_parts",
        # Columns that are asked for by their names may stand in a struct(*), too.
        "alter table @.others alter column price after id": "by_place in_turn",
        "alter table @.goods add columns (extra int)": "counted_parts",
    }
    for statement, names in expected.items():
        tables.sql(statement)
        outcome = tables.run(*queries)
        texts = {name: outcome.text(name) for name in queries}
        changed = {name for name, text in texts.items() if "SCHEMA_CHANGED" in text}
        assert changed == set(names.split()), (statement, texts)
        for name, query in queries.items():
            assert tables.holds(name, query), (name, statement)
    tables.spark.sql(f"select id, 1L as qty, 3000000000L as price, 'm' as note from {goods}").limit(
        5
    ).write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable(goods)
    text = tables.run("worth").text("worth")
    assert "SCHEMA_CHANGED: test_values.goods" in text, text


@pytest.mark.nightly
def test_floats_are_compared_within_a_tolerance(tables: Project) -> None:
    """The order in which Spark adds decides their last digits. A wrong row stays wrong."""
    tables.sql(
        "create table @.doubles using delta as select id, id % 3 as k, id / 7D as x from range(90)"
    )
    query = (
        f"select k, sum(x) as s, cast(sum(x) as float) as f, count(*) as n from"
        f" {tables.schema}.doubles group by k"
    )
    tables.model("added", query)
    test = {"name": "added", "data_tests": ["dbt_mview.mview_matches_query"]}
    tables.write("models/added.yml", {"models": [test]})
    tables.run("added")
    tables.sql("update @.added set s = s * (1 + 4e-16D), f = f * 1.0000001 where k < 2")
    assert "equal (floats within 1e-09)" in tables.op("mview_verify", view="added").log
    exact = ("--vars", "{dbt_mview:float_tolerance: 0}")
    assert tables.dbt("test", "--select", "added").success
    assert not tables.dbt("test", "--select", "added", *exact, expect=False).success
    tables.sql("update @.added set s = s * 1.00001 where k = 2")
    found = tables.op("mview_verify", view="added", expect=False)
    assert "DIFFERS" in found.log
    tables.sql("delete from @.added where k = 2")
    assert "DIFFERS" in tables.op("mview_verify", view="added", expect=False).log
