"""How many Delta commits a refresh makes besides the one that carries its data."""

from __future__ import annotations

from collections import Counter

from tests.bench.results import Result
from tests.support.project import Project

ALLOWED = 3


def count(project: Project) -> Counter[str]:
    """Commits of all Delta tables of the schema and of the state schema, from DESCRIBE HISTORY."""
    found: Counter[str] = Counter()
    for schema in (project.schema, project.state):
        views = {row.viewName for row in project.sql(f"show views in {schema}")}
        for row in project.sql(f"show tables in {schema}"):
            name = f"{schema}.{row.tableName}"
            if row.tableName not in views:
                found[name] = len(project.sql(f"describe history {name}"))
    return found


def small(what: str, scale: float, before: Counter[str], after: Counter[str]) -> Result:
    """Compare the commits of one refresh with those that are allowed.

    Args:
        what: the method of the refresh.
        scale: the scale factor.
        before: the commits before the refresh.
        after: the commits after it.

    Returns:
        The comparison; its note names the tables. One commit of a table that is no table of state
        is the data.
    """
    new = after - before
    names = ", ".join(f"{name.split('.')[1]} {number}" for name, number in sorted(new.items()))
    return Result(
        "commits",
        f"commits of one refresh besides the data, {what}",
        scale,
        "mview",
        "allowed",
        [float(sum(new.values()) - 1)],
        [float(ALLOWED)],
        1.0,
        "commits",
        names,
    )
