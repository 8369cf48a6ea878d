"""dbt-tests-adapter's classes for tables, with `mview` where they say `table`.

Overridden is only what Spark needs: types, file formats, and where Spark keeps a comment. What the
classes assert is theirs.
"""

from __future__ import annotations

import getpass
import re
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.adapter import hooks
from dbt.tests.adapter.aliases.test_aliases import BaseAliases, BaseSameAliasDifferentSchemas
from dbt.tests.adapter.basic import expected_catalog
from dbt.tests.adapter.basic.test_base import BaseSimpleMaterializations
from dbt.tests.adapter.basic.test_docs_generate import BaseDocsGenerate
from dbt.tests.adapter.basic.test_table_materialization import BaseTableMaterialization
from dbt.tests.adapter.concurrency.test_concurrency import BaseConcurrency
from dbt.tests.adapter.constraints import fixtures as constraints
from dbt.tests.adapter.constraints.test_constraints import (
    BaseConstraintsRollback,
    BaseTableConstraintsColumnsEqual,
)
from dbt.tests.adapter.dbt_clone.test_dbt_clone import BaseCloneNotPossible, BaseClonePossible
from dbt.tests.adapter.empty.test_empty import BaseTestEmpty, BaseTestEmptyInlineSourceRef
from dbt.tests.adapter.hooks.test_model_hooks import BasePrePostModelHooks
from dbt.tests.adapter.persist_docs.test_persist_docs import (
    BasePersistDocs,
    BasePersistDocsAllColumnsMissing,
    BasePersistDocsColumnMissing,
    BasePersistDocsCommentOnQuotedColumn,
    BasePersistDocsQuotedColumnCaseSensitive,
    BasePersistDocsQuotedDescriptionNotAppliedOnMismatch,
)
from dbt.tests.adapter.query_comment.test_query_comment import (
    BaseMacroArgsQueryComments,
    BaseMacroInvalidQueryComments,
    BaseMacroQueryComments,
    BaseQueryComments,
)
from dbt.tests.adapter.relations.test_changing_relation_type import BaseChangeRelationTypeValidator
from dbt.tests.util import run_dbt

pytestmark = [pytest.mark.foreign, pytest.mark.in_turn]

DELTA = {"+file_format": "delta"}


def as_view(sql: str, instead_of: str = "table") -> str:
    """A model of the suite, materialized as `mview`."""
    changed, times = re.subn(rf"""(materialized\s*=\s*)(['"]){instead_of}\2""", r"\1\2mview\2", sql)
    assert times == 1, f"no longer a {instead_of}: {sql}"
    return changed


def as_views(models: dict[str, str], *names: str, instead_of: str = "table") -> dict[str, str]:
    """The models of a class, those with these names as `mview`."""
    return {**models, **{name: as_view(models[name], instead_of) for name in names}}


def models_of(base: type) -> Any:
    """The models that a class of the suite brings; its fixtures are plain functions of self."""
    return base.models.__wrapped__(None)  # type: ignore[attr-defined]


class EveryModel:
    """For classes whose models name no materialization."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"+materialized": "mview"}}


@pytest.mark.nightly
class TestTableMaterialization(BaseTableMaterialization):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_views(models_of(BaseTableMaterialization), "materialized.sql")


class TestSimpleMaterializations(BaseSimpleMaterializations):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        models = as_views(models_of(BaseSimpleMaterializations), "table_model.sql")
        swappable = models["swappable.sql"].replace('"table"', '"mview"')
        assert swappable != models["swappable.sql"]
        return {**models, "swappable.sql": swappable}

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"name": "base", "models": DELTA, "seeds": DELTA}


class ChangeRelationType(BaseChangeRelationTypeValidator):
    instead_of = ""

    def _run_and_check_materialization(
        self, materialization: str, extra_args: list[str] | None = None
    ) -> None:
        chosen = "mview" if materialization == self.instead_of else materialization
        super()._run_and_check_materialization(chosen, extra_args)


@pytest.mark.nightly
class TestChangeRelationTypeInsteadOfTable(ChangeRelationType):
    """view, mview, view, incremental, mview; Delta all over."""

    instead_of = "table"

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": DELTA}


@pytest.mark.nightly
class TestChangeRelationTypeInsteadOfIncremental(ChangeRelationType):
    """view, parquet table, view, mview, parquet table."""

    instead_of = "incremental"


class TestPrePostModelHooks(BasePrePostModelHooks):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> Any:
        config = BasePrePostModelHooks.project_config_update.__wrapped__(self)
        config["models"]["+materialized"] = "mview"
        return config

    @pytest.fixture(scope="class", autouse=True)
    def setUp(self, project: Any) -> None:
        file = Path(hooks.__path__[0], "data", "seed_model.sql")
        sql = file.read_text().replace("TEXT", "string").replace("\n);", "\n) using delta;")
        for statement in sql.split(";"):
            project.run_sql(statement)

    def get_ctx_vars(self, state: str, count: int, project: Any) -> list[dict[str, Any]]:
        """As in the suite, but Spark reads "name" as a string."""
        rows = project.run_sql(
            f"select * from {project.test_schema}.on_model_hook where test_state = '{state}'",
            fetch="all",
        )
        assert len(rows) == count
        return [row.asDict() for row in rows]

    def check_hooks(self, state: str, project: Any, host: str, count: int = 1) -> None:
        """As in the suite, with a profile of Spark instead of one of PostgreSQL."""
        for ctx in self.get_ctx_vars(state, count, project):
            assert ctx["test_state"] == state
            assert ctx["target_dbname"] == ""
            assert ctx["target_host"] == host
            assert ctx["target_name"] == "default"
            assert ctx["target_schema"] == project.test_schema
            assert ctx["target_threads"] == 4
            assert ctx["target_type"] == "spark"
            assert ctx["target_user"] == ""
            assert ctx["target_pass"] == ""
            assert ctx["run_started_at"]
            assert ctx["invocation_id"]
            assert ctx["thread_id"].startswith("Thread-")


def comments(project: Any, name: str) -> dict[str, Any]:
    """The comments of a table in the form of catalog.json, where dbt-spark leaves them out."""
    rows = project.run_sql(f"describe extended {project.test_schema}.{name}", fetch="all")
    end = next(i for i, row in enumerate(rows) if not row[0] or row[0].startswith("#"))
    table = [row[1] for row in rows[end:] if row[0] == "Comment"]
    return {
        "metadata": {"comment": table[0] if table else None},
        "columns": {row[0]: {"comment": row[2]} for row in rows[:end]},
    }


class TestPersistDocs(BasePersistDocs):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_views(models_of(BasePersistDocs), "table_model.sql")

    def test_has_comments_pglike(self, project: Any) -> None:
        self._assert_has_table_comments(comments(project, "table_model"))


class Rebuilt:
    """The suite expects the warning from a second run, which would have nothing to do here."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"+persist_docs": {"columns": True}, "+full_refresh": True}}


