"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGES = ("pyspark", "delta-spark", "dbt-core", "dbt-spark", "tpchgen-cli")


def machine(spark: SparkSession) -> dict[str, str]:
    """Name the machine and the versions.

    Args:
        spark: the session that is measured.

    Returns:
        Names and values, in the order of the report.
    """
    java = spark._jvm.System.getProperty("java.version")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    options = spark.conf.get("spark.driver.extraJavaOptions", "").split()
    return {
        "processor": f"{os.cpu_count()} cores, {processor()}",
        "memory": f"{memory:.0f} GiB, heap {spark.conf.get('spark.driver.memory')}",
        "system": f"{platform.system()} {platform.machine()}, Java {java}",
        "options of Java": " ".join(one for one in options if one.startswith("-XX")),
        "versions": ", ".join(f"{name} {version(name)}" for name in PACKAGES),
    }


def processor() -> str:
    """The processor's name, where the system tells it."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else None
    return found[1].strip() if found else platform.processor() or platform.machine()


def commit() -> str:
    """The commit that is measured, marked where files differ from it; empty where git has none."""
    told = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    return subprocess.run(told, capture_output=True, text=True, check=False).stdout.strip()
