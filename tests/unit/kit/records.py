"""Records as their constructors make them, so that no test knows a key that a macro does not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .harness import Dbt

DBT = Dbt()


def as_job(values: Mapping[str, Any]) -> dict[str, Any]:
    """A refresh, with defaults for what is not given. Its reason may be a text."""
    reason = values.get("reason")
    given = {**values, "reason": as_reason(reason) if isinstance(reason, str) else reason}
    found: dict[str, Any] = DBT("_job_record", given)
    return found


def as_purge(values: Mapping[str, Any]) -> dict[str, Any]:
    """A purge of a log."""
    found: dict[str, Any] = DBT("_purge_record", dict(values))
    return found


def as_capture(values: Mapping[str, Any]) -> dict[str, Any]:
    """A capture of a log."""
    found: dict[str, Any] = DBT("_capture_record", dict(values))
    return found


def as_spec(values: Mapping[str, Any]) -> dict[str, Any]:
    """A view."""
    found: dict[str, Any] = DBT("_spec_record", dict(values))
    return found


def as_delta_plan(values: Mapping[str, Any]) -> dict[str, Any]:
    """How a query follows changes."""
    found: dict[str, Any] = DBT("_delta_plan_record", dict(values))
    return found


# What a delta plan says at any rate; of one that is none, its reason.
SAID = ("strategy", "keys", "values", "one_row")


def as_said(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A delta plan without what has nothing to say."""
    always = ("reason", *(SAID if plan["strategy"] else ()))
    return {key: value for key, value in plan.items() if value or key in always}


def as_reason(text: str | None) -> dict[str, Any] | None:
    """A reason of this text."""
    if text is None:
        return None
    named = re.fullmatch(r"(?s)([A-Z]+(?:_[A-Z]+)+)(?:: (.+))?", text)
    found: dict[str, Any] = DBT("_reason", *(named.groups() if named else ("said_before", text)))
    return found


def text_of(reason: Any) -> str | None:
    """What people see of a reason."""
    return None if reason is None else str(DBT("_reason_text", reason))


def with_text(found: dict[str, Any]) -> dict[str, Any]:
    """A change with its reason as a text; of one that cannot be had, that alone."""
    reason = text_of(found["reason"])
    if reason is None:
        return found
    return {"reason": reason, **({"changes": found["changes"]} if "changes" in found else {})}
