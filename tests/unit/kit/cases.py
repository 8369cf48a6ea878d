"""Queries whose tables are marked: [[name]] stands where a table is named,
[[name| version as of 3]] where it has a version of its own."""

from __future__ import annotations

import re
from typing import Any

MARK = re.compile(r"\[\[(.*?)(\|[^>].*?)?\]\]", re.DOTALL)


class EveryTable(dict[str, Any]):
    """Bindings that know every name as a table at version 7: a wrong position shows at once."""

    def get(self, key: str, default: Any = None) -> Any:
        return None if key.endswith(".with") else {"kind": "table", "version": 7}


def plain(marked: str) -> str:
    """The query as a user writes it."""
    return MARK.sub(lambda found: found.group(1) + (found.group(2) or "")[1:], marked)


def pinned(marked: str, suffix: str = " version as of 7") -> str:
    """The query with a version at each of its tables, and nothing else changed."""
    return MARK.sub(lambda found: found.group(1) + suffix, marked)


def tables(marked: str) -> list[str]:
    """The marked names, in order."""
    return [name for name, _ in MARK.findall(marked)]


GOOD = [
    # names
    "select * from [[src]]",
    "select * from [[db.src]]",
    "select * from [[spark_catalog.db.src]]",
    "select * from [[`db`.`src`]]",
    "select * from [[db . src]] a",
    "select * from [[db\n  .src]] a",
    "select * from [[`my db`.`a``b`]] as x",
    "select * from [[2020_sales]], [[db.1a]], [[1a]]",
    "select * from [[ключ.Täble]]",
    "select*from[[`src`]] a,[[`b`]] b",
    "select * from [[src]] as `where`, [[b]]",
    # lists and joins
    "select * from [[src]], [[db.src]] b, [[c.d.e]] as f",
    "select * from [[a]] join [[b]] on a.x = b.x left join [[c]] using (x, y), [[d]]",
    "select * from [[a]] cross join [[b]] natural join [[c]] left semi join [[e]] on true"
    " left anti join [[f]] on 1=1 full outer join [[g]] on a.b = g.b",
    "select * from [[a]] join [[b]] on f(a.x, b.y) = 1 and g(a, b), [[c]]",
    "select * from [[a]] inner join [[b]] on a.x in (1, 2), [[c]]",
    "select * from ([[src]] s join [[b]] on s.x = b.x)",
    "select * from ([[src]]) as s join ([[b]] join [[c]] on true) on true, [[d]]",
    # text that only looks like tables
    "select src from [[src]] where src.src = 'from src' and src > 1",
    'select "from src, db.src" from [[src]] -- from src, x',
    "select 'it\\'s from src' from [[src]] /* from src */",
    "select 'a''b from src' from [[src]]",
    "select '\\\\', ' from src ' from [[src]]",
    "select '\\\\\\'', ' from src ' from [[src]]",
    'select "\\"", \' from src \' from [[src]]',
    "select r'\\d from src' from [[src]]",
    "select 'a' 'b from x', x'1F', date'2020-01-01', interval'1'day from [[src]]",
    "/* x */ select /*+ BROADCAST(src), MERGE(b) */ * from [[src]] join [[b]] on true",
    "select 1 as x, -- end\n 2 from -- where\n [[src]] -- from y\n , /* , z */ [[b]]",
    "select a /* c */ from /* c */ [[src]] /* c */ b /* c */ join /* from x */ [[c]]",
    # functions with FROM in their brackets
    "select extract(year from d) from [[src]]",
    "select extract(year from (select max(d) from [[src]])) from [[b]]",
    "select trim(both 'x' from src), trim(from y), substring(a from 2 for 3),"
    " overlay(a placing b from 3), position('a' in b) from [[src]]",
    "select a is distinct from b, a is not distinct from src from [[src]]",
    # subqueries in every clause
    "select * from [[src]] where a in (select b from [[c]])"
    " and exists (select 1 from [[d]] where d.x = src.x)",
    "select (select max(x) from [[b]]) as m, case when exists (select 1 from [[c]]) then 1 end"
    " from [[src]]",
    "select * from [[src]] where (a, b) in (select x, y from [[c]])",
    "select * from [[src]] where x = any (select y from [[z]]) order by a, b limit 10",
    "select * from [[src]] where x between (select min(a) from [[b]]) and"
    " (select max(a) from [[c]])",
    "select * from [[a]] join [[b]] on a.x = (select max(x) from [[c]]), [[d]]",
    "select x from [[a]] group by x having sum(y) > (select avg(y) from [[b]])",
    "select x from [[a]] order by (select max(y) from [[b]]), z",
    "select * from (select * from [[src]]) s, [[b]]",
    "select * from ((select * from [[src]])) s",
    # clauses after the tables
    "select * from [[src]] group by grouping sets ((a, b), (a)), c having sum(x) > 1",
    "select * from [[src]] distribute by a, b sort by c, d",
    "select * from [[src]] cluster by a, b",
    "select * from [[db.order]] order by x, y limit 10 offset 5",
    "select sum(x) over (partition by a order by b), count(*) filter (where x > 1) from [[src]]"
    " window w as (partition by a, b)",
    "select * except (a, b), src.* from [[src]]",
    "select transform(a, x -> x + 1), aggregate(a, 0, (x, y) -> x + y) from [[src]]",
    "select x::int, a:b.c, a[0], m['from src'], s.f from [[src]]",
    "select cast(a as struct<x: int, y: array<string>>) from [[src]]",
    "select t.1a, t.from, src.`from`, `from`, 1 as table, join_x from [[src]] t",
    # set operations, values, generators
    "select * from [[src]] union all select * from [[b]] except select * from [[c]]"
    " minus select x from [[d]] intersect select x from [[e]]",
    "(select * from [[src]]) union all (select * from [[b]])",
    "select * from values (1, 2), (3, 4) as v(a, b)",
    "select * from [[src]], (values (1)) v, [[b]]",
    "select * from range(10) r, explode(array(1, 2)) e, [[src]]",
    "select * from [[src]] lateral view outer explode(a) t as x, y",
    "select * from [[src]] lateral view explode(a) t as x join [[b]] on true",
    "select * from [[src]] join lateral (select * from [[b]] where b.x = src.x) l on true",
    "select * from [[src]] pivot (sum(x) for y in ('a', 'b'))",
    "select * from [[src]] unpivot (x for y in (a, b)) u join [[b]] on true",
    "select * from [[src]] tablesample (10 percent) as s, [[b]]",
    "select * from identifier('db.src')",
    # a time travel of the user's own
    "select * from [[src| version as of 3]]",
    "select * from [[src| VERSION AS OF 3]]\nwhere x = 1",
    "select * from [[src| version as of 3]] as s, ([[b| version as of 12]]) where a < 3",
    "select * from src version as of '3', [[b]]",
    "select * from src for version as of 3",
    "select * from src timestamp as of '2024-01-01', [[b]]",
    "select * from src for system_time as of '2024-01-01', [[b]]",
    # WITH
    "with c as (select * from [[src]]) select * from c",
    "with c as (select * from [[src]]), e (x, y) as (select * from c) select * from e, c, [[b]]",
    "with recursive c(n) as (select 1 union all select n + 1 from c where n < 5)"
    " select * from c, [[src]]",
    "select * from [[src]] where x in (with c as (select 1 as x) select x from c)",
    "with c as (select 1 as x) select * from [[db.c]]",
    # FROM first, pipes
    "from [[src]] select a, b where x > 1",
    "select (from [[b]] select x) from [[src]]",
    "from [[src]] |> where x > 1 |> select a, b",
    "from [[src]] |> join [[b]] on true |> order by x, y |> limit 3",
    "from [[src]] |> as t |> set x = 1, y = 2",
    "from [[src]] |> union all (select a, b from [[c]])",
]

