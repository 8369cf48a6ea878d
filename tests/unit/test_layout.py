"""The layout that the package keeps: sizes, names, documentation, who may touch what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.support.macros import MACRO as DEFINITION

from .kit.templates import MACROS, ROOT, macro_files

# From the top to the bottom of the house: a folder calls only itself and those above it.
FLOORS = (
    "base",
    "delta",
    "sql_text",
    "plan",
    "state",
    "changes",
    "schedule",
    "spec",
    "incremental",
    "incremental/apply",
    "refresh",
    "log",
    "flashback",
    "materializations",
    "hooks",
    "operations",
    "tests",
)
# Folders that are a rule of dbt or of the package; all else is found by the names of macros.
OPERATIONS_IN, HOOKS_IN, GENERIC_TESTS_IN = "operations", "hooks", "tests"
FUNCTIONS_IN = "flashback"  # what models call in their SQL
FAST_IN = ("plan", "changes", "incremental", "apply")  # docs/fast-internals.md says what is in each
TESTS = ROOT / "tests" / "unit"
FILES = macro_files()
COMMENT = re.compile(r"{#.*?#}", re.DOTALL)
MACRO = re.compile(r"{%-?\s*(macro|test)\s+(\w+)\s*\(([^)]*)\)")
MATERIALIZATION = re.compile(r"{%-?\s*materialization\s+(\w+), adapter ?= ?\"spark\" -?%}")
CALL = re.compile(r"(?<![\w.])((?:dbt_mview\.)?)(_?[a-z]\w*)\(")
STATE_TABLE = re.compile(
    r"\b(?:(?:mview_refresh|mlog_purge)_(?:info|hist)|mview_trackpoints"
    r"|mview_flashback_(?:info|readers))\b"
)
SETTING = re.compile(
    r"(?i)(?:\b(?:set|reset)\s+[`'\"]?(?:spark|hive|delta|dbt_mview)\.|spark\.conf)"
)
QUERY = re.compile(r"\b(?:run_query|statement|dbt_mview\._(?:run|read\w*))\(")
TYPES = {"string", "bool", "integer", "float", "any", "relation"}
TYPES |= {"list[string]", "optional[string]"}


@dataclass(frozen=True)
class Macro:
    """One macro as it is defined. kind: macro, or test for a generic test."""

    kind: str
    name: str
    arguments: tuple[str, ...]
    file: Path


def code(file: Path) -> str:
    """A macro file without its Jinja comments."""
    return COMMENT.sub("", file.read_text(encoding="utf-8"))


def macros() -> Iterator[Macro]:
    for file in FILES:
        for kind, name, arguments in MACRO.findall(code(file)):
            names = tuple(re.findall(r"(\w+)\s*(?:=[^,]+)?(?:,|$)", arguments))
            yield Macro(kind, name, names, file)


ALL = list(macros())
BODIES = {found[1]: found[0] for file in FILES for found in DEFINITION.finditer(code(file))}
TESTED = [macro for macro in ALL if macro.kind == "test"]
PUBLIC = [macro for macro in ALL if macro.kind == "macro" and not macro.name.startswith("_")]
# Not to be run by itself, but from on-run-end.
HOOKS = [macro for macro in PUBLIC if macro.name == "mview_record"]
FUNCTIONS = [macro for macro in PUBLIC if macro.file.parent.name == FUNCTIONS_IN]


def relative(files: list[Path]) -> set[str]:
    return {str(file.relative_to(MACROS)) for file in files}


def header(file: Path) -> str:
    """The doc comment at the top of a file."""
    found = COMMENT.match(file.read_text(encoding="utf-8"))
    return found.group()[2:-2].strip() if found else ""


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_there_are_macros() -> None:
    assert len(FILES) > 50 and len(PUBLIC) >= 8 and len(TESTED) >= 2


# Sizes


@pytest.mark.parametrize("file", [*FILES, MACROS / "_macros.yml"], ids=lambda file: file.stem)
def test_no_long_line_and_no_long_file(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    wide = [number for number, line in enumerate(lines, 1) if len(line) > 100]
    assert not wide, f"{file.name}: lines {wide} are wider than 100"
    ragged = [number for number, line in enumerate(lines, 1) if line != line.rstrip()]
    assert not ragged, f"{file.name}: lines {ragged} end in blanks"
    assert len(lines) <= 200 or file.suffix == ".yml", f"{file.name} has {len(lines)} lines"


def test_a_materialization_is_a_table_of_contents() -> None:
    """One in a file of its name, which defines nothing else: it calls steps."""
    found = [file for file in FILES if "{% materialization" in code(file)]
    assert {file.stem for file in found} == {"mview", "materialized_view_log"}
    for file in found:
        assert len(file.read_text().splitlines()) <= 70, file.name
        assert MATERIALIZATION.findall(code(file)) == [file.stem]
        assert not MACRO.search(code(file)), file.name


# Names


def test_public_names_have_a_prefix() -> None:
    for macro in PUBLIC:
        named = macro.name.startswith(("mview_", "mlog_"))
        assert named != (macro in FUNCTIONS), f"{macro.name} in {macro.file.name}"
    for macro in TESTED:
        assert macro.name.startswith("mview_"), f"{macro.name} in {macro.file.name}"


def test_public_macros_are_in_files_of_their_names() -> None:
    for macro in [*PUBLIC, *TESTED]:
        folder = HOOKS_IN if macro in HOOKS else OPERATIONS_IN
        folder = FUNCTIONS_IN if macro in FUNCTIONS else folder
        assert macro.file.parent.name == (GENERIC_TESTS_IN if macro.kind == "test" else folder)
        assert macro.file.stem == macro.name, f"{macro.name} is in {macro.file.name}"


def test_every_file_of_generic_tests_is_one() -> None:
    assert {file.stem for file in FILES if file.parent.name == GENERIC_TESTS_IN} == {
        macro.name for macro in TESTED
    }


def test_no_two_macros_have_one_name() -> None:
    names = [macro.name for macro in ALL]
    assert {name for name in names if names.count(name) > 1} == set()


def calls() -> Iterator[tuple[Path, str, str]]:
    """(file, prefix, name) of everything that is called."""
    for file in FILES:
        text = MACRO.sub("", code(file))
        for prefix, name in CALL.findall(text):
            yield file, prefix, name


def test_macros_are_called_by_their_full_names_and_exist() -> None:
    names = {macro.name for macro in ALL}
    for file, prefix, name in calls():
        if prefix:
            assert name in names, f"{file.name} calls dbt_mview.{name}"
        else:
            assert name not in names, f"{file.name} calls {name} without dbt_mview."


def test_no_macro_is_left_over() -> None:
    called = {name for _, prefix, name in calls() if prefix}
    # What the code of a model calls in place of dbt's own.
    for file in FILES:
        called |= set(re.findall(r'"set \w+ = dbt_mview\.(\w+)"', code(file)))
    project = (ROOT / "dbt_project.yml").read_text()
    unused = {macro.name for macro in ALL if macro.name.startswith("_")} - called
    assert {name for name in unused if f"dbt_mview.{name}(" not in project} == set()


def test_private_macros_are_never_dispatched() -> None:
    for file in FILES:
        assert not re.search(r"dispatch\(\s*['\"]_", code(file)), file.name


# Documentation


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_begins_with_a_doc_comment(file: Path) -> None:
    assert header(file), f"{file.name} begins without {{# what it is #}}"


DOCUMENTED = {
    entry["name"]: entry for entry in yaml.safe_load((MACROS / "_macros.yml").read_text())["macros"]
}


def test_documented_are_the_public_macros() -> None:
    assert set(DOCUMENTED) == {macro.name for macro in PUBLIC}


@pytest.mark.parametrize("macro", PUBLIC, ids=lambda macro: macro.name)
def test_documentation_agrees_with_the_code(macro: Macro) -> None:
    entry = DOCUMENTED[macro.name]
    arguments = entry.get("arguments", [])
    assert tuple(argument["name"] for argument in arguments) == macro.arguments
    for argument in arguments:
        assert set(argument) == {"name", "type", "description"}, argument
        assert argument["type"] in TYPES and argument["description"].strip(), argument
    text = header(macro.file)
    assert one_line(entry["description"]) == one_line(text.split("\n\n")[0])
    for name in macro.arguments:
        assert re.search(rf"\b{name}\b \(", text), f"{macro.file.name}: Args: {name} (...)"
    use = "on-run-end:" if macro in HOOKS else f"dbt run-operation {macro.name}"
    example = rf"{{{{.*dbt_mview\.{macro.name}\(" if macro in FUNCTIONS else re.escape(use)
    assert re.search(f"Example: .*?{example}", text)


@pytest.mark.parametrize("macro", TESTED, ids=lambda macro: macro.name)
def test_generic_tests_are_documented_where_they_are(macro: Macro) -> None:
    """`_macros.yml` is for what is called by its name: dbt looks for no test there."""
    text = header(macro.file)
    assert text.startswith("A generic test: "), macro.file.name
    assert macro.arguments[0] == "model"
    args = text.partition("\nArgs: ")[2].partition("\nErrors: ")[0]
    assert re.findall(r"(?:^|, )(\w+) \(", one_line(args)) == list(macro.arguments)
    (example,) = re.findall(r"\nExample: data_tests: (.+)", text)
    (entry,) = yaml.safe_load(example)
    name, given = next(iter(entry.items())) if isinstance(entry, dict) else (entry, {})
    assert name == f"dbt_mview.{macro.name}"
    given = given.get("arguments", given)
    assert set(given) == set(macro.arguments) - {"model"}, "every argument is shown"


OPERATIONS = [macro for macro in PUBLIC if macro not in [*HOOKS, *FUNCTIONS]]


@pytest.mark.parametrize("macro", OPERATIONS, ids=lambda macro: macro.name)
def test_every_operation_has_a_dry_run(macro: Macro) -> None:
    assert "dry_run" in macro.arguments


# Who may touch what


def test_only_state_names_state_tables() -> None:
    """State: the folder of the macro that says its layout."""
    (layout,) = [macro.file for macro in ALL if macro.name == "_state_layout"]
    outside = [file for file in FILES if file.parent != layout.parent]
    assert relative([file for file in outside if STATE_TABLE.search(code(file))]) == set()


def test_no_setting_is_changed() -> None:
    """In method session, all threads of dbt share one Spark session."""
    assert relative([file for file in FILES if SETTING.search(code(file))]) == set()
    for bad in ("set spark.x = 1", "SET `spark.x` = 1", "reset spark.x", "spark.conf.set()"):
        assert SETTING.search(bad), bad


def path_to_a_query(name: str) -> list[str]:
    """The macros from one to the first found that runs a statement; none if it runs nothing."""
    seen, paths = {name}, [[name]]
    for path in paths:
        body = BODIES[path[-1]]
        if QUERY.search(body):
            return path
        called = [one for _, one in CALL.findall(body) if one in BODIES and one not in seen]
        seen.update(called)
        paths.extend([*path, one] for one in called)
    return []


# What a statement asks of the catalog while it is written.
ASKS = {"_plan_times_sql": "_has_log_state"}


def test_texts_of_statements_run_nothing() -> None:
    """What is called `_sql` returns text, whatever it calls."""
    texts = [name for name in BODIES if name.endswith("_sql")]
    paths = [path for name in texts if (path := path_to_a_query(name))]
    assert {path[0]: path[1] for path in paths if len(path) > 1} == ASKS
    assert len(texts) > 50 and len(paths) == len(ASKS), paths
    assert QUERY.search("dbt_mview._run(") and QUERY.search("dbt_mview._read_state(")
    assert path_to_a_query("_acquire")


# Tests


# `make unit` says which macro no test calls.


def test_unit_tests_of_macros_lie_by_floors() -> None:
    beside = {"golden", "kit", "python"}
    folders = {one.name for one in TESTS.iterdir() if any(one.glob("*.py"))} - beside
    # What a view is, `spec`, is tested where it is asked for.
    floors = {floor.partition("/")[0] for floor in FLOORS} - {"spec"}
    assert folders == floors
    for floor in floors:
        assert list((TESTS / floor).glob("test_*.py")), floor


def test_tests_name_no_macro_file() -> None:
    """Macros are found by their names, so that files can move."""
    files = {f"{file.parent.name}/{file.name}" for file in FILES}
    named = {
        (file.name, one)
        for file in TESTS.parent.rglob("*.py")
        for one in re.findall(r"\w+/\w+\.sql", file.read_text(encoding="utf-8"))
        if one in files
    }
    assert files and named == set()
