"""Records: each key that a macro reads or sets is one that the record's constructor names.

dbt renders an unknown key as nothing, and a misspelt one is false for ever. Which record a name
stands for is told by the name, in a few files by the table below.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbt_common.clients.jinja import get_environment
from jinja2 import UndefinedError, nodes

from .kit.harness import Dbt
from .kit.scenes import VIEW, built
from .kit.templates import MACROS, macro_files

# The constructors.
RECORDS = {
    "job": "_job_record",
    "spec": "_spec_record",
    "purge": "_purge_record",
    "capture": "_capture_record",
    "log spec": "_log_spec_record",
    "bare job": "_bare_job",
    "outcome": "_outcome",
    "change": "_change_record",
    "delta plan": "_delta_plan_record",
    "coverage": "_coverage_record",
    "memory": "_memory",
    "holder": "_holder",
    "state": "_read_states",
}
# The names that macros give to records.
NAMES = {
    "job": "job",
    "again": "job",
    "alone": "job",
    "spec": "spec",
    "outcome": "outcome",
    "o": "outcome",
    "change": "change",
    "tail": "change",
    "coverage": "coverage",
    "delta plan": "delta plan",
    "memory": "memory",
    "holder": "holder",
    "state": "state",
}
# What holds a record under one of these names is read through.
FIELDS = {"fast": "delta plan", "plan": "plan"}
# In these folders and files the names stand for other records.
OTHERS = {
    "incremental": {"plan": "delta plan"},
    "incremental/apply": {"plan": "delta plan"},
    "base/run": {"job": "bare job"},
    "incremental/affected_keys_plan": {"groups": "delta plan"},
    "incremental/judge": {"named": "delta plan"},
    "log/capture": {"job": "capture", "spec": "log spec"},
    "log/inspect_base": {"job": "capture", "spec": "log spec"},
    "log/inspect_log": {"job": "capture", "spec": "log spec"},
    "log/log_spec_from_model": {"job": "capture", "spec": "log spec"},
    "log/start_log": {"job": "capture", "spec": "log spec"},
    "materializations/materialized_view_log": {"job": "capture", "spec": "log spec"},
    "log/acquire_log": {"job": "purge"},
    "log/close_purge": {"job": "purge"},
    "log/inspect_purge": {"job": "purge"},
    "log/open_purge": {"job": "purge"},
    "log/purge": {"job": "purge", "spec": "log spec"},
    "log/purge_batch": {"job": "purge"},
    "operations/mlog_purge": {"job": "purge"},
    "operations/mview_explain": {"plan": "delta plan"},
    "operations/what_it_follows": {
        "found": "delta plan",
        "alone": "delta plan",
        "plan": "delta plan",
        "shown": "delta plan",
    },
    "refresh/choose_method": {"found": "delta plan"},
    "refresh/decide": {"plan": "delta plan"},
    "refresh/plan": {"delta_plan": "delta plan"},
    "state/read_log_row": {"spec": "log spec"},
}
# Of which a part may be handed over: by tests, by an intent that an older release wrote.
PARTS = {"change", "holder", "state"}
# These do not say what each key is: it is the column's, or stands in one line.
UNLISTED = {"holder", "state"}
# These are made of nothing that is given.
FIXED = {"bare job", "memory", "holder", "state"}
METHODS = {"setdefault", "update", "get", "items", "keys", "values"}
PREFIX = "dbt_macro__"


@functools.cache
def keys_of(record: str) -> frozenset[str]:
    return frozenset(made(record, {}))


def made(record: str, values: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any]
    if record == "outcome":
        found = Dbt()(RECORDS[record], "v", "j", "o", 1, "success", "fast", **values)
    elif record == "bare job":
        found = Dbt()(RECORDS[record], **values)
    elif record == "memory":
        found = Dbt()(RECORDS[record])
    elif record == "state":
        found = built()("_read_state", VIEW)
    elif record == "holder":
        found = Dbt()(RECORDS[record], made("state", {}))
    else:
        found = Dbt()(RECORDS[record], values)
    return found


def name_of(node: nodes.Node) -> str | None:
    """The name of what may be a record; what _memory() returns is one without a name."""
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
        return "memory" if node.node.attr == "_memory" else None
    if isinstance(node, nodes.Getattr):
        return FIELDS.get(node.attr)
    return node.name if isinstance(node, nodes.Name) else None


def constant(node: nodes.Node) -> str | None:
    found = isinstance(node, nodes.Const) and isinstance(node.value, str)
    return node.value if found else None  # type: ignore[attr-defined]


def uses(tree: nodes.Node) -> Iterator[tuple[str, str, str]]:
    """Each use of a key: the name of the record, how (read, get, set), the key (? if computed)."""
    for node in tree.find_all((nodes.Getattr, nodes.Getitem, nodes.Call)):
        if isinstance(node, nodes.Getattr) and (name := name_of(node.node)):
            if node.attr not in METHODS:
                yield name, "read", node.attr
        elif isinstance(node, nodes.Getitem) and (name := name_of(node.node)):
            yield name, "read", constant(node.arg) or "?"
        elif isinstance(node, nodes.Call) and name_of(node.node) == "dict" and node.args:
            if name := name_of(node.args[0]):
                for given in node.kwargs:
                    yield name, "set", given.key
                if node.dyn_kwargs and not is_whole(node.dyn_kwargs, name):
                    yield name, "set", "?"
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
            name, how = name_of(node.node.node), node.node.attr
            if name and how in ("get", "update") and node.args:
                (given, *_) = node.args
                how = "set" if how == "update" else how
                if how == "get":
                    yield name, how, constant(given) or "?"
                elif isinstance(given, nodes.Dict):
                    for pair in given.items:
                        yield name, how, constant(pair.key) or "?"
                elif not is_whole(given, name):
                    yield name, how, "?"


def is_whole(node: nodes.Node, name: str) -> bool:
    """A copy with other values, or what is known of a stored one."""
    if not isinstance(node, nodes.Call):
        return False
    called = node.node
    if isinstance(called, nodes.Getattr):
        return called.attr == "_known_keys" and name_of(node.args[0]) == name
    return name_of(called) == "dict"


def unknown(text: str, file: str) -> list[str]:
    """Uses of keys that no constructor names."""
    found = []
    names = {**NAMES, **OTHERS.get(file.rpartition("/")[0], {}), **OTHERS.get(file, {})}
    for macro in get_environment().parse(text).find_all(nodes.Macro):
        for name, how, key in uses(macro):
            record = names.get(name)
            if record is None or (how == "read" and key == "?"):
                continue
            hidden = how == "get" and record not in PARTS
            if hidden or key not in keys_of(record):
                found.append(f"{macro.name.removeprefix(PREFIX)}: {name}.{key} ({how})")
    return found


def path_of(file: Path) -> str:
    return str(file.relative_to(MACROS).with_suffix(""))


@pytest.mark.parametrize("file", macro_files(), ids=path_of)
def test_every_key_is_one_that_its_constructor_names(file: Path) -> None:
    found = unknown(file.read_text(encoding="utf-8"), path_of(file))
    assert not found, f"{path_of(file)}: not in the constructor, or read by get: {found}"


MACRO = "{%% macro _m(spec, job) %%} %s {%% endmacro %%}"
SOWN = {
    "{{ job.tokn }}": "_m: job.tokn (read)",
    "{{ job['tokn'] }}": "_m: job.tokn (read)",
    "{{ job.get('token') }}": "_m: job.token (get)",
    "{% do job.update({'token': 1, 'tokn': 2}) %}": "_m: job.tokn (set)",
    "{% do job.update({key: 2}) %}": "_m: job.? (set)",
    "{% do job.update(how) %}": "_m: job.? (set)",
    "{{ dict(job, tokn=2) }}": "_m: job.tokn (set)",
    "{{ spec.mlog_id }}": "_m: spec.mlog_id (read)",
    "{{ job.fast.strateg }}": "_m: delta plan.strateg (read)",
    "{{ job.fast['strateg'] }}": "_m: delta plan.strateg (read)",
    "{{ job.fast.get('text') }}": "_m: delta plan.text (get)",
    "{{ dict(judged.plan, strateg=none) }}": "_m: plan.strateg (set)",
    "{% do plan.update({'keys': [], 'strateg': none}) %}": "_m: plan.strateg (set)",
    "{% do plan.update(how) %}": "_m: plan.? (set)",
}


@pytest.mark.parametrize("text", SOWN)
def test_an_unknown_key_would_be_found(text: str) -> None:
    assert unknown(MACRO % text, "incremental/judge") == [SOWN[text]]


def test_a_log_is_no_view() -> None:
    assert unknown(MACRO % "{{ spec.mlog_id ~ job.was }}", "log/capture") == []
    assert unknown(MACRO % "{{ job.publish }}", "log/capture") == ["_m: job.publish (read)"]


@pytest.mark.parametrize("record", sorted(set(RECORDS) - FIXED))
def test_an_unknown_key_fails(record: str) -> None:
    with pytest.raises(Exception, match="has no 'unknown', only "):
        made(record, {"unknown": 1})


def test_what_another_release_stored_is_read_by_the_keys_that_are_known() -> None:
    dbt = Dbt()
    record = dbt("_job_record", {})
    assert dbt("_known_keys", record, {"id": "j", "of_a_later_release": 1}) == {"id": "j"}


LISTED = re.compile(r"(?m)^ {6}((?:\w+, )*\w+,?)(?:  +\S|$)|^ {4}(\w+)  ")


@pytest.mark.parametrize("record", sorted(set(RECORDS) - UNLISTED))
def test_the_constructor_says_what_each_key_is(record: str) -> None:
    (text,) = [
        text
        for file in macro_files()
        if f"macro {RECORDS[record]}(" in (text := file.read_text(encoding="utf-8"))
    ]
    doc = text[: text.index(f"macro {RECORDS[record]}(")].rpartition("{#\n")[2]
    rows = LISTED.findall(re.split("\n(?:Args|Returns): ", doc)[0])
    listed = re.findall(r"\w+", " ".join(one or other for one, other in rows))
    assert sorted(listed) == sorted(keys_of(record))


def test_files_of_other_records_are_there() -> None:
    files = {path_of(file) for file in macro_files()}
    assert set(OTHERS) <= files | {file.rpartition("/")[0] for file in files}


# Decisions look at the code of a reason, never into a text.


TEXTS = {"reason", "failed_reason", "not_fast", "message", "why", "gap", "skip"}
LOOKS = {"startswith", "endswith", "split", "find", "count"}
SEARCHES = {"search", "match", "fullmatch", "findall"}
# Errors of the engine reach macros as messages only.
OF_THE_ENGINE = {"hooks/hints", "hooks/failed_outcome"}


def last_name(node: nodes.Node) -> str | None:
    return node.attr if isinstance(node, nodes.Getattr) else name_of(node)


def looks_into_texts(text: str) -> list[str]:
    """Where a macro looks for words in what is made for people."""
    found = []
    for macro in get_environment().parse(text).find_all(nodes.Macro):
        for node in macro.find_all((nodes.Compare, nodes.Call)):
            name = None
            if isinstance(node, nodes.Compare) and node.ops[0].op in ("in", "notin"):
                name = last_name(node.ops[0].expr)
            elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
                name = last_name(node.node.node) if node.node.attr in LOOKS else None
                if node.node.attr in SEARCHES and len(node.args) > 1:
                    name = last_name(node.args[1])
            if name in TEXTS:
                found.append(f"{macro.name.removeprefix(PREFIX)}: {name}")
    return found


@pytest.mark.parametrize("file", macro_files(), ids=path_of)
def test_no_decision_looks_into_a_text(file: Path) -> None:
    found = looks_into_texts(file.read_text(encoding="utf-8"))
    assert bool(found) == (path_of(file) in OF_THE_ENGINE), found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{% if job.reason.startswith('TARGET') %}{% endif %}", "reason"),
        ("{% if 'is refreshing' in message %}{% endif %}", "message"),
        ("{% if found.reason.split(':')[0] not in job.reason %}{% endif %}", "reason"),
    ],
)
def test_a_look_into_a_text_would_be_found(text: str, name: str) -> None:
    assert set(looks_into_texts(MACRO % text)) == {f"_m: {name}"}


def codes(text: str) -> set[str]:
    """The codes of reasons that a text makes, as far as they stand there as they are."""
    found = set()
    for node in get_environment().parse(text).find_all(nodes.Call):
        makes = isinstance(node.node, nodes.Getattr) and node.node.attr in ("_reason", "_no_change")
        code = constant(node.args[0]) if makes and node.args else None
        found |= {code} if code else set()
    return found


def test_each_code_has_words_or_is_one() -> None:
    """Whoever shows a reason does not know which it is."""
    made = set().union(*(codes(file.read_text(encoding="utf-8")) for file in macro_files()))
    assert {"open", "not_image_equal", "said_before", "SOURCE_REPLACED"} <= made
    words = Dbt()("_words_of_reasons")
    assert not {code for code in made if code != code.upper()} - words.keys()
    assert not words.keys() - made, "words of what nothing makes"


def test_a_code_has_words_or_is_one() -> None:
    dbt = Dbt()
    assert codes("{{ dbt_mview._reason('misspelt', x) ~ dbt_mview._reason(code) }}") == {"misspelt"}
    assert dbt("_reason_text", dbt("_reason", "first_build_in_place", "view")) == (
        "first build in place of a view"
    )
    with pytest.raises(UndefinedError):
        dbt("_reason_text", dbt("_reason", "misspelt"))
