"""The package's macros in a dbt context made of hand-written parts: no project, no adapter.

Macros are compiled by dbt's own Jinja environment (sandbox, `do`, materialization blocks), but
with StrictUndefined, so that a misspelt name is an error here where dbt renders nothing. All
that dbt hands to a macro is in `Dbt._context`; what reaches the engine goes to `engine.Engine`.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

import pytz
import yaml
from dbt_common.exceptions.macros import MacroReturn

from tests.support.called import CALLED

from .engine import Engine, Table
from .templates import PREFIX, ROOT, files_of_macros, give_back, rendered, template

INVOCATION = "0a1b2c3d-0000-4000-8000-000000000001"
NOW = datetime.datetime(2024, 3, 1, 12, 0, 0, tzinfo=datetime.timezone.utc)


class DbtError(Exception):
    """exceptions.raise_compiler_error and its kin."""


OPERATION = {"unique_id": "macro.shop.some"}  # what `model` is in dbt run-operation


class FailFastError(DbtError):
    """exceptions.raise_fail_fast_error."""


class Clock(datetime.datetime):
    """The client's clock, standing still."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:  # type: ignore[override]
        return NOW.astimezone(tz)


@dataclass(frozen=True)
class Relation:
    """The part of dbt-spark's relation that macros use; names are not quoted, as there."""

    database: str | None
    schema: str
    identifier: str
    type: str | None = None
    limit: int | None = None  # of --empty

    @property
    def is_cte(self) -> bool:
        return self.type == "cte"

    def render(self) -> str:
        return ".".join(part for part in (self.database, self.schema, self.identifier) if part)

    def __str__(self) -> str:
        empty = self.limit is not None
        return f"(select * from {self.render()} where false limit 0)" if empty else self.render()

    def incorporate(self, type: str) -> Relation:
        return Relation(self.database, self.schema, self.identifier, type)


@dataclass
class Model:
    """A model, materialized='mview' unless it says otherwise, as dbt's graph has it."""

    name: str = "totals"
    sql: str = "select customer, sum(amount) as total from shop.orders group by customer"
    schema: str = "shop"
    database: str | None = None
    config: dict[str, Any] = field(default_factory=dict)
    description: str = ""
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    constraints: list[dict[str, Any]] = field(default_factory=list)
    materialized: str = "mview"
    parents: list[str] = field(default_factory=list)
    folder: str | None = None
    raw_code: str = ""  # where it is not the SQL itself

    @property
    def unique_id(self) -> str:
        return f"model.shop.{self.name}"

    def node(self) -> dict[str, Any]:
        """The node as a mapping, with the keys that dbt always gives."""
        columns = {
            name: {"name": name, "description": "", "constraints": [], **column}
            for name, column in self.columns.items()
        }
        return {
            "unique_id": self.unique_id,
            "resource_type": "model",
            "database": self.database,
            "schema": self.schema,
            "name": self.name,
            "package_name": "shop",
            "raw_code": self.raw_code or self.sql,
            "fqn": ["shop", *filter(None, [self.folder]), self.name],
            "alias": self.config.get("alias", self.name),
            "description": self.description,
            "columns": columns,
            "constraints": self.constraints,
            "config": {"materialized": self.materialized, **self.config},
            "depends_on": {"macros": [], "nodes": self.parents},
            "unrendered_config": dict(self.config),
        }


class Config:
    """`config` in a model: dbt's defaults under what the model sets."""

    DEFAULTS: ClassVar[dict[str, Any]] = {
        "on_schema_change": "ignore",
        "on_configuration_change": "apply",
        "unique_key": None,
        "grants": {},
        "persist_docs": {},
        "full_refresh": None,
    }

    def __init__(self, given: dict[str, Any]) -> None:
        contract = SimpleNamespace(enforced=bool((given.get("contract") or {}).get("enforced")))
        self.values = {**self.DEFAULTS, **given, "contract": contract}

    def get(self, name: str, default: Any = None) -> Any:
        return self.values.get(name, default)

    def persist_relation_docs(self) -> bool:
        return bool(self.values["persist_docs"].get("relation", False))

    def persist_column_docs(self) -> bool:
        return bool(self.values["persist_docs"].get("columns", False))


@functools.cache
def _project_vars() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "dbt_project.yml").read_text())["vars"]
    return found


