"""The scheduler service. Its modules and their order: `tool.importlinter` in pyproject.toml."""
