"""What the project says of units: their models, groups, and who reads whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dbt_mview.serve import messages as m
from dbt_mview.serve.unit import largest


class Graph:
    """The views and logs of the project, by what is refreshed at once.

    Attributes:
        models: by id of the view or log.
        groups: by id of a refresh group, it as one model, and its members.
        children: by id of a view, those that read it.
    """

    __slots__ = ("children", "groups", "models")

    def __init__(self) -> None:
        """No project is known yet."""
        self.models: Mapping[str, m.Model] = {}
        self.groups: dict[str, tuple[m.Model, tuple[str, ...]]] = {}
        self.children: dict[str, list[str]] = {}

    def take(self, models: Mapping[str, m.Model]) -> None:
        """Takes the models of the project as it is now."""
        members: dict[str, list[m.Model]] = {}
        children: dict[str, list[str]] = {}
        for model in models.values():
            if model.group is not None:
                members.setdefault(model.unit, []).append(model)
            for parent in model.parents:
                if parent in models:
                    children.setdefault(parent, []).append(model.id)
        self.models, self.children = models, children
        self.groups = {unit: merged_models(unit, some) for unit, some in members.items()}

    def model(self, unit: str) -> m.Model | None:
        """What the project says of a unit; of a group: of all its members together."""
        group = self.groups.get(unit)
        return group[0] if group else self.models.get(unit)

    def ids(self, unit: str) -> tuple[str, ...]:
        """The views and logs of a unit."""
        group = self.groups.get(unit)
        return group[1] if group else (unit,)

    def all_ids(self, units: Iterable[str]) -> tuple[str, ...]:
        """The views and logs of several units."""
        return tuple(name for unit in units for name in self.ids(unit))


def merged_models(unit: str, members: list[m.Model]) -> tuple[m.Model, tuple[str, ...]]:
    """A group as one model, and its members."""
    ids = tuple(sorted(model.id for model in members))
    timeouts = [model.timeout for model in members]
    model = replace(
        members[0],
        id=unit,
        parents=tuple(
            dict.fromkeys(one for model in members for one in model.parents if one not in ids)
        ),
        priority=max(model.priority for model in members),
        pool=next((model.pool for model in members if model.pool is not None), None),
        timeout=None if None in timeouts else largest(timeouts),
    )
    return model, ids
