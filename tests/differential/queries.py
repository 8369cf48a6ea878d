"""Random queries of the shapes that docs/fast-internals.md names, followed or not.

Every query can be analyzed, has named columns, and means one bag of rows: row numbers are taken
over all columns, so that ties are equal rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from tests.differential.tables import KINDS, Column, Table

ORDERED = ("int", "decimal", "string", "date", "timestamp", "boolean", "key", "rid")
NUMBERS = ("int", "decimal", "key")


@dataclass(frozen=True)
class Query:
    """A query, what its columns are, and which of them are what a view is found by."""

    sql: str
    columns: tuple[Column, ...]
    unique: tuple[str, ...] = ()


@dataclass
class Source:
    """A FROM clause with its conditions."""

    sql: str
    columns: list[Column]
    where: list[str] = field(default_factory=list)

    def of(self, kinds: Sequence[str]) -> list[Column]:
        return [column for column in self.columns if column.kind in kinds]

    def rest(self) -> str:
        """FROM and WHERE."""
        return f"from {self.sql}" + (f" where {' and '.join(self.where)}" if self.where else "")


class Queries:
    """Draws queries over some tables."""

    def __init__(self, r: Random, tables: list[Table]) -> None:
        self.r = r
        self.tables = {table.name: table.columns for table in tables}
        self.names = 0
        self.ctes: list[str] = []
        self.by_the_moment = True

    def draw(self, kind: str) -> Query:
        """A query of one of SHAPES."""
        self.ctes = []
        self.by_the_moment = kind not in ASKING
        query = SHAPES[kind](self)
        sql = f"with {', '.join(self.ctes)} {query.sql}" if self.ctes else query.sql
        return Query(sql, query.columns, query.unique)

    # Parts

    def alias(self) -> str:
        self.names += 1
        return f"s{self.names}"

    def maybe(self, chance: float) -> bool:
        return self.r.random() < chance

    def some(self, columns: list[Column], low: int, high: int) -> list[Column]:
        count = min(len(columns), self.r.randint(low, high))
        return self.r.sample(columns, count)

    def table(self, name: str = "") -> Source:
        """A table, or a plain view over one."""
        weights = [3 if name.startswith("t") else 1 for name in self.tables]
        name = name or self.r.choices(list(self.tables), weights)[0]
        alias = self.alias()
        columns = [Column(f"{alias}.{c.sql}", c.kind) for c in self.tables[name]]
        return Source(f"@.{name} {self.r.choice(['', 'as '])}{alias}", columns)

    def plain(self) -> Source:
        """One table with a filter, as it is or within a subquery or a CTE."""
        source = self.table()
        if self.maybe(0.5):
            source.where.append(self.condition(source.columns))
        if self.maybe(0.2):
            source.where.append(self.by_the_clock(source))
        return source if self.maybe(0.6) else self.wrapped(source)

    def wrapped(self, source: Source) -> Source:
        """A subquery or a CTE with some of a source's columns, renamed."""
        kept = self.some(source.columns, 3, 6)
        keys = [c for c in source.of(["key"]) if c not in kept][:1]
        columns = [Column(f"x{at}", c.kind) for at, c in enumerate([*keys, *kept])]
        items = [f"{c.sql} as x{at}" for at, c in enumerate([*keys, *kept])]
        inner = f"select {', '.join(items)} {source.rest()}"
        alias = self.alias()
        if self.maybe(0.3):
            self.ctes.append(f"{alias}_c as ({inner})")
            inner_sql = f"{alias}_c as {alias}"
        elif self.maybe(0.1):
            inner_sql = f"(with {alias}_w as ({inner}) select * from {alias}_w) as {alias}"
        else:
            inner_sql = f"({inner}) as {alias}"
        return Source(inner_sql, [Column(f"{alias}.{c.sql}", c.kind) for c in columns])

    def join(self, kinds: Sequence[str] = ("join",)) -> Source:
        """Two or three sources; a table may join itself."""
        left = self.plain()
        for _ in range(self.r.choice([1, 1, 2])):
            right = self.table(self.r.choice(["", "t0"])) if self.maybe(0.7) else self.plain()
            one, two = self.r.choice(left.of(["key"])).sql, self.r.choice(right.of(["key"])).sql
            pairs = [f"{one} {self.r.choice(['=', '=', '<=>'])} {two}"]
            kind = self.r.choice(kinds)
            if self.maybe(0.2):
                pairs.append(self.condition(left.columns + right.columns))
            if kind == ",":
                left.sql, on = f"{left.sql} cross join {right.sql}", ""
                left.where += pairs
            else:
                on = f" on {' and '.join(pairs)}"
                # A condition on the right side of an outer join belongs to its own rows.
                if right.where and kind != "join":
                    right = self.wrapped(right)
                    one, two = self.r.choice(left.of(["key"])).sql, right.of(["key"])[0].sql
                    on = f" on {one} = {two}"
                left.sql = f"{left.sql} {kind} {right.sql}{on}"
            left.where += right.where
            if kind not in ("left semi join", "left anti join"):
                left.columns = left.columns + right.columns
            if kind == "full join":
                left.columns.append(Column(f"coalesce({one}, {two})", "key"))
        return left

    def union(self) -> Source:
        """UNION ALL of two or three selects, one of them perhaps of no table."""
        kinds = ["key", *self.r.choices(["key", "int", "decimal", "string", "date"], k=2)]
        branches = []
        for at in range(self.r.choice([2, 2, 3])):
            source = self.plain() if self.maybe(0.8) else self.join()
            items = [f"{self.value(source.columns, kind)} as u{i}" for i, kind in enumerate(kinds)]
            branches.append(f"select {', '.join(items)} {source.rest()}")
            if at and self.maybe(0.05):
                branches[-1] = f"select {', '.join(f'null as u{i}' for i in range(3))}"
        alias = self.alias()
        columns = [Column(f"{alias}.u{at}", kind) for at, kind in enumerate(kinds)]
        return Source(f"({' union all '.join(branches)}) as {alias}", columns)

    def source(self) -> Source:
        """Any linear source."""
        source = self.r.choice([self.plain, self.plain, self.join, self.union])()
        if self.maybe(0.1):
            alias = self.alias()
            source.sql += f" lateral view explode(array(1, 2, 2)) {alias} as {alias}_e"
            source.columns.append(Column(f"{alias}_e", "int"))
        return source

    # Expressions

    def value(self, columns: list[Column], kind: str) -> str:
        """An expression of a kind; NULL of its type if there is no other."""
        of_kind = [c.sql for c in columns if c.kind == kind]
        keys = [c.sql for c in columns if c.kind in ("key", "int")] or ["3"]
        key, other = self.r.choice(keys), self.r.choice(keys)
        made = {
            "key": [f"coalesce({key}, {other}) + 1", f"abs({key})"],
            "int": [f"{key} % 3", f"case when {key} > 2 then {other} else 0 end"],
            "decimal": [f"cast({key} as decimal(8, 2))"],
            "string": [f"concat('n', {key})", f"cast({key} as string)"],
            "date": [f"date_add(date'2024-01-01', {key})"],
            "boolean": [f"{key} > {other}"],
            "double": [f"cast({key} as double) / 4"],
        }
        type_ = "int" if kind in ("key", "rid") else KINDS[kind][0]
        found = of_kind * 3 + made.get(kind, []) if of_kind else made.get(kind, [])
        return self.over(self.r.choice(found), kind) if found else f"cast(null as {type_})"

    def over(self, sql: str, kind: str) -> str:
        """An expression over another of the same kind, now and then."""
        if self.maybe(0.7):
            return sql
        made = {
            "int": ["- {}", "coalesce({}, 0)", "{} * 2"],
            "key": ["{} + 0", "coalesce({}, 100)"],
            "decimal": ["{} * 2", "{} + 0.5", "if({} > 1, 0, 1.25)", "round({}, 1)"],
            "string": ["upper({})", "trim({})", "coalesce({}, 'none')", "concat({}, '(1)')"],
            "date": ["trunc({}, 'month')", "date_sub({}, 1)"],
            "timestamp": ["date_trunc('day', {})"],
            "double": ["{} * 2", "coalesce({}, 0)"],
            "boolean": ["not {}", "{} is null"],
        }
        return self.r.choice(made.get(kind, ["{}"])).format(sql)

    def view(self, name: str) -> str:
        """The statement that creates a plain view, which queries read from then on."""
        source = self.table(self.r.choice(["t0", "t1", "t2"]))
        if self.maybe(0.5):
            source.where.append(self.condition(source.columns))
        columns = [source.of(["key"])[0], *self.some(source.of(list(KINDS)), 2, 3)]
        items = ", ".join(f"{self.over(c.sql, c.kind)} as v{at}" for at, c in enumerate(columns))
        self.tables[name] = tuple(Column(f"v{at}", c.kind) for at, c in enumerate(columns))
        return f"create view @.{name} as select {items} {source.rest()}"

    def offer(self, name: str, query: Query) -> bool:
        """Lets queries read a materialized view, if it has what they need.

        Not its doubles: what an average is in the last place depends on the order of a sum.
        """
        known = {"int": "decimal", "rid": "decimal"}
        columns = tuple(
            Column(c.sql, known.get(c.kind, c.kind)) for c in query.columns if c.kind != "double"
        )
        if not any(column.kind == "key" for column in columns):
            return False
        self.tables[name] = columns
        return True

    def condition(self, columns: list[Column]) -> str:
        """A condition that many rows meet."""
        column = self.r.choice(columns)
        tests = {
            "int": ["{} >= 0", "{} in (0, 1, 5, null)", "not {} <=> 2"],
            "key": ["{} between 3 and 30", "{} % 4 <> 1", "{} is not null"],
            "rid": ["{} % 5 <> 0", "{} > 20"],
            "decimal": ["{} < 50", "{} <> 1.5", "{} is null or {} > 0"],
            "string": ["{} like '%a%' or {} is null", "{} <> ''", "length({}) < 3"],
            "date": ["{} >= date'2024-01-01'", "year({}) = 2024 or {} is null"],
            "timestamp": ["{} > timestamp'2024-01-01 00:00:00'", "{} is null or hour({}) >= 0"],
            "double": ["{} < 100 or isnan({})", "{} is not null"],
            "boolean": ["{}", "not coalesce({}, false)"],
        }
        return "(" + self.r.choice(tests[column.kind]).replace("{}", column.sql) + ")"

    def by_the_clock(self, source: Source) -> str:
        """A condition that other rows meet on another day, or at another moment."""
        columns = source.of(["date", "timestamp"] if self.by_the_moment else ["date"])
        column = self.r.choice(columns or source.of(["key"]))
        if column.kind == "timestamp":
            tests = ["{} > {now} - interval 1 day", "{} <= {now} or {} is null"]
            tests.append("not {} between {now} - interval 36 hours and {now}")
        else:
            tests = ["{} >= {today} - 1", "coalesce({}, {today}) < {today}"]
            tests += ["{} between {today} - 9 and {today}", "{} is null or {} <> {today}"]
        times = {"{today}": "current_date()", "{now}": "current_timestamp()"}
        test = self.r.choice(tests)
        for word, call in times.items():
            test = test.replace(word, call)
        # Every day is that of some keys.
        of_key = f"date_add(date'2024-02-10', {column.sql})"
        return f"({test.replace('{}', of_key if column.kind == 'key' else column.sql)})"

    def select(self, items: list[tuple[str, str]], rest: str, unique: Sequence[int] = ()) -> Query:
        """SELECT of (expression, kind) with named columns, perhaps wrapped once more."""
        names = [self.r.choice([f"c{at}", f"C{at}"]) for at in range(len(items))]
        fed = [f"{sql} as {name}" for (sql, _), name in zip(items, names, strict=True)]
        columns = tuple(Column(n, kind) for n, (_, kind) in zip(names, items, strict=True))
        sql = f"select {', '.join(fed)} {rest}"
        found = Query(sql, columns, tuple(names[at] for at in unique))
        return self.again(found) if self.maybe(0.2) else found

    def again(self, query: Query) -> Query:
        """The same rows through one more projection, or in another order of columns."""
        order = self.r.sample(query.columns, len(query.columns))
        items = ", ".join(f"{c.sql} as d{at}" for at, c in enumerate(order))
        columns = tuple(Column(f"d{at}", c.kind) for at, c in enumerate(order))
        renamed = {c.sql: f"d{at}" for at, c in enumerate(order)}
        unique = tuple(renamed[name] for name in query.unique)
        if self.maybe(0.5):
            self.ctes.append(f"q as ({query.sql})")
            return Query(f"select {items} from q", columns, unique)
        tail = " order by 1" if self.maybe(0.3) else ""
        return Query(f"select {items} from ({query.sql}) as q{tail}", columns, unique)

    def items(self, source: Source, low: int, high: int) -> list[tuple[str, str]]:
        """Some columns and expressions of a source."""
        kinds = [c.kind for c in self.some(source.columns, low, high)]
        return [(self.value(source.columns, k if k != "rid" else "key"), k) for k in kinds]

    # Aggregates

    def groups(self, source: Source) -> list[tuple[str, str]]:
        """Group keys: columns or expressions, none now and then."""
        kinds = ["key", "key", "int", "string", "date", "boolean", "timestamp", "double"]
        there = {column.kind for column in source.columns}
        kinds = [kind for kind in kinds if kind in there] or ["key"]
        count = self.r.choice([0, 1, 1, 1, 2])
        return [(self.value(source.columns, k), k) for k in self.r.sample(kinds, count)]

    def added(self, source: Source) -> tuple[str, str]:
        """An aggregate that signed changes add up to."""
        number = self.r.choice(source.of(NUMBERS) or [Column("1", "int")])
        column = self.r.choice(source.columns)
        kind = "decimal" if number.kind == "decimal" else "int"
        value = self.over(number.sql, number.kind)
        flag = f"case when {self.condition(source.columns)} then 1 else 0 end"
        return self.r.choice(
            [
                ("count(*)", "int"),
                (f"count({column.sql})", "int"),
                (f"sum({value})", kind),
                (f"sum({flag})", "int"),
                (f"count({column.sql}, {number.sql})", "int"),
            ]
        )

    def extreme(self, source: Source) -> tuple[str, str]:
        column = self.r.choice(source.of(ORDERED))
        value = self.over(column.sql, column.kind)
        return f"{self.r.choice(['min', 'max'])}({value})", column.kind

    def other(self, source: Source) -> tuple[str, str]:
        """An aggregate whose groups have to be computed again."""
        column = self.r.choice(source.columns)
        number = self.r.choice(source.of(NUMBERS) or [Column("1", "int")]).sql
        doubles = source.of(["double"]) or [Column(f"cast({number} as double)", "double")]
        test = self.condition(source.columns)
        return self.r.choice(
            [
                (f"avg({number})", "double"),
                (f"count(distinct {column.sql})", "int"),
                (f"sum(distinct {number})", "decimal"),
                (f"sum({self.r.choice(doubles).sql})", "double"),
                (f"max({self.r.choice(doubles).sql})", "double"),
                (f"sum({number}) / nullif(count(*), 0)", "double"),
                (f"coalesce(sum({number}), 0)", "decimal"),
                (f"count(*) filter (where {test})", "int"),
                (f"max({number}) filter (where {test})", "decimal"),
                (f"min({number}) + count(*)", "decimal"),
                (f"bool_and({test})", "boolean"),
                (f"array_join(array_sort(collect_set(concat({number}, ''))), '|')", "string"),
                (f"count_if({test})", "int"),
            ]
        )

    def grouped(self, values: list[tuple[str, str]], source: Source, tail: str = "") -> Query:
        """GROUP BY; the keys first or last, one of them hidden now and then."""
        keys = self.groups(source)
        unique: Sequence[int] = range(len(keys))
        by = ", ".join(key for key, _ in keys)
        if keys and self.maybe(0.2):
            by = "all"
        elif keys and self.maybe(0.2):
            by = ", ".join(str(at + 1) for at in range(len(keys)))
        elif keys and self.maybe(0.05):
            keys, unique = keys[1:], ()
        rest = source.rest() + (f" group by {by}" if by else "") + tail
        return self.select([*keys, *values], rest, unique)

    # Shapes: append

    def rows(self) -> Query:
        source = self.plain()
        return self.select(self.items(source, 2, 4), source.rest())

    def bag(self) -> Query:
        source = self.table(self.r.choice(["t1", "t2"]))
        return self.select(self.items(source, 1, 2), source.rest())

    def keyed_rows(self) -> Query:
        source = self.table("t0")
        rid = source.of(["rid"])[0]
        items = [(rid.sql, "rid"), *self.items(source, 1, 3)]
        return self.select(items, source.rest(), [0])

    def joined_rows(self) -> Query:
        source = self.join(["join", "join", ","])
        return self.select(self.items(source, 2, 4), source.rest())

    def preserved(self) -> Query:
        """Joins that keep one side; the other side changes, too."""
        kinds = ["left join", "right join", "left semi join", "left anti join", "full join"]
        source = self.join([self.r.choice(kinds)])
        if self.maybe(0.3):
            one = self.r.choice(source.columns)
            source.where.append(self.r.choice([f"{one.sql} is null", self.condition([one])]))
        if self.maybe(0.5):
            return self.select(self.items(source, 2, 4), source.rest())
        tail = self.r.choice(["", "", " having count(*) > 1", " having count(*) % 2 = 1"])
        return self.grouped([("count(*)", "int"), self.added(source)], source, tail)

    def unioned(self) -> Query:
        source = self.union()
        return self.select([(c.sql, c.kind) for c in source.columns], source.rest())

    # Shapes: aggregate and keyed

    def counted(self) -> Query:
        source = self.source()
        values = [self.added(source) for _ in range(self.r.randint(1, 3))]
        return self.grouped([("count(*)", "int"), *values], source)

    def summed(self) -> Query:
        source = self.source()
        return self.grouped([self.added(source) for _ in range(self.r.randint(1, 2))], source)

    def extremes(self) -> Query:
        source = self.source()
        values = [self.extreme(source) for _ in range(self.r.randint(1, 3))]
        return self.grouped(values + [self.added(source)] * self.maybe(0.5), source)

    def joined_sums(self) -> Query:
        source = self.join()
        values = [self.added(source), self.extreme(source)]
        return self.grouped([*values, ("count(*)", "int")] if self.maybe(0.7) else values, source)

    def rolled_up(self) -> Query:
        """Rows of several levels, which show their level or not; few values, so that it matters."""
        source = self.source()
        kinds = self.r.choices(["key", "string", "int"], k=self.r.choice([1, 2, 2]))
        keys = [(self.value(source.columns, kind), kind) for kind in kinds]
        keys = list(dict(keys).items())
        names = [key for key, _ in keys]
        listed = ", ".join(names)
        sets = f"grouping sets (({listed}), ({self.r.choice(names)}), ())"
        by = self.r.choice([f"rollup ({listed})", f"rollup ({listed})", f"cube ({listed})", sets])
        if by != sets and len(keys) > 1 and self.maybe(0.2):
            by = f"{names[0]}, rollup ({', '.join(names[1:])})"
        bits = [(f"grouping({name})", "int") for name in names]
        shown = self.r.choice([[("grouping_id()", "int")], bits, bits[:1], []])
        values = self.r.choice([self.added, self.added, self.extreme, self.other])
        items = [*keys, *shown, ("count(*)", "int"), values(source)]
        tail = " having count(*) > 1" if self.maybe(0.15) else ""
        return self.select(items, f"{source.rest()} group by {by}{tail}")

    def other_values(self) -> Query:
        source = self.source()
        values = [self.other(source) for _ in range(self.r.randint(1, 3))]
        return self.grouped(values + [self.added(source)] * self.maybe(0.5), source)

    def means(self) -> Query:
        """Means beside their sums: added up, where it is known of how many values they are."""
        source = self.source()
        values = []
        for _ in range(self.r.randint(1, 2)):
            number = self.r.choice(source.of(NUMBERS) or [Column("1", "int")])
            value = self.over(number.sql, number.kind)
            values += [(f"sum({value})", "decimal"), (f"avg({value})", "double")]
            values += [(f"count({value})", "int")] * self.maybe(0.3)
        self.r.shuffle(values)
        return self.grouped(values + [("count(*)", "int")] * self.maybe(0.7), source)

    def distinct(self) -> Query:
        source = self.source()
        query = self.select(self.items(source, 1, 3), source.rest())
        found = Query(query.sql.replace("select ", "select distinct ", 1), query.columns)
        return self.kept(found) if self.maybe(0.2) else found

    def partition(self, source: Source) -> tuple[str, list[tuple[str, str]]]:
        """A PARTITION BY, and the columns that show it."""
        columns = source.of(["key", "key", "int", "string", "boolean"])
        by = self.some(columns, 1, 2)
        return ", ".join(c.sql for c in by), [(c.sql, c.kind) for c in by]

    def windows(self) -> Query:
        source = self.r.choice([*[self.plain] * 6, *[self.join] * 3, self.union])()
        by, shown = self.partition(source)
        every = ", ".join(column.sql for column in source.columns)
        value = self.value(source.columns, "decimal")
        one = self.r.choice(source.columns)
        functions = [
            (f"sum({value}) over (partition by {by})", "decimal"),
            (f"count({one.sql}) over (partition by {by})", "int"),
            (f"rank() over (partition by {by} order by {one.sql} desc)", "int"),
            (f"row_number() over (partition by {by} order by {every})", "int"),
            (f"lag({one.sql}) over (partition by {by} order by {every})", one.kind),
            (f"sum({value}) over (partition by {by} order by {one.sql})", "decimal"),
            (
                f"max({value}) over (partition by {by} order by {every}"
                " rows between 2 preceding and current row)",
                "decimal",
            ),
        ]
        drawn = self.r.sample(functions, self.r.randint(1, 2))
        hidden = self.maybe(0.1)
        return self.select([*shown[hidden:], *self.items(source, 1, 2), *drawn], source.rest())

    def ranked(self) -> Query:
        """The first rows of each partition, or others of them."""
        source = self.r.choice([*[self.plain] * 6, *[self.join] * 3, self.union])()
        by, shown = self.partition(source)
        every = ", ".join(f"{c.sql} {self.r.choice(['asc', 'desc'])}" for c in source.columns)
        function = self.r.choice(["row_number", "row_number", "rank", "dense_rank"])
        items = [*shown, *self.items(source, 1, 2)]
        fed = ", ".join(f"{sql} as w{at}" for at, (sql, _) in enumerate(items))
        inner = f"select {fed}, {function}() over (partition by {by} order by {every}) as rn"
        test = self.r.choice(
            [
                "rn = 1",
                "rn = 1",
                "rn <= 2",
                "rn < 3",
                "rn = 2",
                "1 = rn",
                "rn = 1 and w0 is not null",
            ]
        )
        outer = [(f"w{at}", kind) for at, (_, kind) in enumerate(items)]
        unique = range(len(shown)) if test == "rn = 1" and function == "row_number" else ()
        return self.select(outer, f"from ({inner} {source.rest()}) where {test}", unique)

    def kept(self, query: Query) -> Query:
        """Some rows of a query: a filter over all that it does."""
        test = self.condition(list(query.columns))
        if self.maybe(0.5):
            self.ctes.append(f"h as ({query.sql})")
            return Query(f"select * from h where {test}", query.columns, query.unique)
        sql = f"select * from ({query.sql}) as h where {test}"
        return Query(sql, query.columns, query.unique)

    def having(self) -> Query:
        source = self.source()
        tests = ["count(*) > 2", "max(1) is null", "count(*) % 2 = 0 or count(*) > 9", "min(1) = 1"]
        tail = self.r.choice(["", *(f" having {test}" for test in tests)])
        query = self.grouped([("count(*)", "int"), self.added(source)], source, tail)
        return query if tail and self.maybe(0.5) else self.kept(query)

    def roles(self) -> Query:
        """A table in two roles: one CTE of it, joined twice to another, and windows over one."""
        source, other = self.table(), self.table()
        key = other.of(["key"])[0].sql
        label = self.value(other.columns, self.r.choice(["key", "string"]))
        self.ctes.append(f"d as (select {key} as k, {label} as label {other.rest()})")
        for role in "ab":
            source.sql += f" join d as {role} on {role}.k = {self.r.choice(source.of(['key'])).sql}"
        by = self.r.choice(["a.label", "b.label", "a.k", "a.k, b.label"])
        value = self.value(source.columns, "decimal")
        shown = [("a.label", "string"), ("b.label", "string"), ("a.k", "key")]
        self.r.shuffle(shown)
        drawn = (f"sum({value}) over (partition by {by})", "decimal")
        query = self.select([*shown, *self.items(source, 1, 2), drawn], source.rest())
        return self.kept(query) if self.maybe(0.3) else query

    # Shapes that are not followed, or not always

    def nested(self) -> Query:
        source = self.source()
        key = self.value(source.columns, "key")
        inner = f"select {key} as k, count(*) as n {source.rest()} group by 1"
        by = self.r.choice(["n", "k"])
        rest = f"from ({inner}) group by {by}"
        return self.select([(by, "int"), ("count(*)", "int"), ("sum(n)", "int")], rest)

    def derived(self) -> Query:
        """Values of groups or of a window, by which others are grouped, joined or asked for."""
        source, other = self.source(), self.table()
        key, theirs = self.value(source.columns, "key"), other.of(["key"])[0].sql
        if self.maybe(0.7):
            tail = self.r.choice(["", "", " having count(*) > 1"])
            made = f"select {key} as k, count(*) as n {source.rest()} group by 1{tail}"
        else:
            window = f"count(*) over (partition by {key})"
            made = f"select {key} as k, {window} as n {source.rest()}"
        kind = self.r.choice(["group", "join", "in", "beside"])
        if kind == "group":
            rest = f"from ({made}) d group by d.n % 3"
            return self.select([("d.n % 3", "int"), ("count(*)", "int"), ("max(n)", "int")], rest)
        if kind == "join":
            rest = f"from ({made}) d join {other.sql} on {theirs} = d.n"
            return self.select([("d.k", "key"), (theirs, "key")], rest)
        if kind == "in":
            rest = f"from {other.sql} where {theirs} in (select n from ({made})) group by {theirs}"
            return self.select([(theirs, "key"), ("count(*)", "int")], rest)
        rest = f"from ({made}) d join {other.sql} on {theirs} = d.k group by d.n"
        return self.select([("d.n", "int"), ("count(*)", "int")], rest)

    def limited(self) -> Query:
        source = self.plain()
        items = self.items(source, 1, 3)
        by = ", ".join(str(at + 1) for at in range(len(items)))
        return self.select(items, f"{source.rest()} order by {by} limit {self.r.randint(1, 20)}")

    def sets(self) -> Query:
        """INTERSECT and EXCEPT of few columns, so that rows are equal; perhaps counted."""
        kinds = ["key", *self.r.choices(["key", "int", "string"], k=self.r.choice([0, 1]))]
        sql = ""
        for _ in range(self.r.choice([2, 2, 3])):
            source = self.plain()
            items = [f"{self.value(source.columns, kind)} as u{i}" for i, kind in enumerate(kinds)]
            word = self.r.choice(["except", "except", "intersect", "minus", "union all"])
            sql += f" {word} " * bool(sql) + f"select {', '.join(items)} {source.rest()}"
        alias = self.alias()
        columns = [Column(f"{alias}.u{at}", kind) for at, kind in enumerate(kinds)]
        source = Source(f"({sql}) as {alias}", columns)
        if self.maybe(0.3):
            return self.grouped([("count(*)", "int")], source)
        return self.select([(c.sql, c.kind) for c in columns], source.rest())

    def filtered(self) -> Query:
        """Subqueries in conditions, or one as a value."""
        source = self.table() if self.maybe(0.7) else self.join()
        source.where += [self.asked(source) for _ in range(self.r.choice([1, 1, 1, 2]))]
        if self.maybe(0.3):
            source.where.append(self.condition(source.columns))
        if self.maybe(0.5):
            return self.grouped([("count(*)", "int"), self.added(source)], source)
        query = self.select(self.items(source, 2, 3), source.rest())
        return self.kept(query) if self.maybe(0.2) else query

    def asked(self, source: Source) -> str:
        """EXISTS and IN over other rows, which may be those of the same table."""
        other = self.r.choice([self.table, self.table, self.plain, self.join])()
        key, theirs = self.r.choice(source.of(["key"])).sql, self.r.choice(other.of(["key"])).sql
        everything = other.rest()
        other.where.append(f"{theirs} {self.r.choice(['=', '=', '=', '<=>', '>'])} {key}")
        if self.maybe(0.2):
            other.where.append(self.condition(other.columns))
        of_key = other.rest()
        other.where[:] = [f"{theirs} is not null"]
        known = f"select {theirs} {other.rest()}"
        return self.r.choice(
            [
                f"exists (select * {of_key})",
                f"not exists (select 1 {of_key})",
                f"not exists (select 1 {of_key})",
                f"{key} in (select {theirs} {everything})",
                f"{key} in (select {theirs} {everything} group by {theirs})",
                f"{key} is not null and {key} not in ({known})",
                f"{key} not in (select {theirs} {everything})",
                f"({key} is null or exists (select 1 {of_key}))",
                f"{key} > (select avg({theirs}) {everything})",
            ]
        )

    def reports(self) -> Query:
        """UNION ALL of groups, rows, outer joins or a total, in CTEs now and then."""
        branches = []
        for at in range(self.r.choice([2, 2, 3])):
            kind = self.r.choice(["groups", "groups", "rows", "joined", "all"])
            source = self.join(["left join", "right join"]) if kind == "joined" else self.source()
            key, label = self.value(source.columns, "key"), self.r.choice([f"'r{at}'", "'r'"])
            by = ""
            if kind == "groups":
                values, by = f"count(*) as n, min({key}) as v", " group by 2"
            elif kind == "all":
                key, values = "null", f"count(*) as n, max({key}) as v"
            else:
                values = f"1 as n, {self.value(source.columns, 'key')} as v"
            text = f"select {label} as src, {key} as k, {values} {source.rest()}{by}"
            if self.maybe(0.4):
                self.ctes.append(f"r{at} as ({text})")
                text = f"select * from r{at}"
            branches.append(text)
        columns = [("src", "string"), ("k", "key"), ("n", "int"), ("v", "int")]
        return self.select(columns, f"from ({' union all '.join(branches)})")

    def twice(self) -> Query:
        """One CTE, read twice: joined, united, asked for, or hidden by another in brackets."""
        source = self.plain()
        key, value = self.value(source.columns, "key"), self.value(source.columns, "key")
        groups = f"c as (select {key} as k, count(*) as n {source.rest()} group by 1)"
        kind = self.r.choice(["join", "left join", "rows", "union", "in", "shadow"])
        if kind == "rows":
            self.ctes.append(f"c as (select {key} as k, {value} as v {source.rest()})")
            rest = (
                "from (select k, count(*) as m from c group by k) a join (select k, max(v) as n"
                " from C where v > 3 group by k) b on a.k = b.k"
            )
        else:
            self.ctes.append(groups)
            rest = {
                "union": "from (select k, n from c union all select k + 1, n from c) b",
                "in": "from c as b where b.k in (select k + 1 from c where n > 1)",
                "shadow": (
                    "from (with c as (select k, n + 1 as n from c where n > 1) select * from c) a"
                    " join c as b on a.k = b.k"
                ),
            }.get(kind, f"from c as a {kind} c as b on a.k = b.k + 1")
        first = "b.k" if kind in ("union", "in") else "a.k"
        return self.select([(first, "key"), ("b.n", "int")], rest)

    def combined(self) -> Query:
        """Set operations of one column, and a full outer join without its key."""
        source, other = self.table(), self.table()
        key, theirs = source.of(["key"])[0].sql, other.of(["key"])[0].sql
        word = self.r.choice(["intersect all", "except", "except all", "union", "full"])
        if word == "full":
            rest = f"from {source.sql} full join {other.sql} on {key} = {theirs}"
            return self.select([(key, "key"), (theirs, "key")], rest)
        sets = f"select {key} as k {source.rest()} {word} select {theirs} {other.rest()}"
        return self.select([("k", "key")], f"from ({sets})")


SHAPES: dict[str, Callable[[Queries], Query]] = {
    shape.__name__: shape
    for shape in (
        Queries.rows, Queries.bag, Queries.keyed_rows, Queries.joined_rows, Queries.preserved,
        Queries.unioned, Queries.counted, Queries.summed, Queries.extremes, Queries.joined_sums,
        Queries.other_values, Queries.distinct, Queries.windows, Queries.ranked, Queries.having,
        Queries.nested, Queries.limited, Queries.filtered, Queries.twice, Queries.combined,
        Queries.means, Queries.reports, Queries.roles, Queries.sets, Queries.rolled_up,
        Queries.derived,
    )
}  # fmt: skip
# Beside a subquery that a condition asks, the moment stays the engine's own, another in each run.
ASKING = ("filtered", "derived", "twice")
