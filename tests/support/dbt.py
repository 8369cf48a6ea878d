"""dbt in a process of its own: ``python -m tests.support.dbt run ...``."""

from __future__ import annotations

import sys

from dbt.cli.main import dbtRunner

if __name__ == "__main__":
    result = dbtRunner().invoke(sys.argv[1:])
    if result.exception:
        print(result.exception, flush=True)  # noqa: T201
    sys.exit(0 if result.success else 1)
