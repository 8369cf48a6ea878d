"""Names and literals that read like parts of a plan, and queries that are full of them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

# What the plan is made of, and what could end, begin or hide a part of it.
ALPHABET = (
    "a, b", "sum(b)", "x#12", "b#7L AS p", "[a#1], [b]", "p) t", "+- Filter", "`", "'", '"', "\\",
    "\n", "\n+- Relation spark_catalog.x.t[a#1] parquet", "\n== Optimized Logical Plan ==\n",
    "== Analyzed Logical Plan ==", "Aggregate", "Relation", "é", "日本", " AS ", "AS ", "(", "]",
    "{", ", ", "#1", "count(1)", "cast(null as int)", "now", "distinct x", "... 3 more fields",
    "OR", "((1000000 = 1000000) OR ", "mview_name0_", "k", "-", "%", ":", "\u2028", "\t",
    "SubqueryAlias `mview table a`", "CTERelationDef 0, false", "false", "1", "/*", "--", ";",
)  # fmt: skip


def text(rng: random.Random) -> str:
    """A name, or what stands in a literal."""
    return "".join(rng.choice(ALPHABET) for _ in range(rng.choice((1, 1, 1, 2, 3))))


def quoted(name: str) -> str:
    """A name in a statement."""
    return "`" + name.replace("`", "``") + "`"


def literal(value: str) -> str:
    """A text in a statement; `${` is broken up, as Spark looks for variables in literals."""
    value = value.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return f"'{value}'"


@dataclass
class Names:
    """Draws names, each once, and literals."""

    rng: random.Random
    used: set[str] = field(default_factory=set)

    def name(self) -> str:
        """A new name, quoted. Delta takes no name that begins or ends in a blank."""
        while True:
            drawn = text(self.rng).strip() or "x"
            if drawn.lower() not in self.used:
                self.used.add(drawn.lower())
                return quoted(drawn)

    def names(self, count: int) -> list[str]:
        """Several of them."""
        return [self.name() for _ in range(count)]

    def text(self) -> str:
        """A literal."""
        drawn = text(self.rng)
        return literal(drawn * 40 if self.rng.random() < 0.05 else drawn)


def raw(sql: str) -> str:
    """A query as a model holds it, whatever of Jinja there may be in it."""
    return "{% raw %}" + sql + "{% endraw %}"


@dataclass(frozen=True)
class Tables:
    """Facts (id, k, v, w, s) and dims (k, name), by the names that they have."""

    facts: str
    f: tuple[str, ...]
    dims: str
    d: tuple[str, ...]
    staged: str
    g: tuple[str, ...]


def queries(n: Names, t: Tables) -> dict[str, str]:
    """A query of each shape over these tables, with names of its own."""
    id_, k, v, w, s = t.f
    dk, dname = t.d
    a, b, c, e, x, y, q = n.names(7)
    one, two, three = n.text(), n.text(), n.text()
    gid, gk, gv = t.g
    label = f"if({s} = {one}, {two}, {three})"
    return {
        "rows": f"select {id_} as {a}, {v} + 1 as {b}, {one} as {c} from {t.facts}"
        f" where coalesce({s}, {two}) <> {three}",
        "bare": f"select * from {t.facts}",
        "sums": f"select {k} as {a}, count(*) as {b}, sum({v}) as {c}, min({w}) as {e},"
        f" max(case when {s} = {one} then {v} end) as {x} from {t.facts} group by {k}",
        "unnamed": f"select {k}, sum({v}), count(*), count({s}), sum(if({s} = {one}, 1, 0)),"
        f" cast(max({v}) as bigint) from {t.facts} group by {k}",
        "parts": f"select p, t, cast(p as decimal(15, 4)) / cast(t as decimal(15, 4)) * 100 from"
        f" (select sum({v}) p from {t.facts} where {s} = {one}) p,"
        f" (select sum({v}) t from {t.facts}) t",
        "means": f"select {s} as {a}, sum({w}) as {b}, avg({w}) as {c}, count({w}) as {e},"
        f" count(*) as {x} from {t.facts} group by {s}",
        "by_label": f"select {label} as {a}, count(*) as {b}, sum({v}) as {c}"
        f" from {t.facts} group by {label}",
        "derived": f"select {q}.* from (select {k}, {label}, sum({v}), avg({v})"
        f" from {t.facts} group by {k}, {label}) as {q}",
        "ctes": f"with {a} as (select {k} as {b}, {v} as {c} from {t.facts}), {e} as (select {b},"
        f" sum({c}) as {x}, {one} as {y} from {a} group by {b}) select {b}, {x}, {y} from {e}",
        "ranks": f"select {id_} as {a}, {k} as {b}, row_number() over (partition by {k} order by"
        f" {id_}) as {c}, sum({v}) over (partition by {k}) as {e}, {one} as {x} from {t.facts}",
        "latest": f"with {q} as (select *, row_number() over (partition by {k} order by {id_} desc)"
        f" as {a} from {t.facts}) select {k}, {id_}, {s} from {q} where {a} = 1",
        "left": f"select {q}.{dk} as {a}, {q}.{dname} as {b}, count({e}.{id_}) as {c},"
        f" sum({e}.{v}) as {x} from {t.dims} as {q} left join {t.facts} as {e}"
        f" on {e}.{k} = {q}.{dk} and {e}.{s} <> {one} group by {q}.{dk}, {q}.{dname}",
        "joined": f"select {q}.{id_} as {a}, {e}.{dname} || {one} as {b} from {t.facts} {q}"
        f" join {t.dims} {e} on {q}.{k} = {e}.{dk} where {e}.{dname} <> {two}",
        "united": f"select {one} as {a}, {k} as {b}, {v} as {c} from {t.facts} union all"
        f" select {two}, {dk}, 0 from {t.dims}",
        "united_groups": f"select {one} as {a}, {k} as {b}, count(*) as {c} from {t.facts}"
        f" group by {k} union all select {two}, {dk}, 1 from {t.dims}",
        "having": f"select {k} as {a}, count(*) as {b} from {t.facts} group by {k}"
        f" having max({s}) <> {one} and count(*) > 2",
        "above_mean": f"select {a}, {b}, {c} from (select {id_} as {a}, {k} as {b}, {v} as {c},"
        f" avg({v}) over (partition by {k}) as {e} from {t.facts}) where {c} > {e}",
        "distinct": f"select distinct {k} as {a}, {label} as {b} from {t.facts}",
        "staged": f"select {gk} as {a}, count(*) as {b}, sum({gv}) as {c}, max({gid}) as {e}"
        f" from {t.staged} group by {gk}",
        "groups_joined": f"with {a} as (select {k} as {b}, sum({v}) as {c} from {t.facts} group by"
        f" {k}), {e} as (select {k} as {b}, count(*) as {x} from {t.facts} where {s} <> {one}"
        f" group by {k}) select {a}.{b}, {c}, {x}, {two} as {y} from {a} join {e}"
        f" on {a}.{b} = {e}.{b}",
        "not_in": f"select {id_} as {a}, {v} as {b}, {s} as {c} from {t.facts}"
        f" where {s} not in ({one}, {two}) or {s} like {three}",
        "plain_text": f"select {k} as k, count(*) as n, sum(if({s} = 'Brand#12', {v}, 0)) as brand"
        f" from {t.facts} group by {k}",
    }
