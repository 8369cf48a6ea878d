"""The systemd unit and the compose file: what they start is as the command line says."""

from __future__ import annotations

import configparser
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from sqlalchemy import make_url

from dbt_mview.serve import cli

PLACE = Path(__file__).resolve().parents[4] / "docs" / "serve"
UNIT = PLACE / "dbt-mview.service"
OPTIONS = {name for one in cli.serve.params for name in one.opts if isinstance(one, click.Option)}
VARIABLES = {one.envvar for one in cli.serve.params}


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNIT)
    return parser


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((PLACE / "compose.yaml").read_text())
    return found


def unknown(command: list[str]) -> set[str]:
    """Options of a command that serve does not have."""
    given = {word.partition("=")[0] for word in command if word.startswith("--")}
    return given - OPTIONS - {"--target", "--project-dir", "--profiles-dir"}


def test_the_unit_starts_serve() -> None:
    service = unit()["Service"]
    command = shlex.split(service["ExecStart"])
    assert command[0].endswith("/dbt-mview")
    assert command[1] == "serve"
    assert not unknown(command)
    # Its workers are ended by the node, which lets their runs end.
    assert service["KillMode"] == "mixed"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    text = UNIT.read_text().replace("/srv/VENV/bin/dbt-mview", "/bin/true")
    file = tmp_path / "dbt-mview.service"
    file.write_text(text.replace("/srv/PROJECT", "/tmp").replace("User=DBT", "User=root"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(file)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_three_nodes_share_a_database() -> None:
    services = compose()["services"]
    nodes = {name: one for name, one in services.items() if name.startswith("node")}
    assert len({one["environment"]["DBT_MVIEW_NODE_ID"] for one in nodes.values()}) == 3
    assert len({one["environment"]["DBT_MVIEW_DATABASE"] for one in nodes.values()}) == 1
    assert len({one["volumes"][0] for one in nodes.values()}) == 3
    for one in nodes.values():
        assert one["command"][:2] == ["dbt-mview", "serve"]
        assert not unknown(one["command"])
        assert set(one["environment"]) <= {*VARIABLES, "PGPASSWORD"}
        assert one["depends_on"] == {"database": {"condition": "service_healthy"}}


def test_any_password_will_do() -> None:
    """None is part of the URL, in which `@`, `/` and `%` mean something else."""
    services = compose()["services"]
    nodes = [one for name, one in services.items() if name.startswith("node")]
    for one in nodes:
        url = make_url(one["environment"]["DBT_MVIEW_DATABASE"])
        server = services[url.host]["environment"]
        assert (url.username, url.database) == (server["POSTGRES_USER"], server["POSTGRES_DB"])
        assert url.password is None and "$" not in str(url)
        assert one["environment"]["PGPASSWORD"] == server["POSTGRES_PASSWORD"]


def test_all_of_it_is_there_again_after_a_reboot() -> None:
    """But what somebody has stopped."""
    services = compose()["services"]
    assert {one["restart"] for one in services.values()} == {"unless-stopped"}


def test_one_name_and_one_token_will_do_behind_the_proxy() -> None:
    """Whichever node it asks; and each node is found by its own name by the others."""
    found = compose()
    nodes = {name: one for name, one in found["services"].items() if name.startswith("node")}
    for name, one in nodes.items():
        given = dict(word.split("=", 1) for word in one["command"] if "=" in word)
        assert one["secrets"] == [{"source": "token", "target": f"{given['--home']}/token"}]
        assert one["volumes"] == [f"{name}:{given['--home']}"]
        assert given["--hosts"].startswith("${MVIEW_HOST:?")
        assert one["hostname"] == name
    assert found["secrets"]["token"]["file"].startswith("${MVIEW_TOKEN:?")