@pytest.mark.nightly
class TestPersistDocsColumnMissing(Rebuilt, BasePersistDocsColumnMissing):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_views(models_of(BasePersistDocsColumnMissing), "missing_column.sql")

    def test_missing_column(self, project: Any) -> None:
        comment = comments(project, "missing_column")["columns"]["id"]["comment"]
        assert comment.startswith("test id column description")


@pytest.mark.nightly
class TestPersistDocsAllColumnsMissing(Rebuilt, BasePersistDocsAllColumnsMissing):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_views(models_of(BasePersistDocsAllColumnsMissing), "all_columns_missing.sql")


@pytest.mark.nightly
class TestPersistDocsQuotedColumnCaseSensitive(Rebuilt, BasePersistDocsQuotedColumnCaseSensitive):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        base = BasePersistDocsQuotedColumnCaseSensitive
        return as_views(models_of(base), "quoted_case_sensitive.sql")


@pytest.mark.nightly
class TestPersistDocsQuotedDescriptionNotAppliedOnMismatch(
    Rebuilt, BasePersistDocsQuotedDescriptionNotAppliedOnMismatch
):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        base = BasePersistDocsQuotedDescriptionNotAppliedOnMismatch
        return as_views(models_of(base), "quoted_physical_case_mismatch.sql")

    def test_quoted_description_not_applied_on_case_mismatch(self, project: Any) -> None:
        super().test_quoted_description_not_applied_on_case_mismatch(project)
        columns = comments(project, "quoted_physical_case_mismatch")["columns"]
        assert "DOCUMENTED_DESCRIPTION_SENTINEL" not in str(columns)


@pytest.mark.nightly
class TestPersistDocsCommentOnQuotedColumn(BasePersistDocsCommentOnQuotedColumn):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> Any:
        config = BasePersistDocsCommentOnQuotedColumn.project_config_update.__wrapped__(self)
        config["models"]["test"]["materialized"] = "mview"
        return config

    @pytest.fixture(scope="class")
    def run_has_comments(self, project: Any) -> Any:
        def check() -> None:
            run_dbt()
            column = comments(project, "quote_model")["columns"]["2id"]
            assert column["comment"].startswith("XXX")

        return check


class SparkTypes:
    """Contracts in Spark's words; the models that the tests write themselves are views too."""

    @pytest.fixture(scope="class", autouse=True)
    def written_models(self) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            for name in ("my_model_data_type_sql", "my_model_with_nulls_sql"):
                patch.setattr(constraints, name, as_view(getattr(constraints, name)))
            yield

    @pytest.fixture
    def string_type(self) -> str:
        return "string"

    @pytest.fixture
    def int_type(self) -> str:
        return "int"

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return [
            ["1", "int", "int"],
            ["'1'", "string", "string"],
            ["true", "boolean", "boolean"],
            ["timestamp '2013-11-03 00:00:00-07'", "timestamp", "timestamp"],
            ["array('a', 'b')", "array<string>", "array<string>"],
            ["cast(1 as decimal(12, 2))", "decimal(12,2)", "decimal(12,2)"],
        ]


