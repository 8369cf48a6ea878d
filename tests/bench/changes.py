"""Changes of the sources: scattered over lineitem, or localised, as new orders with their lines.

Rewritten ones are scattered, too, over tables without deletion vectors.
"""

from __future__ import annotations

from tests.support.project import Project

ORDER_KEYS = 6_000_000  # per scale factor; one in four is used
LAYOUTS = ("scattered", "localised", "rewritten")
# Of what a scattered change touches: a tenth goes, a tenth moves to another supplier, the rest has
# its quantity changed; as much as went comes anew.
GONE, MOVED = 0.1, 0.2
PARTS = 1_000_000


class Changes:
    """Changes of the tables of one project, each different from those before.

    Args:
        project: its schema holds lineitem and orders.
        scale: the scale factor of the tables.
    """

    def __init__(self, project: Project, scale: float) -> None:
        self.project, self.scale, self.turn = project, scale, 0

    def make(self, layout: str, percent: float) -> None:
        """Change a part of the tables.

        Args:
            layout: one of LAYOUTS.
            percent: of the rows of lineitem.
        """
        self.turn += 1
        for statement in getattr(self, layout)(percent):
            self.project.sql(statement)

    def scattered(self, percent: float) -> list[str]:
        """Updates, deletes and inserts all over lineitem."""
        suppliers = max(int(10_000 * self.scale), 1)
        at = f"pmod(xxhash64(l_orderkey, l_linenumber, {self.turn}), {PARTS})"
        part = percent / 100 * PARTS
        gone, moved = int(part * GONE), int(part * MOVED)
        return [
            again("lineitem", f"l_linenumber + {7 * self.turn} as l_linenumber")
            + f" where {at} >= {PARTS - gone}",
            f"delete from @.lineitem where {at} < {gone}",
            "update @.lineitem set updated_at = current_timestamp(),"
            f" l_suppkey = if({at} < {moved}, l_suppkey % {suppliers} + 1, l_suppkey),"
            f" l_quantity = if({at} < {moved}, l_quantity, l_quantity % 50 + 1)"
            f" where {at} between {gone} and {int(part) - 1}",
        ]

    def rewritten(self, percent: float) -> list[str]:
        """The same statements, each of which writes anew the files that it touches."""
        return self.scattered(percent)

    def localised(self, percent: float) -> list[str]:
        """New orders with their lines: copies of old ones that are side by side."""
        keys = int(ORDER_KEYS * self.scale)
        width = max(int(keys * percent / 100), 1)
        first = self.turn * width % keys
        first = first if first + width <= keys else 0
        place = f"between {first + 1} and {first + width}"
        new = keys * self.turn
        return [
            again("orders", f"o_orderkey + {new} as o_orderkey") + f" where o_orderkey {place}",
            again("lineitem", f"l_orderkey + {new} as l_orderkey") + f" where l_orderkey {place}",
        ]


def again(table: str, changed: str) -> str:
    """An INSERT that copies rows of a table.

    Args:
        table: its name.
        changed: what is other than in the row that is copied, as `expression as column`.

    Returns:
        SQL text, to be followed by WHERE.
    """
    kept = f"* except ({changed.split(' as ')[1]}, updated_at)"
    return (
        f"insert into @.{table} by name"
        f" select {kept}, {changed}, current_timestamp() as updated_at from @.{table}"
    )
