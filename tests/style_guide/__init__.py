"""A shop in the manner of dbt's style guide: its models, and a month of loads."""
