"""Views that ask for the day or the moment, later: what a WHERE lets in and no more is followed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.macros import Change
from tests.support.project import Project, copy_package

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]
S = "{{ target.schema }}."
RECENT = f"recent as (select * from {S}facts where day > current_date() - 10)"
# Each is FAST on another day, and equal to its query.
FOLLOWED = {
    "plain": f"select id, k, amt from {S}facts where day >= current_date() - 30 and amt > 2",
    "summed": "select k, count(*) as n, sum(amt) as total, min(day) as since"
    f" from {S}facts where day between current_date - 30 and current_date() - 1 group by k",
    "of_all": f"select count(*) as n, max(amt) as most from {S}facts where day > curdate() - 7",
    "imported": f"with {RECENT}, dims as (select * from {S}dims) select d.name, count(*) as n,"
    " count(distinct r.s) as names from recent r join dims d on r.k = d.k group by d.name",
    "optional": f"with {RECENT} select d.k, d.name, r.total from {S}dims d left join"
    " (select k, sum(amt) as total from recent group by k having count(*) > 1) r on d.k = r.k",
    "latest": f"with {RECENT} select k, id, day from (select *, row_number() over"
    " (partition by k order by day desc, id) as n from recent) where n = 1",
    "both": f"select id, 'new' as age from {S}facts where day > current_date() - 3 union all"
    f" select id, 'old' from {S}facts where amt > 30 and day <= current_date() - 3 and k < 5",
    "of_a_view": f"select customer, sum(amt) as total from {S}staged"
    " where coalesce(day < current_date() - 20, true) -- or none\n group by customer",
    "moments": f"select id, k from {S}facts where cast(day as timestamp) between"
    " now() - interval 9 days and current_timestamp",
    "both_times": f"select k, count(*) as n from {S}facts where day > current_date() - 30"
    " and cast(day as timestamp) < now() - interval 36 hours group by k",
    "joined": f"select f.id, d.name from {S}facts f left join {S}dims d on f.k = d.k"
    " where f.day > current_date() - 5 or d.name is null",
}
# The day is asked for elsewhere.
COMPLETE = {
    "aged": f"select id, datediff(current_date(), day) as age from {S}facts where id < 50",
    "absent": f"select k from {S}dims d where not exists (select 1 from {S}facts f"
    " where f.k = d.k and f.day > current_date() - 4)",
    "full": f"select k, max(day) as last from {S}facts group by k having last < current_date()",
}
ROUNDS = [
    ("2024-02-16", ()),
    (
        "2024-02-27",
        (
            "insert into @.facts select 900 + id, cast(id % 10 as int), 3, null,"
            " date_add(date'2024-02-01', cast(id as int)) from range(25)",
            "update @.facts set day = date_add(day, 11), k = 3 where id % 37 = 5",
            "update @.facts set amt = amt + 1 where k = 7",
            "delete from @.facts where id % 23 = 2",
            "update @.dims set name = 'other' where k = 2",
        ),
    ),
]


@pytest.fixture
def dated(tables: Project, tmp_path: Path) -> Project:
    """The tables, and a package whose day is a var."""
    package = copy_package(tmp_path / "package")
    clock = "{%- set clock = dbt_mview._clock() -%}"
    noon = '{{ return(var("today") ~ " 12:00:00.000000Z") }}'
    Change("_today", clock, '{{ return(var("today")) }}').apply(package / "macros")
    Change("_moment_of_run", clock, noon).apply(package / "macros")
    link = tables.root / "dbt_packages" / "dbt_mview"
    link.unlink()
    link.symlink_to(package)
    return tables


def test_what_the_day_lets_in(dated: Project) -> None:
    for name, query in FOLLOWED.items():
        dated.model(name, query, refresh="fast")
    for name, query in COMPLETE.items():
        dated.model(name, query)
    run(dated, "2024-02-15")
    for day, statements in ROUNDS:
        for statement in statements:
            dated.sql(statement)
        said = run(dated, day)
        for name in FOLLOWED:
            assert said[name].startswith("FAST "), (name, said[name])
            assert f" -> {day}" in said[name] and "DATE_CHANGED" in said[name], said[name]
        for name in COMPLETE:
            assert said[name].startswith("COMPLETE ") and "DATE_CHANGED" in said[name], said[name]
        verified = dated.op("mview_verify").log
        assert verified.count(" equal ") == len(FOLLOWED) + len(COMPLETE), verified
    assert {text.split()[0] for text in run(dated, ROUNDS[-1][0]).values()} == {"SKIP"}


def run(project: Project, day: str) -> dict[str, str]:
    """One run on this day. Returns what dbt says of each view."""
    done = project.run(args=("--vars", json.dumps({"today": day})))
    return {name: done.text(name) for name in {**FOLLOWED, **COMPLETE}}
