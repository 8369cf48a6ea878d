"""Which sources of views have new data, by the logs of their tables.

A commit is new data where it adds or removes rows; OPTIMIZE, VACUUM and a change of properties are
not. A commit of which a view's last refresh knows is none for this view.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from dbt_mview.serve.delta_log import DeltaLog, Stamp, Unreadable

# Older than any commit.
NOTHING = -1
# Sources that are looked at at once.
REQUESTS = 16


class Sources:
    """Looks at sources of views, whose logs it lists. May be called from several threads.

    Args:
        locations: by name of the relation, where its table lies, as `describe detail` prints it;
            None for what is no Delta table.
        read: by view, the relations that its last refresh read, and at which version; None for
            what had no versions then.
        options: of the object store, see `DeltaLog`.
    """

    def __init__(
        self,
        locations: Mapping[str, str | None],
        read: Mapping[str, Sequence[tuple[str, int | None]]],
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Looks at nothing yet."""
        self._options = options
        self._lock = threading.Lock()
        self._relations: dict[str, _Relation] = {}
        # By view and relation, the version up to which it was read by the view, or told of it.
        self._seen: dict[str, dict[str, int]] = {}
        self._unknown: set[str] = set()
        self.update(read, locations)

    def update(
        self,
        read: Mapping[str, Sequence[tuple[str, int | None]]],
        locations: Mapping[str, str | None] | None = None,
    ) -> None:
        """Takes over what views have read, after a refresh of theirs or a reload.

        Args:
            read: of these views; others stay as they are.
            locations: of relations that are new, or that lie elsewhere now.
        """
        with self._lock:
            for view, sources in read.items():
                seen = self._seen.get(view, {})
                # It never goes back: a refresh that found nothing to do leaves what it has read.
                self._seen[view] = {
                    name: max(NOTHING if at is None else at, seen.get(name, NOTHING))
                    for name, at in sources
                }
            self._unknown -= read.keys()
            begins = {(name, at) for view in read for name, at in self._seen[view].items()}
            for name, location in (locations or {}).items():
                if name not in self._relations or self._relations[name].location != location:
                    self._relations[name] = _Relation(location, self._options)
                    begins |= {(name, seen[name]) for seen in self._seen.values() if name in seen}
            for name, at in begins:
                self._relations.setdefault(name, _Relation(None, None)).begin(at)

    def forget(self, view: str) -> None:
        """Looks at the sources of a view no longer."""
        with self._lock:
            self._seen.pop(view, None)
            self._unknown.discard(view)

    def poll(self, ids: Collection[str]) -> tuple[str, ...]:
        """The views among these one of whose sources has new data; each commit is told once.

        Args:
            ids: of views.
        """
        with self._lock:
            self._unknown |= {id_ for id_ in ids if not self._seen.get(id_)}
            names = list({name for id_ in ids for name in self._seen.get(id_, ())})
            with ThreadPoolExecutor(REQUESTS) as pool:
                looks = list(pool.map(lambda name: self._relations[name].look(), names))
            for name, is_another in zip(names, looks, strict=True):
                if is_another:
                    self._set_back(name)
            return tuple(id_ for id_ in ids if self._is_new(self._seen.get(id_, {})))

    @property
    def closed(self) -> set[str]:
        """Views of which something could not be looked at: they have to be asked otherwise."""
        with self._lock:
            return self._unknown | {
                view
                for view, seen in self._seen.items()
                if any(self._relations[relation].is_closed for relation in seen)
            }

    def why_closed(self) -> Mapping[str, str]:
        """By relation that could not be looked at, what was wrong."""
        with self._lock:
            return {name: one.problem for name, one in self._relations.items() if one.is_closed}

    def _is_new(self, seen: dict[str, int]) -> bool:
        """Whether a view has not seen all data; afterwards it has."""
        is_new = False
        for relation, version in seen.items():
            data = self._relations[relation].data
            if data > version:
                seen[relation], is_new = data, True
        return is_new

    def _set_back(self, relation: str) -> None:
        """A table is another one: what its views have seen of it is nothing."""
        for seen in self._seen.values():
            if relation in seen:
                seen[relation] = NOTHING


class _Relation:
    """One source. What it tells is `data`, the newest version with new data that was seen."""

    def __init__(self, location: str | None, options: Mapping[str, str] | None) -> None:
        self.location = location
        self.data = NOTHING
        self.problem = "it is no Delta table whose log can be listed"
        self.is_closed = location is None
        # Looked at from after the one up to the other; `data` is the newest of these.
        self._first = self._known = NOTHING
        self._was_begun = False
        self._stamp: Stamp | None = None
        self._log: DeltaLog | None = None
        if location is not None:
            try:
                self._log = DeltaLog(location, options)
            except Unreadable as error:
                self.is_closed, self.problem = True, str(error)

    def begin(self, version: int) -> None:
        """Looks from a version on, if that is before what was looked at."""
        if not self._was_begun or version < self._first:
            self._first = self._known = version
            self._stamp, self._was_begun = None, True

    def look(self) -> bool:
        """Looks at the commits that are new. Returns whether it has become another table."""
        if self._log is None:
            return False
        try:
            is_another = self._look(self._log)
            self.is_closed = False
        except Unreadable as error:
            self.is_closed, self.problem = True, str(error)
            return False
        return is_another

    def _look(self, log: DeltaLog) -> bool:
        known = self._known
        found = log.versions(max(known, 0))
        if not found:
            raise Unreadable(f"{log.location} has no commits: it is no Delta table, or gone")
        newest = max(found)
        is_another = known >= 0 and (known not in found or self._stamp not in (None, found[known]))
        # Also where the log was cleaned up.
        if is_another:
            self.data = newest
            self._first = min(self._first, newest)
        else:
            for version in range(newest, known, -1):
                commit = log.commit(version)
                # One that is missing may have been anything.
                if commit is None or _has_data(commit):
                    self.data = max(self.data, version)
                    break
        self._known, self._stamp = newest, found[newest]
        return is_another


def _has_data(commit: Iterable[Mapping[str, object]]) -> bool:
    """Whether a commit adds or removes rows."""
    for action in commit:
        for kind in ("add", "remove", "cdc"):
            file = action.get(kind)
            if isinstance(file, Mapping) and file.get("dataChange") is True:
                return True
    return False