@pytest.mark.nightly
class TestTableConstraintsColumnsEqual(SparkTypes, BaseTableConstraintsColumnsEqual):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        models = models_of(BaseTableConstraintsColumnsEqual)
        models = as_views(models, "my_model_wrong_order.sql", "my_model_wrong_name.sql")
        schema = models["constraints_schema.yml"].replace("text", "string")
        return {**models, "constraints_schema.yml": schema}


class TestConstraintsRollback(SparkTypes, BaseConstraintsRollback):
    """A constraint that is broken leaves the old rows: stock `table` models cannot do that."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        models = as_views(models_of(BaseConstraintsRollback), "my_model.sql")
        schema = models["constraints_schema.yml"].replace("text", "string")
        return {**models, "constraints_schema.yml": schema}

    @pytest.fixture(scope="class")
    def null_model_sql(self) -> str:
        return constraints.my_model_with_nulls_sql

    @pytest.fixture(scope="class")
    def expected_error_messages(self) -> list[str]:
        return ["DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"]


@pytest.mark.nightly
class TestEmpty(EveryModel, BaseTestEmpty):
    pass


@pytest.mark.nightly
class TestEmptyInlineSourceRef(EveryModel, BaseTestEmptyInlineSourceRef):
    pass


@pytest.mark.nightly
class TestConcurrency(BaseConcurrency):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        tables = ("invalid.sql", "table_a.sql", "table_b.sql", "dep.sql")
        return as_views(models_of(BaseConcurrency), *tables)

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"seeds": DELTA}


class CommentedQueries:
    @pytest.fixture(scope="class")
    def properties(self) -> dict[str, Any]:
        return {"x.yml": {"models": [{"name": "x", "config": {"materialized": "mview"}}]}}


class TestQueryComments(CommentedQueries, BaseQueryComments):
    pass


@pytest.mark.nightly
class TestMacroQueryComments(CommentedQueries, BaseMacroQueryComments):
    pass


@pytest.mark.nightly
class TestMacroArgsQueryComments(CommentedQueries, BaseMacroArgsQueryComments):
    pass


@pytest.mark.nightly
class TestMacroInvalidQueryComments(CommentedQueries, BaseMacroInvalidQueryComments):
    builds_views = False


class SparkCast:
    @pytest.fixture(scope="class")
    def macros(self) -> Any:
        macros = BaseAliases.macros.__wrapped__(self)
        return {**macros, "cast.sql": macros["cast.sql"].replace("::text", "::string")}


@pytest.mark.nightly
class TestAliases(SparkCast, BaseAliases):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_views(models_of(BaseAliases), "foo_alias.sql", "ref_foo_alias.sql")

    @pytest.fixture(scope="class")
    def project_config_update(self) -> Any:
        config = BaseAliases.project_config_update.__wrapped__(self)
        config["models"]["+materialized"] = "mview"
        return config


@pytest.mark.nightly
class TestSameAliasDifferentSchemas(SparkCast, EveryModel, BaseSameAliasDifferentSchemas):
    pass


class SparkCatalog:
    @pytest.fixture(scope="class")
    def project_config_update(self, unique_schema: str) -> Any:
        config = BaseDocsGenerate.project_config_update.__wrapped__(self, unique_schema)
        config["seeds"].update(DELTA)
        return config

    @pytest.fixture(scope="class")
    def profile_user(self) -> str:
        return getpass.getuser()


@pytest.mark.nightly
class TestDocsGenerate(SparkCatalog, BaseDocsGenerate):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        names = ("model.sql", "second_model.sql")
        return as_views(models_of(BaseDocsGenerate), *names, instead_of="view")

    @pytest.fixture(scope="class")
    def expected_catalog(self, project: Any, profile_user: str) -> Any:
        return expected_catalog.base_expected_catalog(
            project,
            role=profile_user,
            id_type="bigint",
            text_type="string",
            time_type="timestamp",
            view_type="table",
            table_type="table",
            model_stats=expected_catalog.no_stats(),
        )


class Clone:
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": DELTA, "seeds": DELTA, "snapshots": DELTA}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_views(models_of(BaseClonePossible), "table_model.sql")


DROP_BEFORE_CLONE = """
{% macro spark__create_or_replace_clone(this_relation, defer_relation) %}
    {% do drop_relation_if_exists(this_relation) %}
    create table {{ this_relation }} shallow clone {{ defer_relation }}
{% endmacro %}
"""


@pytest.mark.nightly
class TestClonePossible(Clone, BaseClonePossible):
    """Delta cannot clone onto a table that has rows (DELTA_UNSUPPORTED_NON_EMPTY_CLONE)."""

    @pytest.fixture(scope="class")
    def macros(self) -> Any:
        macros = BaseClonePossible.macros.__wrapped__(self)
        return {**macros, "drop_before_clone.sql": DROP_BEFORE_CLONE}


@pytest.mark.nightly
class TestCloneNotPossible(Clone, BaseCloneNotPossible):
    pass