class Macros(dict[str, Callable[..., Any]]):
    """The package's namespace; a file is loaded when the first of its macros is called."""

    def __init__(self, context: dict[str, Any]) -> None:
        super().__init__()
        self.context = context

    def __missing__(self, name: str) -> Callable[..., Any]:
        module = template(files_of_macros()[name]).make_module(vars=self.context)
        for symbol, macro in vars(module).items():
            if symbol.startswith(PREFIX):
                self[symbol[len(PREFIX) :]] = _returning(symbol[len(PREFIX) :], macro)
        return self[name]


class Reason(dict[str, Any]):
    """A reason that equals its text, too: what people see of a code in capitals."""

    @staticmethod
    def is_one(found: Any) -> bool:
        return isinstance(found, dict) and found.keys() == {"code", "detail", "also"}

    def __str__(self) -> str:
        return ": ".join(part for part in (self["code"], self["detail"]) if part is not None)

    def __eq__(self, other: object) -> bool:
        return str(self) == other if isinstance(other, str) else super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass
class NodeResult:
    """What dbt reports of one model."""

    node: Any
    status: str
    message: str


class Dbt:
    """One dbt invocation: of dbt-spark, or of dbt-databricks, whose target has a catalog."""

    def __init__(
        self,
        engine: Engine | None = None,
        *models: Model,
        variables: dict[str, Any] | None = None,
        full_refresh: bool = False,
        empty: bool = False,
        which: str = "run",
        invocation_id: str = INVOCATION,
        catalog: str | None = None,
    ) -> None:
        self.forgotten: list[str] = []  # by dbt's cache of relations
        self.engine = engine or Engine()
        self.models = list(models) or [Model()]
        self.full_refresh = full_refresh
        self.empty = empty
        self.invocation_id = invocation_id
        self.printed: list[str] = []
        self.written: dict[str, str] = {}  # files in target/run, by unique_id
        self.logged: list[str] = []
        self.warned: list[str] = []
        self.messages: dict[str, str] = {}
        self.codes: dict[str, str] = {}
        self._results: dict[str, Any] = {}
        self.variables = {**_project_vars(), **(variables or {})}
        self.environ: dict[str, str] = {}
        self.context = self._context(which, catalog)
        self.use(self.models[0])
        self._macros = Macros(self.context)
        self.context["dbt_mview"] = self._macros

    def __call__(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Calls one macro of the package. A reason that it returns equals its text."""
        found = self._macros[name](*args, **kwargs)
        if Reason.is_one(found):
            return Reason(found)
        if isinstance(found, dict) and Reason.is_one(found.get("reason")):
            found["reason"] = Reason(found["reason"])
        return found

    # what dbt does

    def use(self, model: Model) -> None:
        """Makes a model the one that is being run."""
        node = model.node()
        sql = model.sql
        self.context.update(
            model=node,
            config=Config(model.config),
            this=Relation(model.database, model.schema, node["alias"]),
            sql=sql,
            pre_hooks=list(model.config.get("pre_hook", [])),
            post_hooks=list(model.config.get("post_hook", [])),
        )

    def run(self) -> list[NodeResult]:
        """`dbt run`: the hooks and each model; an error of a model is its result."""
        self("_on_run_start")
        results = []
        for model in self.models:
            materialization = f"materialization_{model.materialized}_spark"
            if materialization not in files_of_macros():
                continue
            self.use(model)
            self._results.clear()
            node = SimpleNamespace(**model.node())
            node.config = SimpleNamespace(**node.config)
            try:
                self(materialization)
            except Exception as error:
                results.append(NodeResult(node, "error", str(error)))
            else:
                message = self.messages.get(model.unique_id, "")
                results.append(NodeResult(node, "success", message))
        self("_on_run_end", results)
        return results

    def operation(self, name: str, **args: Any) -> list[str]:
        """`dbt run-operation`: returns the lines that it printed."""
        for key in ("model", "config", "this", "sql", "pre_hooks", "post_hooks"):
            self.context.pop(key, None)
        self.context["model"] = OPERATION
        self.context["selected_resources"] = []
        self.context["flags"].WHICH = "run-operation"
        self(name, **args)
        return self.printed

    # the context

    def _context(self, which: str, catalog: str | None) -> dict[str, Any]:
        type_ = "databricks" if catalog else "spark"
        # As dbt has it: dbt-spark's has no database.
        target = {"name": "dev", "schema": "shop", "type": type_}
        nodes = {model.unique_id: model.node() for model in self.models}
        return {
            "execute": True,
            "model": OPERATION,
            "write": self._write,
            "render": lambda text: rendered(text, {**self.context, "config": lambda **_: ""}),
            "builtins": SimpleNamespace(ref=self._ref),
            "graph": {"nodes": nodes},
            "selected_resources": [model.unique_id for model in self.models],
            "flags": SimpleNamespace(WHICH=which, FULL_REFRESH=self.full_refresh, EMPTY=self.empty),
            "invocation_args_dict": {},
            "invocation_id": self.invocation_id,
            "run_started_at": Clock.now(datetime.timezone.utc),
            "project_name": "shop",
            "target": {**target, "database": catalog} if catalog else target,
            "adapter": SimpleNamespace(
                config=SimpleNamespace(credentials=SimpleNamespace(method="thrift")),
                type=lambda: type_,
                cache_dropped=lambda name: self.forgotten.append(str(name)),
            ),
            "api": SimpleNamespace(Relation=SimpleNamespace(create=_relation)),
            "exceptions": SimpleNamespace(
                raise_compiler_error=_raiser(DbtError),
                raise_fail_fast_error=_raiser(FailFastError),
                warn=self.warned.append,
            ),
            "modules": {
                "re": {name: getattr(re, name) for name in re.__all__},
                "pytz": {name: getattr(pytz, name) for name in pytz.__all__},
                "datetime": {
                    "date": datetime.date,
                    "datetime": Clock,
                    "time": datetime.time,
                    "timedelta": datetime.timedelta,
                    "tzinfo": datetime.tzinfo,
                },
            },
            "return": give_back,
            "statement": self._statement,
            "load_result": self._load_result,
            "store_raw_result": self._store_raw_result,
            "var": lambda name, default=None: self.variables.get(name, default),
            "env_var": lambda name, default: self.environ.get(name, default),
            "log": lambda text, info=False: self.logged.append(text) or "",
            "print": lambda text: self.printed.append(text) or "",
            "local_md5": lambda text: hashlib.md5(text.encode("utf-8")).hexdigest(),
            "tojson": lambda value, default=None: json.dumps(value),
            "fromjson": _fromjson,
            "run_hooks": self._run_hooks,
            "apply_grants": self._apply_grants,
            "should_full_refresh": lambda: self.full_refresh,
            "get_assert_columns_equivalent": lambda sql: self.engine.note("contract", sql),
        }

    def _statement(
        self,
        name: str,
        fetch_result: bool = False,
        auto_begin: bool = True,
        language: str = "sql",
        *,
        caller: Callable[[], str],
    ) -> str:
        table = self.engine.execute(name, caller())
        assert fetch_result, f"{name}: a result is always fetched, so that thrift waits for it"
        self._results[name] = {"response": "OK", "data": table.rows, "table": table}
        return ""

    def _ref(self, *names: str, **_: Any) -> Relation:
        model = next(one for one in self.models if one.name == names[-1])
        return Relation(model.database, model.schema, model.name)

    def _write(self, text: str) -> str:
        unique_id = self.context["model"]["unique_id"]
        assert not unique_id.startswith("macro."), "macros have no file in target/run"
        self.written[unique_id] = text
        return ""

    def _load_result(self, name: str) -> dict[str, Any]:
        result: dict[str, Any] = self._results.pop(name)  # dbt, too, hands out a result once
        return result

    def _store_raw_result(
        self, name: str, message: str, code: str, rows_affected: int | None
    ) -> str:
        assert name == "main", name
        assert isinstance(rows_affected, int), rows_affected
        self.messages[self.context["model"]["unique_id"]] = message
        self.codes[self.context["model"]["unique_id"]] = code
        return ""

    def _run_hooks(self, hooks: list[str]) -> str:
        for hook in hooks:
            self.engine.note("hook", hook)
        return ""

    def _apply_grants(self, relation: Relation, grants: Any, should_revoke: bool) -> str:
        self.engine.note("grants", f"{relation}: {json.dumps(grants)} revoke={should_revoke}")
        return ""


def _returning(name: str, macro: Callable[..., Any]) -> Callable[..., Any]:
    # Without functools.wraps: each invocation has macros of its own, and it takes longer than most.
    def call(*args: Any, **kwargs: Any) -> Any:
        CALLED.add(name)
        try:
            return macro(*args, **kwargs)
        except MacroReturn as returned:
            return returned.value

    return call


def _raiser(kind: type[Exception]) -> Callable[[str], None]:
    def raise_it(message: str) -> None:
        raise kind(message)

    return raise_it


def _relation(
    database: str | None = None, schema: str = "", identifier: str = "", type: str | None = None
) -> Relation:
    return Relation(database, schema, identifier, type)


def _fromjson(text: str, default: Any = None) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return default


__all__ = ["Clock", "Dbt", "DbtError", "FailFastError", "Model", "NodeResult", "Relation", "Table"]
