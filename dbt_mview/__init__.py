"""dbt_mview: what the macros of the dbt package cannot do (embedded engine, command line)."""

from __future__ import annotations

__version__ = "0.1.0"