# Corners of the grammar.
CORNERS = {
    "raw literal that ends in a backslash": "select r'\\' as a from [[src]] where x = 'from y'",
    "nested comment": "select 1 /* a /* b */ from t */ from [[src]]",
    "nested comment with a quote": "/* it /* */ isn't */ select * from [[src]] where x = 'from y'",
    "comment continued by a backslash": "select -- it's \\\n from t, don't\n 1 from [[src]]",
    "WITH without AS": "with c (select * from [[src]]) select * from c",
    "WITH without AS, with columns": "with c(x) (select * from [[src]]) select * from c",
    "WITH without AS that hides its own table": "with src (select * from [[src]])"
    " select * from src",
    "WITH that hides its own table": "with src as (select * from [[src]]) select * from src",
    "WITH of a subquery hides only there": "select * from [[src]] where x in"
    " (with src as (select 1 as x) select x from src)",
    "WITH RECURSIVE and a level": "with recursive c(n) max recursion level 10 as"
    " (select 1 union all select n + 1 from c) select * from c",
    "window of the table's name": "select sum(x) over w from [[w]] window w as (partition by a)",
    "comma after LATERAL": "select * from [[src]], lateral explode(a) as e(x), [[c]]",
    "comma after JOIN LATERAL": "select * from [[src]] join lateral (select 1) l, [[c]]",
    "comma after VALUES": "select * from values (1) as v(a), [[src]]",
    "comma after PIVOT": "select * from [[src]] pivot (sum(x) for y in ('a')) p, [[b]]",
    "alias version": "select * from [[src]] version where version.x = 1",
    "alias timestamp": "select * from [[src]] timestamp, [[b]]",
    "pipe EXTEND": "from [[src]] |> extend x + 1 as y, z",
    "pipe AGGREGATE": "from [[src]] |> aggregate sum(x) as s, b group by c, e",
    "pipe DROP": "from [[src]] |> drop x, y |> rename a as b, c as e",
    "schema that begins with a digit": "select * from [[2020db.t]]",
    "comment inside a name": "select * from [[db/**/.src]]",
    "column named table": "select table as y, x from [[src]]",
    "table named order": "select * from [[order]]",
    "column named table, alone": "select (table), f(table), src.table from [[src]]",
    "table named table": "select * from [[table]] t join [[table]] on true",
    "aliases that are keywords": "select 1 as from, 2 as join, 3 as where from [[src]] as order,"
    " [[b]] as table, [[c]] window, [[d]]",
    "columns and fields that are keywords": "select t.from, a[0].join, b:from, (c).table, d.order"
    " from [[src]] t, [[b]]",
    "column named lateral view's": "select * from [[src]] lateral view explode(a) t as x, y, z",
    "names of WITH that are keywords": "with order as (select * from [[src]]), `values` as"
    " (select 1) select * from order, `values`, [[b]]",
    "WITH that uses the one before": "with a as (select * from [[b]]), b as (select * from a)"
    " select * from a join b join [[c]]",
    "WITH in brackets ends with them": "select * from (with src as (select 1 as x)"
    " select * from src) s join [[src]]",
    "WITH inside WITH": "with a as (with b as (select * from [[c]]) select * from b)"
    " select * from a, [[b]]",
    "WITH RECURSIVE hides its own table": "with recursive src as (select 1 as n union all"
    " select n + 1 from src) select * from src",
    "WITH named recursive": "with recursive as (select * from [[src]]) select * from recursive",
    "quoted name of WITH": "with `My C` as (select 1) select * from `my c`, [[`my d`]]",
    "WITH ROLLUP, WITH options": "select a, b from [[src]] with ('x' = 'y') t, [[b]]"
    " group by a, b with rollup",
    "VALUES in the middle": "select * from [[a]], values (1, 2), (3, 4) v, [[b]]",
    "VALUES in brackets": "select * from (values (1), (2)) v, [[src]]",
    "functions in the list": "select * from [[a]], lateral f(x) y, stack(2, 1, 2) as s (p), [[b]]",
    "FROM first in brackets": "select * from (from [[src]] select x) s, [[b]]",
    "brackets around all": "((select * from [[src]]) union (select * from [[b]]) order by x, y)",
    "brackets around joins": "select * from ((([[a]])) join ([[b]] b join [[c]]) on true), [[d]]",
    "trim of a subquery": "select trim(from (select max(x) from [[src]])) from [[b]]",
    "pipe SET, ORDER BY, join, window": "from [[a]] |> set x = 1, y = 2 |> left join [[b]] on true"
    " |> select x, y window w as (order by x, y) |> except (select x, y from [[c]])",
    "comment in a time travel": "select * from src /* a */ timestamp /* b */ as -- c\n of 3, [[b]]",
    "comment in a version": "select * from"
    " [[src| /* a */ version /* b */ as -- c\n of 3]]/* d */, [[b]]",
    "own version of one place": "select * from [[src| version as of 3]] a, [[src]] b",
    "own version before a sample": "select * from [[src| version as of 3]] tablesample (1 rows) s",
    "sampled": "select * from [[src]] tablesample (10 percent) repeatable (3) s, [[b]]",
    "DISTINCT FROM": "select * from [[a]] join [[b]] on a.x is not distinct from b.x, [[c]]",
    "hints": "select /*+ merge(a), /* b */ shuffle_hash(b) */ * from [[a]] /*+ x, y */, [[b]]",
}

# Read by the engine and not found here: the view is then refreshed without versions.
NOT_FOUND = {
    "computed name": "select * from identifier('src')",
    "name in parts": "select * from identifier('db').src",
    "double-quoted name": 'select * from "src"',
    "TABLE as an argument": "select * from f(table src)",
    "TABLE as an argument, in brackets": "select * from f(1, table(src) partition by x)",
    "TABLE as an argument, by name": "select * from f(t => table src)",
    "VALUES without brackets": "select * from values 1, 2 v, src",
    "column named join": "select join from src",
    "alias that may begin a clause": "select * from [[a]] sort join [[b]] on true, src",
}
