"""What hub.getdbt.com asks of a package.

Source: dbt-labs/hubcap, package-best-practices.md and hubcap/version.py (August 2026).
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dbt_mview import __version__
from tests.unit.test_layout import ALL, FUNCTIONS, MACRO, MATERIALIZATION

pytestmark = pytest.mark.unit

ROOT = Path(__file__).resolve().parents[3]
PROJECT = yaml.safe_load((ROOT / "dbt_project.yml").read_text(encoding="utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
# Of semver.org, with the v that hubcap takes off a tag.
SEMVER = re.compile(
    r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?"
)
HEADING = re.compile(r"^## (?:\[(?P<name>[^\]]+)\](?: - (?P<date>\d{4}-\d\d-\d\d))?|.*)$", re.M)


def released() -> list[Version]:
    """What CHANGELOG says was released, the newest first."""
    names = [found["name"] for found in HEADING.finditer(CHANGELOG)]
    return [Version(name) for name in names if name != "Unreleased"]


def full_name(kind: str, name: str) -> str:
    """A generic test is a macro that dbt names test_<name>."""
    return f"test_{name}" if kind == "test" else name


def of_dbt() -> set[str]:
    """The macros and materializations that a project on Spark has without any package."""
    found = importlib.util.find_spec("dbt.include")
    assert found is not None and found.submodule_search_locations
    places = map(Path, found.submodule_search_locations)
    files = [file for place in places for file in place.rglob("*.sql")]
    texts = [file.read_text(encoding="utf-8") for file in files]
    names = {full_name(kind, name) for text in texts for kind, name, _ in MACRO.findall(text)}
    kinds = {name for text in texts for name in re.findall(r"materialization (\w+),", text)}
    return names | kinds


def test_headings_of_the_changelog_are_versions() -> None:
    for found in HEADING.finditer(CHANGELOG):
        name, date = found["name"], found["date"]
        assert name == "Unreleased" or (date and name and SEMVER.fullmatch(name)), found.group()
    assert released() == sorted(released(), reverse=True)


def test_there_is_one_version() -> None:
    """The dbt package and the Python package are released together, by the newest heading."""
    assert SEMVER.fullmatch(__version__)
    assert PROJECT["version"] == __version__
    assert Version(__version__) >= max(released(), default=Version("0"))


def test_tags_are_what_the_changelog_says() -> None:
    listed = subprocess.run(
        ["git", "tag", "--list"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tags = listed.stdout.split()
    assert all(SEMVER.fullmatch(tag) for tag in tags), tags
    assert {Version(tag.removeprefix("v")) for tag in tags} <= set(released())


def test_every_dbt_that_parses_it_is_let_in() -> None:
    asked = SpecifierSet(",".join(PROJECT["require-dbt-version"]))
    assert Version("1.999.0") in asked and Version("1.10.0") in asked
    # dbt 2's parser is that of dbt-core 1.12, which parses all of it (test_dbt2.py).
    assert Version("2.0.0") in asked and Version("1.9.9") not in asked
    assert PROJECT["name"] == "dbt_mview"


def test_the_licence_is_one_that_is_detected() -> None:
    first = (ROOT / "LICENSE").read_text(encoding="utf-8").strip().splitlines()
    assert [line.strip() for line in first[:2]] == ["Apache License", "Version 2.0, January 2004"]


def test_no_name_is_dbts_own() -> None:
    """A macro of dbt's name in a package would serve the user's other models too."""
    known = of_dbt()
    assert {"create_table_as", "generate_schema_name", "test_unique", "incremental"} <= known
    names = {full_name(macro.kind, macro.name) for macro in ALL}
    kinds = {
        kind
        for file in (ROOT / "macros").rglob("*.sql")
        for kind in MATERIALIZATION.findall(file.read_text(encoding="utf-8"))
    }
    assert names and kinds and not (names | kinds) & known


def test_no_macro_answers_a_dispatch_of_dbt() -> None:
    """`spark__create_table_as` in a package would replace the adapter's, for every model."""
    prefixes = ("default__", "spark__", "databricks__")
    assert not [macro.name for macro in ALL if macro.name.startswith(prefixes)]


def test_public_names_begin_alike() -> None:
    """But for what models call in their SQL, always with the package's name before it."""
    public = [macro.name for macro in ALL if not macro.name.startswith("_")]
    others = {name for name in public if not name.startswith(("mview_", "mlog_"))}
    assert public and others == {macro.name for macro in FUNCTIONS}


def test_the_package_brings_no_resource_but_macros() -> None:
    paths = ("model-paths", "seed-paths", "snapshot-paths", "test-paths", "analysis-paths")
    assert [PROJECT[path] for path in paths] == [[]] * len(paths)
    assert not (ROOT / "packages.yml").exists()
