"""The log of a Delta table, commit by commit, without an engine: on disk or in an object store."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import obstore
from obstore.exceptions import BaseError
from obstore.store import from_url

from dbt_mview.serve.words import first_line

# An answer comes in bounded time; by default both libraries try for three minutes.
RETRIES = 3
RETRY_SECONDS = 20
COMMIT = re.compile(r"(\d{20})\.json")
# What libraries raise beyond FileNotFoundError.
ERRORS = (BaseError, OSError, ValueError)
Action = dict[str, Any]
# What tells a commit's file from another of the same name, of a table that was made anew.
Stamp = tuple[object, ...]


class Unreadable(OSError):
    """A table, or a commit of it, cannot be read."""


class BadCommit(Unreadable):
    """A commit is there, but it is no JSON."""


class DeltaLog:
    """The log of one table.

    Args:
        location: as `describe detail` prints it: a path, or `file:`, `s3a:`, `s3:`, `gs:`,
            `abfss:` and what follows.
        options: of the object store, such as `aws_region`; what is not given comes from the
            environment, as its own tools take it.

    Raises:
        Unreadable: it is storage of another kind.
    """

    def __init__(self, location: str, options: Mapping[str, str] | None = None) -> None:
        """Opens nothing yet."""
        given = dict(options or {})
        self.options = {
            "max_retries": str(RETRIES),
            "retry_timeout": f"{RETRY_SECONDS}s",
            **given,
        }
        self._root: Path | None = None
        self._store: Any = None
        local = re.sub("^file:(//)?(?=/)", "", location)
        if local.startswith("/"):
            self.location = local
            self._root = Path(local)
            self._commits = f"{local.rstrip('/')}/_delta_log/"
            return
        self.location = re.sub("^s3[an]:", "s3:", location)
        patience = {
            "max_retries": RETRIES,
            "retry_timeout": timedelta(seconds=RETRY_SECONDS),
        }
        try:
            self._store = from_url(
                self.location,
                config=given or None,  # type: ignore[call-overload]
                retry_config=patience,
            )
        except (BaseError, ValueError) as error:
            raise Unreadable(
                f"{location} is no storage that can be listed here (local, s3, gs, abfss): "
                f"{first_line(error)}"
            ) from error

    @property
    def is_local(self) -> bool:
        """Whether a look costs microseconds, not a request."""
        return self._root is not None

    def stamp(self, version: int) -> Stamp | None:
        """Tells the file of a commit from others of its name; None if there is none.

        Raises:
            Unreadable: storage does not answer, or does not allow it.
        """
        try:
            if self._root is not None:
                found = os.stat(f"{self._commits}{version:020d}.json")
                return found.st_ino, found.st_mtime_ns
            return _stamp_of(obstore.head(self._store, _name(version)))
        except FileNotFoundError:
            return None
        except ERRORS as error:
            raise self._unreadable(f"commit {version}", error) from error

    def commit(self, version: int) -> Iterator[Action] | None:
        """The actions of a commit, parsed one by one; None if there is none.

        Raises:
            Unreadable: storage does not answer, or does not allow it; `BadCommit`, also while
                actions are taken: it is no JSON.
        """
        try:
            return self._parsed(version, self._get(_name(version)))
        except FileNotFoundError:
            return None
        except ERRORS as error:
            raise self._unreadable(f"commit {version}", error) from error

    def versions(self, since: int) -> dict[int, Stamp]:
        """The commits from a version on; if that is not there, all that are.

        Raises:
            Unreadable: storage does not answer, or does not allow it.
        """
        found = {}
        version = since
        try:
            if self._root is None:
                # The offset itself is left out.
                found = self._listed(_name(since - 1) if since > 0 else None)
                return found if since in found else self._listed(None)
            while stamp := self.stamp(version):
                found[version] = stamp
                version += 1
            return found or self._scanned()
        except Unreadable:
            raise
        except ERRORS as error:
            raise self._unreadable("its commits", error) from error

    def file(self, path: str) -> bytes:
        """A data file, by the path of its action.

        Raises:
            Unreadable: it cannot be read, or lies outside of the table.
        """
        name = unquote(path)
        if name.startswith("/") or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", name):
            raise Unreadable(f"{self.location}: its file {name} lies outside of the table")
        try:
            return self._get(name)
        except ERRORS as error:
            raise self._unreadable(name, error) from error

    def _get(self, name: str) -> bytes:
        if self._root is not None:
            return (self._root / name).read_bytes()
        return bytes(obstore.get(self._store, name).bytes())

    def _parsed(self, version: int, data: bytes) -> Iterator[Action]:
        try:
            for line in data.split(b"\n"):
                if line.strip():
                    yield json.loads(line)
        except ValueError as error:
            raise BadCommit(f"{self.location}: commit {version} is no JSON: {error}") from error

    def _scanned(self) -> dict[int, Stamp]:
        """All commits of a log on disk."""
        try:
            names = os.listdir(self._commits)
        except FileNotFoundError:
            return {}
        versions = sorted(int(name[1]) for name in map(COMMIT.fullmatch, names) if name)
        stamps = {version: self.stamp(version) for version in versions}
        return {version: stamp for version, stamp in stamps.items() if stamp}

    def _listed(self, offset: str | None) -> dict[int, Stamp]:
        """The commits of a log in an object store whose names come after another."""
        found = {}
        for chunk in obstore.list(self._store, "_delta_log", offset=offset):
            for item in chunk:
                name = COMMIT.fullmatch(item["path"].removeprefix("_delta_log/"))
                if name:
                    found[int(name[1])] = _stamp_of(item)
        return found

    def _unreadable(self, what: str, error: Exception) -> Unreadable:
        return Unreadable(f"{self.location}: {what} cannot be read: {first_line(error)}")


def _name(version: int) -> str:
    return f"_delta_log/{version:020d}.json"


def _stamp_of(item: Mapping[str, Any]) -> Stamp:
    return item["e_tag"], item["last_modified"]
