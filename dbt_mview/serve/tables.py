"""The tables of the SQL database that the nodes share.

They carry a prefix, as a database may be shared with other programs.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)

# Of the tables below. Who changes them raises it, and writes down how older ones get there.
LAYOUT = 2
# Layout -> the statement that makes it of the one before; both databases take it.
UPGRADES = {2: "alter table mview_node add column starting text not null default ''"}


class Words(TypeDecorator[str]):
    """Text that both databases take, also an error's that holds whatever was in a row."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replaces what is no UTF-8, and the character 0, which PostgreSQL refuses."""
        if value is None:
            return None
        return value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


METADATA = MetaData()
LAYOUTS = Table(
    "mview_layout",
    METADATA,
    Column("layout", Integer, primary_key=True, autoincrement=False),
    Column("service", Words, nullable=False),
)
NODE = Table(
    "mview_node",
    METADATA,
    Column("name", Words, primary_key=True),
    Column("boot", Words, nullable=False),
    Column("address", Words, nullable=False),
    Column("version", Words, nullable=False),
    Column("beat", BigInteger, nullable=False),
    Column("owned", Integer, nullable=False),
    Column("running", Integer, nullable=False),
    # Why it takes no work yet; empty once it does.
    Column("starting", Words, nullable=False),
)
RUN = Table(
    "mview_run",
    METADATA,
    Column("run", Words, primary_key=True),
    Column("node", Words, nullable=False),
    Column("boot", Words, nullable=False),
    Column("invocation", Words, nullable=False, default=""),
    Column("kind", Words, nullable=False),
    Column("ids", JSON, nullable=False),
    Column("began", BigInteger, nullable=False),
    Column("ended", BigInteger),
    Column("how", Words, nullable=False, default=""),
    Column("outcomes", JSON, nullable=False, default={}),
    Column("problem", Words, nullable=False, default=""),
)
ATTEMPT = Table(
    "mview_attempt",
    METADATA,
    Column("run", Words, primary_key=True),
    Column("node", Words, nullable=False),
    Column("boot", Words, nullable=False),
    Column("ids", JSON, nullable=False),
    Column("charge", Words, nullable=False),
    Column("reason", Words, nullable=False),
)
SETTING = Table(
    "mview_setting",
    METADATA,
    Column("name", Words, primary_key=True),
    Column("value", Words, nullable=False),
)
COMMAND = Table(
    "mview_command",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("verb", Words, nullable=False),
    Column("subject", Words, nullable=False),
    Column("asker", Words, nullable=False),
    Column("asked", BigInteger, nullable=False),
    Column("taker", Words),
    Column("is_done", Boolean),
    Column("answer", Words),
    # An asker may still wait for the answer to a number that would be given again otherwise.
    sqlite_autoincrement=True,
)
