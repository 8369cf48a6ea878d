"""`python -m dbt_mview`: the same as the console script `dbt-mview`."""

from __future__ import annotations

from dbt_mview.cli import main

if __name__ == "__main__":
    main(prog_name="dbt-mview")
