"""The climb from a table to the result."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, MORE, find, leaf, node, tree

DBT = Dbt()
REF = "CTERelationRef 0, true, [id#20L, k#21], false, false"
DEFINED = node("CTERelationDef 0, false", node("SubqueryAlias c", FACTS))
NESTED = node("Filter exists#9 [k#2]", FACTS, inner=(node("Project [1 AS 1#8]", DIMS),))


def test_parents_to_the_root() -> None:
    nodes = tree(DBT, node("Sort [k#2]", node("Project [k#2]", FACTS)))
    assert [DBT("_node_above", nodes, index) for index in range(3)] == [None, 0, 1]


def test_from_a_cte_to_where_it_is_read() -> None:
    main = node("Join Inner", node("SubqueryAlias c", REF), DIMS)
    nodes = tree(DBT, node("WithCTE", DEFINED, main))
    definition, reference = find(nodes, "CTERelationDef"), find(nodes, "CTERelationRef")
    assert DBT("_node_above", nodes, definition) == reference
    assert DBT("_node_above", nodes, reference) == find(nodes, "SubqueryAlias", 1)


def test_of_many_ctes_by_number() -> None:
    other = node("CTERelationDef 10, false", MORE)
    main = node("Union false, false", REF.replace(" 0,", " 10,"), REF)
    nodes = tree(DBT, node("WithCTE", DEFINED, other, main))
    assert DBT("_node_above", nodes, find(nodes, "CTERelationDef")) == len(nodes) - 1
    assert DBT("_node_above", nodes, find(nodes, "CTERelationDef", 1)) == len(nodes) - 2


def test_a_cte_that_is_read_twice_or_never() -> None:
    reason = "OPERATOR_NOT_INCREMENTAL: a CTE that is read {} times"
    for times, main in [(2, node("Join Inner", REF, REF)), (0, DIMS)]:
        nodes = tree(DBT, node("WithCTE", DEFINED, main))
        found = DBT("_node_above", nodes, find(nodes, "CTERelationDef"))
        assert found == reason.format(times)


def test_a_subquery_ends_the_climb() -> None:
    nodes = tree(DBT, NESTED)
    inner = nodes[leaf(nodes, "dims")]["parent"]
    assert DBT("_node_above", nodes, inner) == "SUBQUERY_NOT_INCREMENTAL"
    assert DBT("_node_above", nodes, leaf(nodes, "facts")) == 0
