"""Random tables, and random statements that change them.

A row is made of its number `rid` alone, so that a table is one short statement. Where numbers come
twice, so do whole rows. Columns hold NULLs, and values that are easily taken for each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

# kind -> (type, values). Sums of these doubles are exact in every order.
KINDS = {
    "int": ("int", "0, 1, 2, -1, 5, null"),
    "decimal": ("decimal(8, 2)", "0.00, 1.50, -1.50, 2.25, 10.00, 99.99, null"),
    "string": ("string", "'', 'a', 'A', 'a ', 'it''s', 'x', 'Ü', 'null', null"),
    "date": ("date", "date'2024-02-29', date'2024-03-01', date'1969-12-31', null"),
    "timestamp": (
        "timestamp",
        "timestamp'2024-02-29 23:59:59.999999', timestamp'2024-03-01 00:00:00',"
        " timestamp'1969-12-31 23:59:59', null",
    ),
    "double": ("double", "0.0D, 0.25D, -2.5D, 1024.0D, double('NaN'), null"),
    "boolean": ("boolean", "true, false, null"),
}
ROWS = 300


@dataclass(frozen=True)
class Column:
    """A column of a table or of a query's FROM clause: how it is written there, and its kind."""

    sql: str
    kind: str


@dataclass(frozen=True)
class Table:
    """A random table. Numbers of rows come again after `period` rows."""

    name: str
    columns: tuple[Column, ...]
    seed: int
    period: int
    properties: str
    partition: str

    def create(self) -> str:
        """The statement that creates it with its first rows."""
        return (
            f"create table @.{self.name} using delta{self.partition} tblproperties"
            f" ({self.properties}) as {self.rows(0, ROWS, self.seed)}"
        )

    def replace(self, condition: str) -> str:
        """The statement that creates it anew with those of its rows that meet a condition."""
        return (
            f"create or replace table @.{self.name} using delta{self.partition} tblproperties"
            f" ({self.properties}) as select * from @.{self.name} where {condition}"
        )

    def rows(self, start: int, count: int, seed: int) -> str:
        """A query with new rows."""
        items = [self.value(column, seed + at) for at, column in enumerate(self.columns)]
        numbers = f"(select {start} + id % {self.period} as rid from range({count}))"
        return f"select {', '.join(items)} from {numbers}"

    def value(self, column: Column, seed: int) -> str:
        """The expression of one column of `rows`."""
        if column.kind == "rid":
            return "rid"
        if column.kind == "key":
            number = f"cast(pmod(hash(rid, {seed}), 40) as int)"
            return f"nullif({number}, 7) as {column.sql}"
        kind, values = KINDS[column.kind]
        number = f"pmod(hash(rid, {seed}), {values.count(',') + 1})"
        return f"cast(array({values})[{number}] as {kind}) as {column.sql}"


def tables(r: Random) -> list[Table]:
    """Three tables; the rows of the first are unique."""
    return [_table(r, f"t{index}", 10_000 if index == 0 else 200) for index in range(3)]


def _table(r: Random, name: str, period: int) -> Table:
    names = r.sample(["a", "B", "`order`", "c_1", "total", "`Mixed`", "d"], r.randint(4, 5))
    kinds = ["int", "decimal", "string", *r.choices(list(KINDS), k=2)]
    r.shuffle(kinds)
    columns = [Column(column, kind) for column, kind in zip(names, kinds, strict=False)]
    columns.insert(r.randint(0, len(columns)), Column("k", "key"))
    feed = "'delta.enableChangeDataFeed' = 'true'"
    vectors = f", 'delta.enableDeletionVectors' = '{r.choice(['true', 'false'])}'"
    split = [column.sql for column in columns if column.kind in ("int", "date", "boolean")]
    partition = f" partitioned by ({r.choice(split)})" if split and r.random() < 0.2 else ""
    all_columns = (Column("rid", "rid"), *columns)
    return Table(name, all_columns, r.randint(0, 999), period, feed + vectors, partition)


class Changes:
    """Random statements on some tables. Each changes few rows, unless it is a bulk one."""

    def __init__(self, r: Random, of: list[Table]) -> None:
        self.r, self.tables, self.fresh = r, of, 10_000

    def round(self) -> list[str]:
        """What happens between two refreshes, to two tables or three."""
        touched = self.r.sample(self.tables, self.r.choice([2, 2, 3]))
        statements = []
        for table in touched:
            kinds = [self.insert, self.update, self.delete, self.move, self.merge, self.nothing]
            if self.r.random() < 0.15:
                kinds = [self.overwrite, self.restore, self.replace, self.build]
            statements += [kind(table) for kind in self.r.sample(kinds, self.r.choice([1, 1, 2]))]
        self.r.shuffle(statements)
        return statements

    def some(self) -> str:
        """A condition that one row in a hundred or so meets."""
        return f"rid % 97 = {self.r.randrange(97)}"

    def insert(self, table: Table) -> str:
        self.fresh += 1000
        new = table.rows(self.fresh, self.r.randint(1, 5), self.r.randint(0, 999))
        again = f"select * from @.{table.name} where {self.some()}"
        return f"insert into @.{table.name} {new if table.period > ROWS else again}"

    def update(self, table: Table) -> str:
        column = self.r.choice([c for c in table.columns if c.kind not in ("rid", "key")])
        _, values = KINDS[column.kind]
        value = f"array({values})[{self.r.randint(0, values.count(','))}]"
        return f"update @.{table.name} set {column.sql} = {value} where {self.some()}"

    def nothing(self, table: Table) -> str:
        if self.r.random() < 0.3:
            return f"optimize @.{table.name}"
        return f"update @.{table.name} set k = k where {self.some()}"

    def move(self, table: Table) -> str:
        where = f"k is null and rid % 3 = 0 or {self.some()}"
        return f"update @.{table.name} set k = coalesce(k, 0) + 1 where {where}"

    def delete(self, table: Table) -> str:
        group = f"k = {self.r.randint(0, 39)}"
        return f"delete from @.{table.name} where {self.r.choice([self.some(), group])}"

    def merge(self, table: Table) -> str:
        self.fresh += 1000
        new = table.rows(self.fresh, 2, self.r.randint(0, 999))
        return (
            f"merge into @.{table.name} as t using"
            f" (select distinct * from @.{table.name} where {self.some()} union {new}) as s"
            " on t.rid = s.rid when matched and t.rid % 2 = 0 then delete when matched then"
            " update set k = s.k + 1 when not matched then insert *"
        )

    def overwrite(self, table: Table) -> str:
        name = f"@.{table.name}"
        return f"insert overwrite {name} select * from {name} where not ({self.some()})"

    def restore(self, table: Table) -> str:
        return f"restore table @.{table.name} to version as of <the last but one>"

    def replace(self, table: Table) -> str:
        return table.replace(f"not ({self.some()})")

    def build(self, table: Table) -> str:
        """As dbt builds a table: replaced without its feed, which is switched on later."""
        feed = "'delta.enableChangeDataFeed' = 'true'"
        replaced = table.replace(f"not ({self.some()})").replace(
            feed, feed.replace("true", "false")
        )
        return f"{replaced};\nalter table @.{table.name} set tblproperties ({feed})"
