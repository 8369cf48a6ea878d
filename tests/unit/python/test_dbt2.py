"""The parser of dbt 2, which dbt-core 1.12 brings, parses the package and the examples."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.project import ROOT, copy_package

pytestmark = pytest.mark.unit

PARSER = shutil.which("dbt-core-experimental-parser", path=str(Path(sys.executable).parent))
# dbt 2 has no target that runs Spark in its own process.
THRIFT = "{type: spark, method: thrift, host: 127.0.0.1, port: 1, schema: flights}"
# It reads the package of an adapter that it calls experimental only where it is let.
LETS = {"DBT_ALLOW_EXPERIMENTAL_ADAPTERS": "true", "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """The package, and the examples in it with a profile that dbt 2 knows."""
    if PARSER is None:
        pytest.skip("dbt 2's parser is not here: make venv DBT=1.12")
    copy_package(tmp_path)
    place = tmp_path / "models_examples"
    shutil.copytree(ROOT / "models_examples" / "models", place / "models")
    for name in ("dbt_project.yml", "packages.yml"):
        shutil.copy(ROOT / "models_examples" / name, place)
    profile = f"dbt_mview_examples: {{target: t, outputs: {{t: {THRIFT}}}}}\n"
    (place / "profiles.yml").write_text(profile)
    return place


def parsed(place: Path) -> tuple[bool, str]:
    """Whether `dbt parse` of dbt 2 goes well, and what it says."""
    command = [str(PARSER), "parse", "--profiles-dir", str(place)]
    done = subprocess.run(
        command, cwd=place, env=LETS, capture_output=True, text=True, check=False, timeout=300
    )
    return done.returncode == 0, done.stdout + done.stderr


def test_the_package_and_the_examples_are_parsed(examples: Path) -> None:
    good, said = parsed(examples)
    assert good and "[error]" not in said, said


def test_a_config_of_ours_stands_in_meta(examples: Path) -> None:
    """Beside it dbt 2 refuses it, which shows that errors are seen here."""
    model = examples / "models" / "staging" / "beside.sql"
    model.write_text("{{ config(materialized='mview', refresh='fast') }} select 1 as a")
    good, said = parsed(examples)
    assert not good and 'unexpected key `"refresh"`' in said, said
    model.write_text("{{ config(materialized='mview', meta={'refresh': 'fast'}) }} select 1 as a")
    good, said = parsed(examples)
    assert good, said
