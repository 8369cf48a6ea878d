"""Negative controls: the comparison is able to fail.

Each fault is one change of the macros' text, as somebody could make it by mistake. The view that
follows the changes with it must differ from its query; with the macros as they are it must not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.support.project import ROOT, Project, copy_package

pytestmark = [pytest.mark.differential, pytest.mark.timeout(1800)]

F, D = "{{ target.schema }}.facts", "{{ target.schema }}.dims"
VIEWS = {
    "counted": f"select k, count(*) as n from {F} group by k",
    "summed": f"select k, count(*) as n, sum(amt) as total from {F} group by k",
    "lowest": f"select k, min(amt) as lo from {F} group by k",
    "lowest_joined": f"select f.k, min(amt) as lo from {F} f join {D} d on f.k = d.k group by f.k",
    "means": f"select k, count(*) as n, sum(amt) as total, avg(amt) as mean from {F} group by k",
    "names": f"select k, count(distinct s) as names from {F} group by k",
    "pairs": f"select a.k, count(*) as n from {F} a join {F} b on a.k = b.k group by a.k",
    "rows": f"select id, amt from {F} where id >= 0",
    "bag": f"select k, s from {F}",
    "joined": f"select f.id, d.name from {F} f join {D} d on f.k = d.k",
    "opened": (
        "select id, short from (select id, split_part(s, '(', 1) as short, upper(s) as other"
        f" from {F})"
    ),
    "unioned": f"select k, s from {F} union all select k, name from {D}",
    "having": f"select k, count(*) as n from {F} group by k having count(*) > 3",
    "alone": f"select d.k, d.name from {D} d left join {F} f on f.k = d.k where f.id is null",
}
# Views that are followed by mistake only; test_fast.py has their reasons.
REFUSED = {
    "right_side": f"select d.name, f.id from {D} d left join {F} f on f.k = d.k",
    "second": (
        "select k, id from (select *, row_number() over (partition by k order by id) as rn"
        f" from {F}) where rn = 2"
    ),
}
CHANGES = [
    "insert into @.facts values (100, 1, -5, 'new'), (101, null, 3, 'n'), (102, 20, 1, 'x'),"
    " (103, 2, 1, 'twice'), (103, 2, 1, 'twice'), (105, null, 4, 'n')",
    "update @.facts set k = 3 where id = 9",
    "update @.facts set amt = amt where id = 10",
    "update @.facts set s = 'renamed' where id = 12",
    "delete from @.facts where k = 4",
    "delete from @.facts where k = 5 and amt = 0 or id = 7",
    "delete from @.facts where k = 6 and amt is not null",
    "insert into @.dims values (20, 'd20')",
    "update @.dims set name = 'other' where k = 3",
    "delete from @.dims where k in (0, 1)",
    "insert into @.facts values (104, 0, -9, 'last')",
]


@dataclass(frozen=True)
class Fault:
    """A text of one macro file, what stands there instead, and the view that shows it: by rows
    that differ, or by what the engine says."""

    view: str
    file: str
    right: str
    wrong: str
    says: str = ""


SIDE = "{%- set version = moved.end if at.before else moved.start -%}"
FAULTS = {
    "both_places_of_a_self_join_are_the_changes": Fault(
        "pairs",
        "fast/term_bindings.sql",
        "{%- if other.name == place.name -%}",
        "{%- if other.relation == place.relation -%}",
    ),
    "both_sides_of_a_join_are_new": Fault(
        "joined", "fast/term_bindings.sql", SIDE, SIDE.replace("moved.start", "moved.end")
    ),
    "both_sides_of_a_join_are_old": Fault(
        "joined", "fast/term_bindings.sql", SIDE, SIDE.replace("moved.end", "moved.start")
    ),
    "a_row_that_came_and_went_is_not_netted": Fault(
        "lowest_joined",
        "sql/combined_value.sql",
        "{{ come }} {{ before }} {{ gone }}",
        "{{ come }} {{ before }}= {{ gone }}",
    ),
    "netting_makes_one_row_of_two": Fault(
        "rows", "sql/changed_rows.sql", "sequence(1, abs(_mview_n))", "sequence(1, 1)"
    ),
    "keys_are_not_compared_null_safe": Fault("counted", "sql/columns.sql", " <=> ", " = "),
    "bounds_leave_out_null": Fault(
        "lowest", "sql/bounds.sql", "{%- if bound.nulls -%}", "{%- if false -%}"
    ),
    "the_watermark_is_past_the_read_point": Fault(
        "counted",
        "sql/changed_rows.sql",
        "{{ change.first }}, {{ change.end }})",
        "{{ change.first }}, {{ [change.end - 1, change.first] | max }})",
    ),
    "a_minimum_is_kept_after_its_delete": Fault(
        "lowest",
        "sql/combined_value.sql",
        "and coalesce({{ old }} {{ before }} {{ gone }}, true)",
        "and true",
    ),
    "a_mean_is_of_as_many_values_as_before": Fault(
        "means",
        "sql/combined_value.sql",
        '~ had ~ " + " ~ change ~ " as decimal(10, 0))"',
        '~ had ~ " as decimal(10, 0))"',
    ),
    "a_sum_of_nothing_is_zero": Fault(
        "summed",
        "sql/combined_value.sql",
        '"doubt": "(" ~ any ~ " and " ~ sum ~ " = 0)"',
        '"doubt": none',
    ),
    "a_group_that_vanished_stays": Fault(
        "counted",
        "sql/merge_source.sql",
        "when _mview_alive and not _mview_doubt then",
        "when not _mview_doubt then",
    ),
    "nobody_looks_for_a_group_in_doubt": Fault(
        "summed", "sql/merge_source.sql", "when _mview_doubt then raise", "when false then raise"
    ),
    "copies_that_stay_are_lost": Fault(
        "bag", "sql/merge_rows.sql", "s._mview_n + coalesce(v._mview_had, 0)", "s._mview_n"
    ),
    "an_update_is_read_as_new_rows": Fault(
        "rows",
        "fast/add_commit.sql",
        "{%- set inserts, deletes = true, true -%}",
        "{%- set inserts, deletes = true, false -%}",
    ),
    "the_other_branch_of_a_union_is_not_emptied": Fault(
        "unioned",
        "fast/term_bindings.sql",
        "{%- elif other.name in shape.emptied.get(place.name, []) -%}",
        "{%- elif false -%}",
    ),
    "a_column_is_taken_for_unused": Fault(
        "summed",
        "fast/used_columns.sql",
        "{%- elif ids[loop.index0] in needed -%}",
        "{%- elif false -%}",
        "`k` of spark_catalog.test_faults.facts is used after all",
    ),
    "a_filter_over_groups_hides_keys": Fault(
        "having",
        "fast/terms.sql",
        '(shape.get("text") or spec.definition, opened)',
        '(shape.get("text") or spec.definition, [])',
    ),
    "a_filter_over_an_outer_join_hides_keys": Fault(
        "alone", "fast/covered_shape.sql", "{place.name: path.opened}", "{place.name: []}"
    ),
    "the_plan_is_misread_having": Fault(
        "having", "fast/operators.sql", '"Project SubqueryAlias ', '"Filter Project SubqueryAlias '
    ),
    "the_plan_is_misread_distinct": Fault(
        "names", "fast/value_class.sql", 'inner.startswith("distinct ")', "false"
    ),
    "the_plan_is_misread_brackets": Fault(
        "opened",
        "fast/used_columns.sql",
        ' or reads.get("odd_literal")',
        "",
        "`s` of spark_catalog.test_faults.facts is used after all",
    ),
    "the_plan_is_misread_outer_join": Fault(
        "right_side", "fast/operators.sql", '"LeftOuter": [0],', '"LeftOuter": [0, 1],'
    ),
    "the_plan_is_misread_rank": Fault(
        "second", "fast/window_shape.sql", "(?:= 1|<=? \\\\d+)", "(?:<?=? \\\\d+)"
    ),
}


# Faults that are sown together, to save runs of dbt: none of them touches the others' views.
RUNS = [
    [
        "the_plan_is_misread_having",
        "the_plan_is_misread_distinct",
        "the_plan_is_misread_outer_join",
        "the_plan_is_misread_rank",
        "nobody_looks_for_a_group_in_doubt",
    ],
    [
        "both_places_of_a_self_join_are_the_changes",
        "a_minimum_is_kept_after_its_delete",
        "a_sum_of_nothing_is_zero",
        "copies_that_stay_are_lost",
        "the_other_branch_of_a_union_is_not_emptied",
    ],
    [
        "netting_makes_one_row_of_two",
        "a_row_that_came_and_went_is_not_netted",
        "a_mean_is_of_as_many_values_as_before",
        "a_filter_over_groups_hides_keys",
        "a_filter_over_an_outer_join_hides_keys",
    ],
    ["both_sides_of_a_join_are_new", "keys_are_not_compared_null_safe"],
    ["both_sides_of_a_join_are_old", "bounds_leave_out_null"],
    ["the_watermark_is_past_the_read_point"],
    ["a_group_that_vanished_stays", "the_plan_is_misread_brackets"],
    ["an_update_is_read_as_new_rows"],
    ["a_column_is_taken_for_unused"],
]


@dataclass
class Verdict:
    """What dbt said of a refresh, and mview_verify of its result."""

    text: str
    word: str = ""


@pytest.fixture(scope="module")
def verdicts(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Verdict]]:
    """All views built, the tables changed, and each view refreshed: once as it should be (by its
    own name), and once with each fault (by the fault's)."""
    home = tmp_path_factory.mktemp("faults")
    package = copy_package(home / "package")
    project = Project(home / "p", "test_faults", spark, package=package)
    spark.sql("create schema test_faults")
    _tables(project)
    queries = {**VIEWS, **REFUSED}
    for name, view in [*((n, n) for n in VIEWS), *((n, f.view) for n, f in FAULTS.items())]:
        project.model(name, queries[view])
    project.run()
    for statement in CHANGES:
        project.sql(statement)
    for name, query in VIEWS.items():
        project.model(name, query, refresh="fast")
    sound = project.run(*VIEWS)
    found = {name: Verdict(sound.text(name)) for name in VIEWS}
    for names in RUNS:
        for name in names:
            project.model(name, queries[FAULTS[name].view], refresh="fast")
        with ExitStack() as sown:
            for name in names:
                sown.enter_context(in_place(package / "macros", FAULTS[name]))
            done = project.run(*names, expect=None)
        found.update({name: Verdict(done.text(name)) for name in names})
    log = project.op("mview_verify", expect=None).log
    for name, verdict in found.items():
        line = re.search(rf"test_faults\.{name}\s+(\w+)", log)
        verdict.word = line[1] if line else log
    yield found
    project.drop()


def _tables(project: Project) -> None:
    """Groups of five; one of no key, one with a row without an amount."""
    feed = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    project.sql(
        f"create table @.facts {feed} as select id, cast(nullif(id % 8, 7) as int) as k,"
        " if(id = 6, null, cast(id div 8 as decimal(10, 2))) as amt, concat('s', id % 3) as s"
        " from range(40)"
    )
    project.sql(
        f"create table @.dims {feed} as"
        " select cast(id as int) as k, concat('d', id) as name from range(10)"
    )


@contextmanager
def in_place(macros: Path, fault: Fault) -> Iterator[None]:
    """Has the fault in the macros for a while; the text that it replaces is there, once."""
    file = macros / fault.file
    text = file.read_text()
    assert text.count(fault.right) == 1, fault
    file.write_text(text.replace(fault.right, fault.wrong))
    yield
    file.write_text(text)


@pytest.mark.unit
@pytest.mark.parametrize("name", FAULTS)
def test_what_a_fault_replaces_is_there(name: str) -> None:
    """Also where nobody sows it: macros change more often than `make soak` is run."""
    fault = FAULTS[name]
    assert (ROOT / "macros" / fault.file).read_text().count(fault.right) == 1


@pytest.mark.unit
def test_every_fault_is_sown_once() -> None:
    assert sorted(name for names in RUNS for name in names) == sorted(FAULTS)


@pytest.mark.parametrize("name", VIEWS)
def test_without_a_fault_it_is_equal(verdicts: dict[str, Verdict], name: str) -> None:
    assert verdicts[name].text.startswith("FAST"), verdicts[name].text
    assert verdicts[name].word == "equal"


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught(verdicts: dict[str, Verdict], name: str) -> None:
    if FAULTS[name].says:
        assert FAULTS[name].says in verdicts[name].text
    else:
        assert verdicts[name].text.startswith("FAST"), verdicts[name].text
        assert verdicts[name].word == "DIFFERS"
