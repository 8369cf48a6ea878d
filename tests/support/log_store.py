"""Delta's log on a local disk that several JVMs write to, compiled with what Spark brings."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from dbt_mview.engine import delta_package, find_java
from dbt_mview.thrift import delta_jars, spark_home

SOURCE = Path(__file__).with_name("LinkLogStore.scala")


def settings(home: Path, hold: Path | None = None) -> dict[str, str]:
    """The settings of a Spark that uses it.

    Args:
        home: where its jar is written to.
        hold: a directory; the commits of a table wait while a file of the table's name is there.
    """
    jar, java = home / "log_store.jar", find_java()
    assert java is not None, "no Java"
    jars = os.pathsep.join([f"{spark_home()}/jars/*", *map(str, delta_jars(delta_package()))])
    scala = ["-cp", jars, "scala.tools.nsc.Main", "-usejavacp", "-d", str(jar), str(SOURCE)]
    subprocess.run([str(java.home / "bin" / "java"), *scala], check=True)
    return {
        "spark.driver.extraClassPath": str(jar),
        "spark.delta.logStore.file.impl": "dbt_mview.tests.LinkLogStore",
        **({"spark.hadoop.dbt_mview.hold": str(hold)} if hold else {}),
    }
