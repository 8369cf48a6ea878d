"""The example's profile, read as dbt reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import yaml

PROFILES = Path(__file__).resolve().parents[2] / "models_examples" / "profiles.yml"


def profile(target: str, **variables: str) -> dict[str, Any]:
    """One target of it: the YAML first, then the Jinja of each value.

    Args:
        target: its name.
        variables: the environment's.
    """
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)

    def env_var(name: str, *default: str) -> str:
        return variables.get(name, *default) if default else variables[name]

    def render(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: render(item) for key, item in value.items()}
        if isinstance(value, str):
            return environment.from_string(value).render(env_var=env_var)
        return value

    profiles = yaml.safe_load(PROFILES.read_text(encoding="utf-8"))
    rendered: dict[str, Any] = render(profiles["dbt_mview_examples"]["outputs"][target])
    return rendered
