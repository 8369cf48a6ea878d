"""dbt-tests-adapter's suite for materialized views, unchanged, re-exported by the root project.

Each hook answers from what the server says, not from dbt's cache.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from dbt.tests.adapter.materialized_view.basic import MaterializedViewBasic
from dbt.tests.adapter.materialized_view.changes import (
    MaterializedViewChanges,
    MaterializedViewChangesApplyMixin,
    MaterializedViewChangesContinueMixin,
    MaterializedViewChangesFailMixin,
)
from dbt.tests.util import get_model_file, run_dbt, set_model_file

from tests.foreign.conftest import commits

pytestmark = [pytest.mark.foreign, pytest.mark.in_turn]

RE_EXPORT = """
{% materialization materialized_view, adapter='spark' %}
    {{ return(dbt_mview.materialization_mview_spark()) }}
{% endmaterialization %}
"""


def relation_type(project: Any, relation: Any) -> str | None:
    """What stands under a name; a materialized view is a Delta table that says it is ours."""
    found = project.run_sql(
        f"show table extended in {relation.schema} like '{relation.identifier}'", fetch="all"
    )
    if not found:
        return None
    if "\nType: VIEW" in found[0].information:
        return "view"
    if "\nProvider: delta" in found[0].information:
        said = json.loads(commits(project, relation)[0].userMetadata or "{}").get("dbt_mview", {})
        if said.get("mview_id") == f"spark_catalog.{relation.schema}.{relation.identifier}":
            return "materialized_view"
    return "table"


def detail(project: Any, relation: Any) -> Any:
    """DESCRIBE DETAIL of a table."""
    return project.run_sql(f"describe detail {relation}", fetch="one")


def configure(project: Any, relation: Any, config: str) -> None:
    """Adds a config to the model."""
    model = get_model_file(project, relation)
    set_model_file(project, relation, model.replace("config(", f"config(\n    {config},", 1))


class ReExport:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return {"materialized_view.sql": RE_EXPORT}

    @staticmethod
    def query_relation_type(project: Any, relation: Any) -> str | None:
        return relation_type(project, relation)


class Basic(ReExport, MaterializedViewBasic):
    @staticmethod
    def insert_record(project: Any, table: Any, record: tuple[int, int]) -> None:
        project.run_sql(f"insert into {table} values {record}")

    @staticmethod
    def refresh_materialized_view(project: Any, materialized_view: Any) -> None:
        run_dbt(["run", "--models", materialized_view.identifier])

    @staticmethod
    def query_row_count(project: Any, relation: Any) -> int:
        return int(project.run_sql(f"select count(*) from {relation}", fetch="one")[0])


class TestBasicDelta(Basic):
    """Tables and seeds are Delta tables."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"+file_format": "delta"}, "seeds": {"+file_format": "delta"}}


# What the other one of its tests does first, and replacing, which test_publishing does as well.
for shown in (
    TestBasicDelta.test_materialized_view_create,
    TestBasicDelta.test_materialized_view_create_idempotent,
    TestBasicDelta.test_materialized_view_full_refresh,
    TestBasicDelta.test_materialized_view_replaces_table,
    TestBasicDelta.test_materialized_view_replaces_view,
    TestBasicDelta.test_table_replaces_materialized_view,
    TestBasicDelta.test_view_replaces_materialized_view,
):
    pytest.mark.nightly(shown)


class Changes(ReExport, MaterializedViewChanges):
    """By ALTER: a table property. By a replace: the partitioning."""

    starts: ClassVar[dict[str, int]] = {}

    @pytest.fixture(scope="class")
    def properties(self) -> dict[str, Any]:
        return {"seeds.yml": {"seeds": [{"name": "my_seed", "config": {"file_format": "delta"}}]}}

    @classmethod
    def check_start_state(cls, project: Any, materialized_view: Any) -> None:
        """Also that the table is at the same version when asked again after a run."""
        table = detail(project, materialized_view)
        assert "quality" not in table.properties
        assert table.partitionColumns == []
        version = commits(project, materialized_view)[0].version
        assert cls.starts.setdefault(table.id, version) == version

    @staticmethod
    def change_config_via_alter(project: Any, materialized_view: Any) -> None:
        configure(project, materialized_view, "tblproperties={'quality': 'gold'}")

    @classmethod
    def check_state_alter_change_is_applied(cls, project: Any, materialized_view: Any) -> None:
        """Also that it did not take a rebuild, unless the partitioning changed as well."""
        table = detail(project, materialized_view)
        assert table.properties["quality"] == "gold"
        if not table.partitionColumns:
            start = cls.starts[table.id]
            since = [c.operation for c in commits(project, materialized_view) if c.version > start]
            assert "SET TBLPROPERTIES" in since
            assert not [operation for operation in since if operation.startswith("CREATE")]

    @staticmethod
    def change_config_via_replace(project: Any, materialized_view: Any) -> None:
        configure(project, materialized_view, "partition_by='value'")

    @staticmethod
    def check_state_replace_change_is_applied(project: Any, materialized_view: Any) -> None:
        """Also that it was one commit that left the history readable, not drop and create."""
        assert detail(project, materialized_view).partitionColumns == ["value"]
        history = commits(project, materialized_view)
        assert history[0].operation == "CREATE OR REPLACE TABLE AS SELECT"
        assert len(history) == history[0].version + 1 > 1


class TestChangesApply(Changes, MaterializedViewChangesApplyMixin):
    pass


@pytest.mark.nightly
class TestChangesContinue(Changes, MaterializedViewChangesContinueMixin):
    pass


@pytest.mark.nightly
class TestChangesFail(Changes, MaterializedViewChangesFailMixin):
    pass
